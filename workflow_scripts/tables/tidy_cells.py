"""Tidy cells: one row for each cell of a table, with how it stands to the published value."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows, write_text
from workflow_scripts.tables.cells import (
    INSIDE,
    NO_PUBLISHED,
    NOT_COMPARABLE,
    NOT_RUN,
    OUTSIDE,
    ShownTable,
)
from workflow_scripts.tables.markdown import one_line

STATUSES = (INSIDE, OUTSIDE, NOT_COMPARABLE, NOT_RUN, NO_PUBLISHED)
# stands between two reasons of a cell
SEPARATOR = " | "
NO_PLACE = "the published value has no row or column in this table"


@dataclass(frozen=True)
class TidyCell:
    """One cell; numbers are None where there is none.

    `mean`, `sd` (sample deviation over seeds), `low` and `high` (95% bootstrap interval over items)
    are own values. `difference` is the mean as shown minus `published`, only where the cell is
    comparable; `status` is one of `STATUSES`. `reason` holds why a cell was not run, or all that
    keeps it from being comparable. `against_difference` is the difference to the row `against`,
    with the interval and two-sided `p_value` of the paired bootstrap.
    """

    table: str
    row: str
    column: str
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    seeds: int
    published: Decimal | None
    difference: Decimal | None
    tolerance: Decimal | None
    status: str
    reason: str
    against: str
    against_difference: Decimal | None
    against_low: float | None
    against_high: float | None
    p_value: float | None

    @property
    def reasons(self) -> list[str]:
        """The reasons apart: those of a cell that ran may be several."""
        return [self.reason] if self.status == NOT_RUN else self.reason.split(SEPARATOR)


HEADER = [column.name for column in fields(TidyCell)]
_FLOATS = ("mean", "sd", "low", "high", "against_low", "against_high", "p_value")
_DECIMALS = ("published", "difference", "tolerance", "against_difference")


def tidy_cells(table: ShownTable) -> list[TidyCell]:
    """Return the cells of a table by row and column, then the published values without a place."""
    found = []
    for row in table.block.rows:
        for column in table.block.shown_columns:
            cell = table.cells[row.id, column.id]
            low, high = cell.interval or (None, None)
            against = cell.against
            against_low, against_high = (against and against.interval) or (None, None)
            found.append(
                TidyCell(
                    table=table.block.id,
                    row=row.id,
                    column=column.id,
                    mean=cell.mean,
                    sd=cell.deviation,
                    low=low,
                    high=high,
                    seeds=cell.seeds,
                    published=cell.published,
                    difference=cell.difference,
                    tolerance=cell.tolerance,
                    status=cell.status,
                    reason=cell.not_run or SEPARATOR.join(cell.departures),
                    against=against.row if against else "",
                    against_difference=against.difference if against else None,
                    against_low=against_low,
                    against_high=against_high,
                    p_value=against.p_value if against else None,
                )
            )
    for (row_id, column_id), value in table.unplaced.items():
        found.append(published_alone(table.block.id, row_id, column_id, value, NO_PLACE))
    return found


def published_alone(table: str, row: str, column: str, value: Decimal, reason: str) -> TidyCell:
    """Return the cell of a published value beside which nothing was run, and why."""
    nothing = dict.fromkeys([*_FLOATS, *_DECIMALS])
    known = {"table": table, "row": row, "column": column, "seeds": 0, "against": ""}
    return TidyCell(**(nothing | known | {"published": value, "status": NOT_RUN, "reason": reason}))


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        # an isotropy score may be far below 0.000001
        return f"{value:.6g}" if 0 < abs(value) < 0.001 else f"{value:.6f}"
    return one_line(str(value))


def write_cells(path: str | Path, cells: Iterable[TidyCell]) -> None:
    """Write cells as tab-separated rows under a header; a number that there is none of is empty."""
    lines = ["\t".join(HEADER)]
    lines += ["\t".join(_field(getattr(cell, name)) for name in HEADER) for cell in cells]
    write_text(path, "\n".join(lines) + "\n")


def read_cells(path: str | Path) -> list[TidyCell]:
    """Return the cells of a file of `write_cells`.

    Raises `UserError` with file and line for another header and a malformed row.
    """
    rows = read_rows(path, len(HEADER), f"a row of {' '.join(HEADER)}")
    if next(rows, (1, []))[1] != HEADER:
        raise UserError(f"{path}:1: expected the header {' '.join(HEADER)}; make the table again")
    return [_cell(found, f"{path}:{number}") for number, found in rows]


def _cell(row: list[str], place: str) -> TidyCell:
    values: dict[str, object] = dict(zip(HEADER, row, strict=False))
    try:
        for names, kind in ((_FLOATS, float), (_DECIMALS, Decimal)):
            for name in names:
                values[name] = kind(values[name]) if values[name] else None
        values["seeds"] = int(values["seeds"])
    except (ValueError, InvalidOperation) as error:
        raise UserError(f"{place}: malformed cell; make the table again") from error
    if len(row) != len(HEADER) or values["status"] not in STATUSES:
        raise UserError(f"{place}: malformed cell; make the table again")
    return TidyCell(**values)
