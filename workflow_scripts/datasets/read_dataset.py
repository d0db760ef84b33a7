"""Read a data set: write its unique strings and its items by string id."""

import argparse
import json
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.datasets.entry import DatasetEntry, entry_type, raw_files
from workflow_scripts.datasets.items import Items
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_text

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
            remedy = entry.obtain or "put it there or choose another data root"
            raise UserError(path, f"no such file, needed by {where}", remedy)
    place = corpora if entry.corpora() else Path(root)
    items = entry.read(place)
    if entry.whitespace == "collapsed":
        items.collapse()
    if lacks := items.lacks():
        files = ", ".join(map(str, entry.list_files(place)[:2]))
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


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--dataset", required=True, help="id of the data set")
    add("--block", required=True, type=json.loads, help="its block of config as JSON")
    add("--root", required=True, type=Path, help="data root")
    add("--corpora", type=Path, default=CORPORA, help="folder of the made corpora")
    files = "output: a string per line; of a lexicon two files, source and target"
    add("--strings", required=True, type=Path, nargs="+", metavar="FILE", help=files)
    add("--items", required=True, type=Path, help="output: items as JSON")
    arguments = parser.parse_args(argv)
    name, block = arguments.dataset, arguments.block
    entry = read_block(entry_type(block["format"]), block, f"datasets.{name}")
    read = read_dataset(arguments.root, entry, name, arguments.corpora)
    lists, items = number_items(name, entry, read)
    if len(lists) != len(arguments.strings):
        problem = f"{len(arguments.strings)} files for {len(lists)} lists of strings"
        raise UserError("--strings", problem, "give one, or both sides of a lexicon")
    # One line: indented JSON would give each of hundreds of thousands of ids a line of its own.
    text = json.dumps(items, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    write_text(arguments.items, text + "\n")
    for file, strings in zip(arguments.strings, lists.values(), strict=True):
        write_text(file, "".join(string + "\n" for string in strings))


if __name__ == "__main__":
    run_command(main)
