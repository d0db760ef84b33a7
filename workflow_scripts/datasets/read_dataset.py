"""Read a data set: write its unique strings and its items by string id."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.datasets.entry import DatasetEntry, raw_files
from workflow_scripts.datasets.items import Items
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.path_functions import command

CORPORA = Path("results") / "corpora"


def read_dataset(
    root: str | Path, entry: DatasetEntry, name: str = "", corpora: Path = CORPORA
) -> Items:
    """Return the items of a data set below the data root (or the folder of corpora).

    `name` is its id, for messages. Raises `UserError` for missing or malformed files (naming file
    and line), and a set without a single item to score.
    """
    where = f"data set {name!r}" if name else "data set"
    for path in raw_files(root, entry):
        if not path.is_file():
            remedy = entry.obtain or "put the file there or choose another data root"
            raise UserError(path, f"no such file, needed by {where}", remedy)
    folder = corpora if entry.corpora() else Path(root)
    items = entry.read(folder)
    if entry.whitespace == "collapsed":
        items.collapse()
    if lacks := items.lacks():
        files = ", ".join(map(str, entry.list_files(folder)[:2]))
        raise UserError(where, f"no {lacks} in {files}", "check the files and the entry")
    return items


def number_items(
    name: str, entry: DatasetEntry, items: Items
) -> tuple[dict[str | None, list[str]], dict[str, Any]]:
    """Return the unique strings of data set `name`, by side if it has two, and its items.json."""
    block = {"dataset": name, "task": entry.task, "split": entry.split, "dropped": items.dropped}
    optional = ("language", "features")
    block |= {key: getattr(entry, key) for key in optional if hasattr(entry, key)}
    strings, numbered = items.numbered()
    return strings, block | numbered


def write_dataset(
    *,
    dataset: str,
    block: dict[str, Any],
    root: Path,
    corpora: Path = CORPORA,
    strings: Sequence[Path],
    items: Path,
) -> None:
    """Read a data set: write its unique strings and its items by string id.

    Args:
        dataset: id of the data set
        block: its block of config, as JSON
        root: data root
        corpora: folder of the made corpora
        strings: output: a string per line; of a lexicon two files, source and target
        items: output: items as JSON
    """
    kind = plugins.load("datasets.formats", block["format"]).Entry
    entry: DatasetEntry = read_block(kind, block, f"datasets.{dataset}")
    lists, numbered = number_items(dataset, entry, read_dataset(root, entry, dataset, corpora))
    if len(lists) != len(strings):
        problem = f"{len(strings)} files for {len(lists)} lists of strings"
        raise UserError("--strings", problem, "give one, or both sides of a lexicon")
    # One line: indented JSON would give each of hundreds of thousands of ids a line of its own.
    text = json.dumps(numbered, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    write_text(items, text + "\n")
    for file, own in zip(strings, lists.values(), strict=True):
        write_text(file, "".join(string + "\n" for string in own))


main = command(write_dataset)

if __name__ == "__main__":
    run_command(main)
