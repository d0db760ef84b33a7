"""Read the data sets of a suite: write its unique strings and the items by string id."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.datasets.entry import DatasetEntry, entry_type, raw_files
from workflow_scripts.datasets.items import Items
from workflow_scripts.datasets.strings import StringTable
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


def read_suite(
    root: str | Path,
    entries: Mapping[str, DatasetEntry],
    language: str | None = None,
    corpora: Path = CORPORA,
) -> tuple[list[str], dict[str, Any]]:
    """Return the unique strings of a suite and the items of its data sets by string id.

    Strings are in the order of first occurrence; a string's id is its index. In a suite with a
    language a lexicon gives only its side in that language.
    """
    table = StringTable()
    datasets: dict[str, Any] = {}
    for name, entry in entries.items():
        items = read_dataset(root, entry, name, corpora)
        block = {"task": entry.task, "split": entry.split, "dropped": items.dropped}
        said = ("language", "features")
        block |= {key: getattr(entry, key) for key in said if hasattr(entry, key)}
        datasets[name] = block | items.numbered(table, language, f"data set {name!r}")
    return table.strings, datasets


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", required=True, help="id of the suite")
    block = 'JSON: {"datasets": {id: entry, ...}, "language": code}; the language only for lexicons'
    parser.add_argument("--block", required=True, type=json.loads, help=block)
    parser.add_argument("--root", required=True, type=Path, help="data root")
    parser.add_argument("--corpora", type=Path, default=CORPORA, help="folder of the made corpora")
    parser.add_argument("--strings", required=True, type=Path, help="output: a string per line")
    parser.add_argument("--items", required=True, type=Path, help="output: items as JSON")
    arguments = parser.parse_args(argv)
    entries = {}
    for name, entry in arguments.block["datasets"].items():
        entries[name] = read_block(entry_type(entry["format"]), entry, f"datasets.{name}")
    language = arguments.block.get("language")
    strings, datasets = read_suite(arguments.root, entries, language, arguments.corpora)
    items = {"suite": arguments.suite, "datasets": datasets}
    # One line: indented JSON would give each of hundreds of thousands of ids a line of its own.
    text = json.dumps(items, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    write_text(arguments.items, text + "\n")
    write_text(arguments.strings, "".join(string + "\n" for string in strings))


if __name__ == "__main__":
    run_command(main)
