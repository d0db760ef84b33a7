"""Tidy cells: one row for each cell of a table, with how it stands to the published value."""

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import write_text
from workflow_scripts.scoring.tidy_scores import field_text
from workflow_scripts.tables.cells import NOT_RUN, ShownTable

# stands between two reasons of a cell
SEPARATOR = " | "
NO_PLACE = "the published value has no row or column in this table"


class TidyCell(NamedTuple):
    """One cell as `ShownCell` has it; numbers are None where there is none.

    `sd` is the sample deviation over seeds, `low` and `high` the 95% bootstrap interval. `reason`
    says why a cell was not run, or all that keeps it from being comparable; `assumed` what the
    paper leaves open. `against_...` are of the difference to the row `against`.
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
    assumed: str
    against: str
    against_difference: Decimal | None
    against_low: float | None
    against_high: float | None
    p_value: float | None

    @property
    def reasons(self) -> list[str]:
        """The reasons apart: those of a cell that ran may be several."""
        return [self.reason] if self.status == NOT_RUN else self.reason.split(SEPARATOR)

    @property
    def assumptions(self) -> list[str]:
        return self.assumed.split(SEPARATOR) if self.assumed else []


HEADER = TidyCell._fields
_FLOATS = ("mean", "sd", "low", "high", "against_low", "against_high", "p_value")
_DECIMALS = ("published", "difference", "tolerance", "against_difference")


def tidy_cells(table: ShownTable) -> list[TidyCell]:
    """Return the cells of a table by row and column, then the published values without a place."""
    tidy = []
    for row in table.block.rows:
        for column in table.block.shown_columns:
            cell = table.cells[row.id, column.id]
            reasons = SEPARATOR.join(cell.differences_from_paper)
            against = cell.against
            tidy.append(
                TidyCell(
                    table=table.block.id,
                    row=row.id,
                    column=column.id,
                    mean=cell.mean,
                    sd=cell.deviation,
                    low=cell.interval[0] if cell.interval else None,
                    high=cell.interval[1] if cell.interval else None,
                    seeds=cell.seeds,
                    published=cell.published,
                    difference=cell.difference,
                    tolerance=cell.tolerance,
                    status=cell.status,
                    reason=cell.not_run or reasons,
                    assumed=SEPARATOR.join(cell.assumptions),
                    against="" if against is None else against.row,
                    against_difference=None if against is None else against.difference,
                    against_low=against.interval[0] if against and against.interval else None,
                    against_high=against.interval[1] if against and against.interval else None,
                    p_value=None if against is None else against.p_value,
                )
            )
    nothing = dict.fromkeys(HEADER)
    for (row_id, column_id), value in table.unplaced.items():
        named = {"table": table.block.id, "row": row_id, "column": column_id, "seeds": 0}
        why = {"published": value, "status": NOT_RUN, "reason": NO_PLACE}
        known: dict[str, Any] = {**nothing, **named, **why, "assumed": "", "against": ""}
        tidy.append(TidyCell(**known))
    return tidy


def write_cells(path: str | Path, cells: Iterable[TidyCell]) -> None:
    """Write cells as tab-separated rows under a header; a number that there is none of is empty."""
    lines = ("\t".join(map(field_text, row)) + "\n" for row in (HEADER, *cells))
    write_text(path, "".join(lines))


def read_cells(path: str | Path) -> list[TidyCell]:
    """Return the cells of a file of `write_cells`."""
    with damaged_file_error(path):
        _, *rows = read_rows(path, Layout(what="a cell", width=len(HEADER)))
        return [_read(row) for _, row in rows]


def _read(row: list[str]) -> TidyCell:
    values: dict[str, Any] = dict(zip(HEADER, row, strict=True))
    for names, kind in ((_FLOATS, float), (_DECIMALS, Decimal)):
        values |= {name: kind(values[name]) if values[name] else None for name in names}
    return TidyCell(**(values | {"seeds": int(values["seeds"])}))
