"""Proper comma-separated files: quoted fields, which may hold commas and line ends."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text


def read_csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of the rows of a file; empty rows are passed over.

    A row over several lines has the number of its last one. Raises `UserError` with file and line
    for what is no valid CSV.
    """
    rows = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        for row in rows:
            if row:
                yield rows.line_num, row
    except csv.Error as error:
        raise UserError(
            f"{path}:{rows.line_num}: not valid CSV ({error}); mend or remove the line"
        ) from error


def read_headed_csv(path: Path, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields of `columns`) of a file with a header.

    Raises `UserError` with file and line for a header without one of the columns, a row that has
    another number of fields than the header, and what is no valid CSV.
    """
    rows = read_csv_rows(path)
    _, header = next(rows, (1, []))
    missing = [name for name in columns if name not in header]
    if missing:
        raise UserError(
            f"{path}:1: the header has no column {missing[0]!r} (it has {', '.join(header)}); "
            "choose columns of the file or fetch the file again"
        )
    positions = [header.index(name) for name in columns]
    for line, row in rows:
        if len(row) != len(header):
            raise UserError(
                f"{path}:{line}: expected {len(header)} fields as in the header, "
                f"found {len(row)}; mend or remove the line"
            )
        yield line, [row[position] for position in positions]
