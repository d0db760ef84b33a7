"""The block of config that describes one table, checked and typed."""

import json
from dataclasses import dataclass
from typing import Any

from workflow_scripts.errors import UserError

AVERAGE = "avg"


@dataclass(frozen=True)
class Column:
    """A column: one metric of one dataset."""

    id: str
    label: str
    dataset: str
    metric: str


@dataclass(frozen=True)
class Cell:
    """What fills a cell: score files, one for each seed, or the reason why there are none."""

    scores: tuple[str, ...] = ()
    not_run: str | None = None


@dataclass(frozen=True)
class Row:
    """A row: `cells` has one entry for each column id; `group` is the family that it stands with.

    `comparable` says that models and data are the paper's, so that differences mean something.
    """

    id: str
    label: str
    group: str | None
    comparable: bool
    cells: dict[str, Cell]


@dataclass(frozen=True)
class TableBlock:
    """A table; `reference` names the published table, `average` asks for a column of means."""

    id: str
    title: str
    reference: str | None
    average: bool
    notes: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def column_ids(self) -> list[str]:
        """Ids of the columns as shown, the average last."""
        return [column.id for column in self.columns] + [AVERAGE] * self.average

    @property
    def column_labels(self) -> list[str]:
        """Labels of the columns as shown, the average last."""
        return [column.label for column in self.columns] + [f"{AVERAGE}."] * self.average


def _checked(
    value: Any, where: str, required: dict[str, type], optional: dict[str, type]
) -> dict[str, Any]:
    """Return `value` if it is an object with the required keys, other keys optional, types right.

    An optional key may be null, which counts as absent.
    """
    if not isinstance(value, dict):
        raise UserError(f"{where}: expected an object; mend the table in the config")
    known = required | optional
    for key in value:
        if key not in known:
            raise UserError(f"{where}: unknown key `{key}`; known are {', '.join(known)}")
    for key in required:
        if key not in value:
            raise UserError(f"{where}: key `{key}` is missing; add it")
    present = {k: v for k, v in value.items() if v is not None or k in required}
    for key, content in present.items():
        if not isinstance(content, known[key]):
            raise UserError(f"{where}: `{key}` must be a {known[key].__name__}, not {content!r}")
    return present


def _check_distinct(values: list[str], where: str) -> None:
    twice = next((value for value in values if values.count(value) > 1), None)
    if twice is not None:
        raise UserError(f"{where}: `{twice}` twice; rename or remove one")


def _strings(values: list[Any], where: str) -> tuple[str, ...]:
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        raise UserError(f"{where}: expected strings, found {wrong!r}")
    return tuple(values)


def _parse_cell(value: Any, where: str) -> Cell:
    cell = _checked(value, where, {}, {"scores": list, "not_run": str})
    if ("scores" in cell) == ("not_run" in cell):
        raise UserError(f"{where}: give either `scores` or `not_run`")
    scores = _strings(cell.get("scores", []), where)
    if "scores" in cell and not scores:
        raise UserError(f"{where}: `scores` is empty; name a file for each seed, or use `not_run`")
    _check_distinct(list(scores), f"{where}.scores")
    return Cell(scores, cell.get("not_run"))


def _parse_row(value: Any, where: str, columns: tuple[Column, ...]) -> Row:
    row = _checked(
        value,
        where,
        {"id": str, "label": str},
        {"group": str, "comparable": bool, "cells": dict, "not_run": str},
    )
    where = f"{where} `{row['id']}`"
    if ("cells" in row) == ("not_run" in row):
        raise UserError(f"{where}: give either `cells` or `not_run`")
    if "not_run" in row:
        cells = {column.id: Cell(not_run=row["not_run"]) for column in columns}
    else:
        required = {column.id: dict for column in columns}
        found = _checked(row["cells"], f"{where}.cells", required, {})
        cells = {name: _parse_cell(cell, f"{where}.cells.{name}") for name, cell in found.items()}
    return Row(row["id"], row["label"], row.get("group"), row.get("comparable", False), cells)


def parse_table_block(text: str) -> TableBlock:
    """Return the table that a JSON object describes.

    Keys: `id`, `title`, `columns` (each `id label dataset metric`), `rows` (each `id label` and
    either `cells` or `not_run`, optionally `group` and `comparable`), optionally `reference`,
    `average` and `notes`. A cell is `{"scores": [file for each seed]}` or `{"not_run": reason}`.

    Raises `UserError` naming the table and the key for text that is no JSON, an unknown or missing
    key, a wrong type, and an id or a column label used twice.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--table-json: not valid JSON ({error.msg}); give one object") from error
    block = _checked(
        value,
        "--table-json",
        {"id": str, "title": str, "columns": list, "rows": list},
        {"reference": str, "average": bool, "notes": list},
    )
    where = f"table `{block['id']}`"
    if not block["columns"] or not block["rows"]:
        raise UserError(f"{where}: needs one column and one row at least")
    fields = {"id": str, "label": str, "dataset": str, "metric": str}
    columns = tuple(
        Column(**_checked(column, f"{where}, column {number}", fields, {}))
        for number, column in enumerate(block["columns"], start=1)
    )
    rows = tuple(
        _parse_row(row, f"{where}, row {number}", columns)
        for number, row in enumerate(block["rows"], start=1)
    )
    table = TableBlock(
        id=block["id"],
        title=block["title"],
        reference=block.get("reference"),
        average=block.get("average", False),
        notes=_strings(block.get("notes", []), f"{where}, notes"),
        columns=columns,
        rows=rows,
    )
    _check_distinct(table.column_ids, f"{where}, ids of columns")
    _check_distinct(table.column_labels, f"{where}, labels of columns")
    _check_distinct([row.id for row in rows], f"{where}, ids of rows")
    return table
