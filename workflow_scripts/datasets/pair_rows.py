"""Rows of two strings, mostly with a label, in the layouts that sets of sentence pairs come in."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import LabelledPairs
from workflow_scripts.datasets.rows import (
    malformed,
    read_headed_csv,
    require_new_id,
    require_strings,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_json, read_json, read_lines

_JSON_KEYS = ("text_a", "text_b", "label")
# Columns that number the rows of a file, where it has one of them.
_ID_COLUMNS = ("index", "id")
_NUMBERED = re.compile(r'\s*"([^"]*)"\s*:\s*{')


def read_pair_rows(
    path: Path, columns: list[str], keep_short: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, [left, right] or [left, right, label]) of a file, gzipped if `.gz`.

    `columns` are the two or three names in the header, or the keys of JSON. By its name a file is
    `.json`, an object of entries "0", "1", ... with text_a, text_b and label; `.jsonl`, an object
    with `columns` on each line; `.csv`, with quotes and a header; else tab-separated with a header,
    where with `keep_short` a row with too few columns is yielded as []. No id (column `index` or
    `id`, key of an entry) may occur twice.
    """
    name = path.name.removesuffix(".gz")
    if name.endswith(".json"):
        for line, entry in _numbered_entries(path):
            yield line, _fields_of(entry, _JSON_KEYS[: len(columns)], path, line)
    elif name.endswith(".jsonl"):
        for line, text in enumerate(read_lines(path), start=1):
            yield line, _fields_of(parse_json(text, path, line), columns, path, line)
    elif name.endswith(".csv"):
        yield from read_headed_csv(path, columns)
    else:
        seen: set[str] = set()
        for line, row in read_headed_rows(path, columns, _ID_COLUMNS, keep_short):
            for column in row.keys() & {*_ID_COLUMNS}:
                require_new_id(row[column], seen, column, path, line)
            yield line, [row[column] for column in columns] if row else []


def _fields_of(entry: Any, keys: list[str] | tuple[str, ...], path: Path, line: int) -> list[str]:
    if not isinstance(entry, Mapping) or not all(isinstance(entry.get(key), str) for key in keys):
        raise malformed(path, line, f"expected an object with the strings {', '.join(keys)}")
    return [entry[key] for key in keys]


def _numbered_entries(path: Path) -> Iterator[tuple[int, Any]]:
    # JSON has no line ends within a string, so an entry that opens a line is a key. A file that
    # is all on one line has them on line 1.
    lines: dict[str, int] = {}
    seen: set[str] = set()
    for line, text in enumerate(read_lines(path), start=1):
        if match := _NUMBERED.match(text):
            require_new_id(match[1], seen, "entry", path, line)
            lines[match[1]] = line
    entries = read_json(path)
    if not isinstance(entries, dict):
        raise UserError(f"{path}:1", "expected a JSON object of numbered entries", "fetch it again")
    for key, entry in entries.items():
        yield lines.get(key, 1), entry


def labelled_pairs(
    rows: Iterable[tuple[int, list[str]]], labels: Mapping[str, int], paths: list[Path], what: str
) -> LabelledPairs:
    """Return the pairs of rows (line number, [left, right, label, ...]); `what` the strings are.

    `paths` are the file of the strings and, last, that of the labels.
    """
    pairs = LabelledPairs()
    for line, (left, right, label, *_) in rows:
        require_strings([left, right], what, paths[0], line)
        pairs.add(left, right, label_number(label, labels, paths[-1], line))
    return pairs


def label_number(text: str, labels: Mapping[str, int], path: Path, line: int) -> int:
    """Return the number of the label written in `text`; `UserError` if it is none of `labels`."""
    if (label := text.strip()) not in labels:
        raise malformed(path, line, f"expected a label among {', '.join(labels)}, found {text!r}")
    return labels[label]
