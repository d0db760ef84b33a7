"""AskAPatient: phrases of patients' posts, ten folds of `id<TAB>preferred name<TAB>phrase`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.files import read_rows

OPTIONS = {
    "path": Option((str,), "askapatient"),
    "fold": Option((int,), 0),
    **linking_options("id-name"),
}


def _query_path(root: Path, options: Mapping[str, Any]) -> Path:
    # The split is called validation in the files' names.
    split = {"dev": "validation"}.get(options["split"], options["split"])
    return root / options["path"] / f"AskAPatient.fold-{options['fold']}.{split}.txt"


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file of the fold and split, and the dictionary."""
    return [_query_path(root, options), *dictionary_paths(root, options)]


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the phrases of a fold and split over a dictionary.

    Raises `UserError` for a row with fewer than three columns and for an empty phrase.
    """
    path = _query_path(root, options)
    queries = Queries(options)
    for line, fields in read_rows(path, 3, "a row of id<TAB>preferred name<TAB>phrase"):
        require_strings(fields[2:3], "a phrase", path, line)
        queries.add(fields[2], fields[0])
    return queries.with_dictionary(root)
