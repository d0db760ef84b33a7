"""Rows of two strings, mostly with a label, in the layouts that sets of sentence pairs come in."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.csv_rows import read_headed_csv
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.datasets.items import require_new_id
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, read_lines

# Keys of an entry in the samples that are a JSON object of numbered entries.
_JSON_KEYS = ("text_a", "text_b", "label")
# Columns that number the rows of a file, where it has one of them.
_ID_COLUMNS = ("index", "id")
_NUMBERED = re.compile(r'\s*"([^"]*)"\s*:\s*{')


def read_pair_rows(
    path: Path, columns: list[str], keep_short: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, [left, right] or [left, right, label]) of a file, gzipped if `.gz`.

    `columns` are the two or three names in the header, or the keys of JSON. By its name a file is

    - `.json`: an object of entries "0", "1", ..., each with text_a, text_b and label, whatever
      `columns` are called;
    - `.jsonl`: an object with those keys on each line;
    - `.csv`: comma-separated with quotes and a header;
    - else tab-separated with a header, quoting off; with `keep_short` a row with too few columns
      is yielded as [].

    Raises `UserError` with file and line for a malformed row and for an id (a column `index` or
    `id`, or a key of an entry) that occurs twice.
    """
    name = path.name.removesuffix(".gz")
    if name.endswith(".json"):
        yield from _read_numbered_entries(path, _JSON_KEYS[: len(columns)])
    elif name.endswith(".jsonl"):
        yield from _read_json_lines(path, columns)
    elif name.endswith(".csv"):
        yield from read_headed_csv(path, columns)
    else:
        seen: set[str] = set()
        for line, row in read_headed_rows(path, columns, _ID_COLUMNS, keep_short):
            for column in _ID_COLUMNS:
                if column in row:
                    require_new_id(row[column], seen, column, path, line)
            yield line, [row[column] for column in columns] if row else []


def _fields_of(entry: Any, keys: list[str], path: Path, line: int) -> list[str]:
    if not isinstance(entry, Mapping) or not all(isinstance(entry.get(key), str) for key in keys):
        raise UserError(
            f"{path}:{line}: expected an object with the strings {', '.join(keys)}; "
            "mend or remove the entry"
        )
    return [entry[key] for key in keys]


def _read_numbered_entries(path: Path, keys: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
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
        raise UserError(f"{path}:1: expected a JSON object of numbered entries; fetch it again")
    for key, entry in entries.items():
        line = lines.get(key, 1)
        yield line, _fields_of(entry, list(keys), path, line)


def _read_json_lines(path: Path, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    for line, text in enumerate(read_lines(path), start=1):
        try:
            entry = json.loads(text)
        except json.JSONDecodeError as error:
            raise UserError(
                f"{path}:{line}: not valid JSON ({error.msg}); mend or remove the line"
            ) from error
        yield line, _fields_of(entry, columns, path, line)


def label_number(text: str, labels: Mapping[str, int], path: Path, line: int) -> int:
    """Return the number of the label written in `text`; `UserError` if it is none of `labels`."""
    if text not in labels:
        raise UserError(
            f"{path}:{line}: expected a label among {', '.join(labels)}, found {text!r}; "
            "mend or remove the line"
        )
    return labels[text]
