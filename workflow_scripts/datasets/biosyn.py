"""The processed layout of BioSyn and SapBERT: `*.concept` query files and `id||name` dictionaries.

A query line is `document||start|end||type||mention||ids`; mentions and ids of a composite are
joined by `|` or `+`. Digits, case, punctuation and abbreviations were already dealt with upstream.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

OPTIONS = {
    # The folder of a split, such as ncbi-disease/processed_test.
    "path": Option((str,)),
    **linking_options("id-name"),
}


def _query_paths(folder: Path) -> list[Path]:
    # An absent folder, or one without queries, is returned by the name that it lacks.
    if not folder.is_dir():
        return [folder]
    return sorted(folder.glob("*.concept")) or [folder / "*.concept"]


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the query files and the dictionary; the folder itself where it is missing."""
    return [*_query_paths(root / options["path"]), *dictionary_paths(root, options)]


def split_mention(mention: str) -> list[str]:
    """Return the parts of a mention as upstream splits it, at each `|` and `+`, without blanks."""
    return [part for part in re.split(r"[|+]", mention) if part.strip()]


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the queries of a folder over a dictionary.

    Raises `UserError` for a line without five fields and for an empty mention.
    """
    queries = Queries(options)
    for path in _query_paths(root / options["path"]):
        for line, text in enumerate(read_lines(path), start=1):
            fields = text.split("||")
            if len(fields) != 5:
                raise UserError(
                    f"{path}:{line}: expected document||span||type||mention||ids (5 fields), "
                    f"found {len(fields)}; mend or remove the line"
                )
            parts = split_mention(fields[3])
            mention = " ".join(parts)
            require_strings([mention], "a mention", path, line)
            queries.add(mention, fields[4], parts)
    return queries.with_dictionary(root)
