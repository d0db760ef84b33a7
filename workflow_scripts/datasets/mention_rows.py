"""NCBI disease as Chen et al. (2021) prepared it: a mention a row, digits and case dealt with.

A row is document, mention, concept ids, and the mention as prepared: abbreviations written out,
punctuation removed. Their dictionary (`entity_kb.txt`, form `id-tab-name`) is prepared alike.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.files import read_rows

OPTIONS = {
    "path": Option((str,)),
    # The mention as prepared, or as the text has it.
    "mention": Option((str,), "prepared", choices=("prepared", "written")),
    **linking_options("id-tab-name"),
}


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the file of mentions and the dictionary."""
    return [root / options["path"], *dictionary_paths(root, options)]


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the mentions of a file over a dictionary; a composite mention is one part.

    Raises `UserError` for a row with fewer than four columns and for an empty mention.
    """
    path = root / options["path"]
    column = {"written": 1, "prepared": 3}[options["mention"]]
    queries = Queries(options)
    for line, fields in read_rows(path, 4, "a row of document<TAB>mention<TAB>ids<TAB>mention"):
        require_strings([fields[column]], "a mention", path, line)
        queries.add(fields[column], fields[2])
    return queries.with_dictionary(root)
