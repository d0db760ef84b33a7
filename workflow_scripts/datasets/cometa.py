"""COMETA: terms of Reddit users with SNOMED CT ids.

`{train,dev,test}.csv` are tab-separated in spite of the name, quoting off, with a header.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option

_CONCEPT_COLUMNS = {"general": "General SNOMED ID", "specific": "Specific SNOMED ID"}
OPTIONS = {
    "path": Option((str,), "cometa/splits/stratified_general"),
    "concept": Option((str,), "general", choices=tuple(_CONCEPT_COLUMNS)),
    **linking_options("id-name"),
}


def _query_path(root: Path, options: Mapping[str, Any]) -> Path:
    return root / options["path"] / f"{options['split']}.csv"


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file of the split and the dictionary."""
    return [_query_path(root, options), *dictionary_paths(root, options)]


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the terms of a split over a dictionary, columns found by header.

    Raises `UserError` for a malformed header or row and for an empty term.
    """
    path = _query_path(root, options)
    column = _CONCEPT_COLUMNS[options["concept"]]
    queries = Queries(options)
    for line, row in read_headed_rows(path, ["Term", column]):
        require_strings([row["Term"]], "a term", path, line)
        queries.add(row["Term"], row[column])
    return queries.with_dictionary(root)
