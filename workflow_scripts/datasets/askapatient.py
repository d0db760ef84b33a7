"""AskAPatient: phrases of patients' posts, in ten folds.

As its authors give it out (Zenodo 55013) a row is id<TAB>preferred name<TAB>phrase, in ISO-8859-1.
SapBERT's authors give out the phrases of each fold as `id||phrase` with a dictionary.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_rows

FOLDS = range(10)
OPTIONS = {
    "path": Option((str,), "askapatient"),
    # A fold, or all ten after each other: SapBERT reports the mean over folds of like size.
    "fold": Option((int, str), 0, choices=(*FOLDS, "all")),
    # AskAPatient.fold-0.test.txt, or SapBERT's AskAPatient.fold-0.test.preprocessed_query.txt.
    "form": Option((str,), "original", choices=("original", "preprocessed")),
    **linking_options("id-name"),
}


def _query_paths(root: Path, options: Mapping[str, Any]) -> list[Path]:
    # The split is called validation in the files' names.
    split = {"dev": "validation"}.get(options["split"], options["split"])
    ending = {"original": "txt", "preprocessed": "preprocessed_query.txt"}[options["form"]]
    folds = FOLDS if options["fold"] == "all" else [options["fold"]]
    return [root / options["path"] / f"AskAPatient.fold-{fold}.{split}.{ending}" for fold in folds]


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the files of the folds and split, and the dictionary."""
    return [*_query_paths(root, options), *dictionary_paths(root, options)]


def _read_original(path: Path) -> Iterator[tuple[int, str, str]]:
    what = "a row of id<TAB>preferred name<TAB>phrase"
    for line, fields in read_rows(path, 3, what, encoding="iso-8859-1"):
        yield line, fields[0], fields[2]


def _read_preprocessed(path: Path) -> Iterator[tuple[int, str, str]]:
    for line, text in enumerate(read_lines(path), start=1):
        ids, separator, phrase = text.partition("||")
        if not separator:
            raise UserError(
                f"{path}:{line}: expected id||phrase, found {text[:60]!r}; mend or remove the line"
            )
        yield line, ids, phrase


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the phrases of a split, of one fold or of all, over a dictionary.

    Raises `UserError` for a row with too few columns and for an empty phrase.
    """
    queries = Queries(options)
    read_phrases = {"original": _read_original, "preprocessed": _read_preprocessed}
    for path in _query_paths(root, options):
        for line, ids, phrase in read_phrases[options["form"]](path):
            require_strings([phrase], "a phrase", path, line)
            queries.add(phrase, ids)
    return queries.with_dictionary(root)
