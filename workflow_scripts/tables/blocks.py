"""The block of config that describes one table of scores, checked and typed."""

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.tables.block_values import (
    LIST,
    OPTIONAL_LIST,
    OPTIONAL_TEXT,
    TEXT,
    check_distinct,
    checked,
    read_object,
    strings,
)
from workflow_scripts.tables.numbers import DIGITS

AVERAGE = "avg"
CHANGE = "change"


@dataclass(frozen=True)
class Column:
    """A column: the digits after the point that it shows, and which of two values is better."""

    id: str
    label: str
    digits: int = DIGITS
    lower_is_better: bool = False


@dataclass(frozen=True)
class Part:
    """One metric of one data set, with a file of scores for each seed."""

    dataset: str
    metric: str
    scores: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """What fills a cell: the mean of its parts, or the reason why there is none.

    `departures` says in what model, data and recipe are not the paper's: a cell is compared with
    the published value only where there are none. `tolerance` is the largest difference to the
    published value, in either direction, that counts as agreement.
    """

    parts: tuple[Part, ...] = ()
    departures: tuple[str, ...] = ()
    tolerance: Decimal | None = None
    not_run: str | None = None


@dataclass(frozen=True)
class Row:
    """A row: `cells` has one entry for each column id; `group` is the family that it stands with.

    `against` is the id of the row that this row's differences are taken to.
    """

    id: str
    label: str
    group: str | None
    against: str | None
    cells: dict[str, Cell]


@dataclass(frozen=True)
class TableBlock:
    """A table; `reference` names the published table, `average` asks for a column of means.

    `change_of` is the id of the column (that of means included) whose differences between rows
    stand in a column of their own, as in Table 7.
    """

    id: str
    title: str
    reference: str | None
    average: bool
    change_of: str | None
    notes: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns as shown, with those of means and of changes at the end.

        Means are shown as the columns that they are over.
        """
        return (*self.value_columns, *self._change_columns)

    @property
    def value_columns(self) -> tuple[Column, ...]:
        """The columns as shown without that of changes."""
        if not self.average:
            return self.columns
        first = self.columns[0]
        return (
            *self.columns,
            Column(AVERAGE, f"{AVERAGE}.", first.digits, first.lower_is_better),
        )

    @property
    def _change_columns(self) -> tuple[Column, ...]:
        found = [column for column in self.value_columns if column.id == self.change_of]
        return tuple(replace(column, id=CHANGE, label=CHANGE) for column in found)

    def row(self, name: str) -> Row:
        """Return the row of an id."""
        return next(row for row in self.rows if row.id == name)


_TABLE = {
    "id": TEXT,
    "title": TEXT,
    "columns": LIST,
    "rows": LIST,
    "reference": OPTIONAL_TEXT,
    "average": Option((bool,), False),
    "change_of": OPTIONAL_TEXT,
    "notes": OPTIONAL_LIST,
}
_COLUMN = {
    "id": TEXT,
    "label": TEXT,
    "digits": Option((int,), DIGITS),
    "lower_is_better": Option((bool,), False),
}
_ROW = {
    "id": TEXT,
    "label": TEXT,
    "group": OPTIONAL_TEXT,
    "against": OPTIONAL_TEXT,
    "cells": Option((dict,), None),
    "not_run": OPTIONAL_TEXT,
}
_CELL_THAT_RUNS = {"parts": LIST, "departures": LIST, "tolerance": Option((int, float))}
_CELL_NOT_RUN = {"not_run": TEXT}
_PART = {"dataset": TEXT, "metric": TEXT, "scores": LIST}


def _parse_part(value: Any, where: str) -> Part:
    part = checked(value, where, _PART)
    scores = strings(part["scores"], f"{where}.scores")
    if not scores:
        raise UserError(f"{where}: `scores` is empty; name a file for each seed, or use `not_run`")
    check_distinct(list(scores), f"{where}.scores")
    return Part(part["dataset"], part["metric"], scores)


def _parse_cell(value: Any, where: str) -> Cell:
    if not isinstance(value, dict) or ("parts" in value) == ("not_run" in value):
        raise UserError(f"{where}: give either `parts` or `not_run`")
    if "not_run" in value:
        return Cell(not_run=checked(value, where, _CELL_NOT_RUN)["not_run"])
    cell = checked(value, where, _CELL_THAT_RUNS)
    if not cell["parts"]:
        raise UserError(f"{where}: `parts` is empty; name a data set, or use `not_run`")
    parts = tuple(
        _parse_part(part, f"{where}, part {number}")
        for number, part in enumerate(cell["parts"], start=1)
    )
    tolerance = cell["tolerance"]
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise UserError(f"{where}: `tolerance` must be zero or more, not {tolerance!r}")
    return Cell(
        parts=parts,
        departures=strings(cell["departures"], f"{where}.departures"),
        tolerance=Decimal(str(tolerance)),
    )


def _parse_row(value: Any, where: str, columns: tuple[Column, ...]) -> Row:
    row = checked(value, where, _ROW)
    where = f"{where} `{row['id']}`"
    if (row["cells"] is None) == (row["not_run"] is None):
        raise UserError(f"{where}: give either `cells` or `not_run`")
    if row["not_run"] is not None:
        cells = {column.id: Cell(not_run=row["not_run"]) for column in columns}
    else:
        known = {column.id: Option((dict,)) for column in columns}
        found = checked(row["cells"], f"{where}.cells", known)
        cells = {name: _parse_cell(cell, f"{where}.cells.{name}") for name, cell in found.items()}
    return Row(row["id"], row["label"], row["group"], row["against"], cells)


def _check_table(table: TableBlock, where: str) -> None:
    """Raise `UserError` for what is wrong between the parts of a table."""
    shown = table.shown_columns
    check_distinct([column.id for column in shown], f"{where}, ids of columns")
    check_distinct([column.label for column in shown], f"{where}, labels of columns")
    ids = [row.id for row in table.rows]
    check_distinct(ids, f"{where}, ids of rows")
    for row in table.rows:
        if row.against is not None and (row.against not in ids or row.against == row.id):
            raise UserError(
                f"{where}, row `{row.id}`: `against` must be the id of another row of the table, "
                f"not {row.against!r}"
            )
    if table.average and len({(c.digits, c.lower_is_better) for c in table.columns}) > 1:
        raise UserError(
            f"{where}: `average` needs columns with the same `digits` and `lower_is_better`; "
            "mend the columns or leave the average out"
        )


def parse_table_block(text: str) -> TableBlock:
    """Return the table that a JSON object describes.

    Keys: `id`, `title`, `columns` (each `id label`, optionally `digits` and `lower_is_better`),
    `rows` (each `id label` and either `cells` or `not_run`, optionally `group` and `against`),
    optionally `reference`, `average`, `change_of` and `notes`. A cell is `{"not_run": reason}` or
    `{"parts": [{"dataset", "metric", "scores": [file for each seed]}, ...], "departures":
    [reason, ...], "tolerance": number}`.

    Raises `UserError` naming the table and the key for text that is no JSON, an unknown or missing
    key, a wrong type, and an id or a column label used twice.
    """
    block = read_object(text, "--table-json", _TABLE)
    where = f"table `{block['id']}`"
    if not block["columns"] or not block["rows"]:
        raise UserError(f"{where}: needs one column and one row at least")
    columns = []
    for number, value in enumerate(block["columns"], start=1):
        column = Column(**checked(value, f"{where}, column {number}", _COLUMN))
        if not 0 <= column.digits <= 6:
            raise UserError(f"{where}, column {number}: `digits` must be 0 to 6")
        columns.append(column)
    rows = tuple(
        _parse_row(row, f"{where}, row {number}", tuple(columns))
        for number, row in enumerate(block["rows"], start=1)
    )
    table = TableBlock(
        id=block["id"],
        title=block["title"],
        reference=block["reference"],
        average=block["average"],
        change_of=block["change_of"],
        notes=strings(block["notes"], f"{where}, notes"),
        columns=tuple(columns),
        rows=rows,
    )
    _check_table(table, where)
    known = [column.id for column in table.value_columns]
    if table.change_of is not None and table.change_of not in known:
        raise UserError(
            f"{where}: `change_of` is `{table.change_of}`, which is no column of the table; "
            f"{nearest_name(table.change_of, known)}"
        )
    return table
