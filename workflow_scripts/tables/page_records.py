"""The record within a page of what it was made from, by content.

A later run compares it with the config and the files of that time: a file that was made again with
the same bytes is not a difference, whatever its date.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts import plugins
from workflow_scripts.canonical import canonical
from workflow_scripts.files import read_text, sha256_of
from workflow_scripts.tables.table import score_files

# keys of a record: the block of config, and the files that a table or figure is assembled from
CONFIG, INPUTS = "config", "inputs"
_IN_PAGE = re.compile(r'<script type="application/json" id="made-of">(.*?)</script>')

Record = Mapping[str, str]


def hash_of_file(path: str | Path) -> str | None:
    return sha256_of(path) if Path(path).is_file() else None


def make_record(
    block: Any,
    inputs: Mapping[str, Iterable[str | Path]],
    results: str | Path,
    hash_of: Callable[[str | Path], str | None] = hash_of_file,
) -> dict[str, str]:
    """Return the SHA-256 of a page's block and of each group of its inputs, by key.

    The same for the same files in another folder of results. `hash_of` returns None for a file that
    is missing.
    """
    texts = {CONFIG: canonical(block).replace(f'"{results}/', '"')}
    texts |= {
        key: " ".join(hash_of(file) or "missing" for file in files) for key, files in inputs.items()
    }
    return {key: hashlib.sha256(text.encode()).hexdigest() for key, text in texts.items()}


def read_record(page: str | Path) -> dict[str, str] | None:
    """Return the record within a page, None where there is none."""
    match = _IN_PAGE.search(read_text(page))
    return match and json.loads(match[1])


def input_files(section: str, block: Mapping[str, Any]) -> list[str]:
    """Return what a table is assembled from or a figure is drawn from, besides its block."""
    kind = plugins.load(f"{section}.kinds", block["kind"])
    files = [*score_files(block), *(kind.files(block) if hasattr(kind, "files") else ())]
    return [*files, block["reference"]] if block.get("reference") else files


def cell_files(block: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the files of cells that a page of everything is made from, by "tables/id"."""
    return {
        f"{section}/{page['id']}": [page["cells"]]
        for of_paper in block["papers"].values()
        for section in ("tables", "figures")
        for page in of_paper[section]
    }
