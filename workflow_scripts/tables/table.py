"""A table of scores: its rows, columns and cells, before and after they are measured."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from workflow_scripts.tables.cells import Cell, Part
from workflow_scripts.tables.numbers import DIGITS

AVERAGE = "avg"
CHANGE = "change"
# the headings of a row's head in the tsv, and what follows a column's label in those of its fields
HEAD_FIELDS = ("row", "label")
FIELDS = ("sd", "low", "high", "published", "difference", "status")


def tsv_headings(label: str) -> tuple[str, ...]:
    """Return the headings that a column with this label has in the tsv."""
    return (label, *(f"{label} {name}" for name in FIELDS))


def details_path(scores: str) -> str:
    """Return the details file that stands next to a file of scores."""
    return scores.removesuffix(".tsv") + ".npz"


def cells_in(block: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the cells that run, wherever they stand in the block of a table or figure."""
    if isinstance(block, Mapping):
        if "parts" in block:
            yield block
        block = block.values()
    elif not isinstance(block, list):
        return
    for inner in block:
        yield from cells_in(inner)


def score_files(block: Mapping[str, Any]) -> list[str]:
    """Return the files of scores that a block names and the details next to them, sorted."""
    parts = [part for cell in cells_in(block) for part in cell["parts"]]
    scores = {path for part in parts for path in part["scores"]}
    return sorted(scores | {details_path(path) for path in scores})


class Column(NamedTuple):
    """A column: the digits after the point that it shows, and which of two values is better.

    Its `statistic` over seeds is "mean", or "deviation": spreads, of which none is the best. With
    `of_model` it shows that property of models and has texts instead of cells.
    """

    id: str
    label: str
    digits: int = DIGITS
    lower_is_better: bool = False
    statistic: str = "mean"
    of_model: str | None = None

    @property
    def shows_means(self) -> bool:
        return self.statistic == "mean"


class Row(NamedTuple):
    """A row: its family, the id of the row that it is compared with, and `texts` by column."""

    id: str
    label: str
    group: str | None = None
    against: str | None = None
    texts: Mapping[str, str] | None = None


def _cell(table: str, row: str, column: str, block: Mapping[str, Any], factor: int) -> Cell:
    """Return a cell that is not measured yet: {"not_run": ...}, or what `plan.cells` returns."""
    if "not_run" in block:
        return Cell(table, row, column, reasons=(block["not_run"],))
    return Cell(
        *(table, row, column),
        tolerance=factor * Decimal(str(block["tolerance"])) if "tolerance" in block else None,
        reasons=tuple(dict.fromkeys(block.get("differences_from_paper", ()))),
        assumptions=tuple(dict.fromkeys(block.get("assumptions", ()))),
        parts=tuple(Part(p["dataset"], p["metric"], tuple(p["scores"])) for p in block["parts"]),
    )


@dataclass(frozen=True)
class Table:
    """A table of scores; differences between rows in `change_of` stand in a column of their own.

    What it shows is the scores times `factor`. `unplaced` are cells of published values without a
    row or a column.
    """

    id: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cells: Mapping[tuple[str, str], Cell]
    average: bool = False
    change_of: str | None = None
    factor: int = 1
    unplaced: tuple[Cell, ...] = ()

    @classmethod
    def of(cls, block: Mapping[str, Any]) -> "Table":
        """Return the table of a block as the plan wrote it; a row has `cells` or `not_run`."""
        columns = tuple(Column(**column) for column in block["columns"])
        factor = 100 if block.get("percent") else 1
        cells, rows = {}, []
        for row in block["rows"]:
            rows.append(Row(*(row.get(key) for key in Row._fields)))
            for column in columns:
                if column.of_model is not None:
                    continue
                cell_block = row["cells"][column.id] if row.get("cells") else row
                cell = _cell(block["id"], row["id"], column.id, cell_block, factor)
                cells[row["id"], column.id] = cell
        extra = {key: block[key] for key in ("average", "change_of") if key in block}
        return cls(block["id"], columns, tuple(rows), cells, factor=factor, **extra)

    @property
    def score_columns(self) -> tuple[Column, ...]:
        """The columns of data sets."""
        return tuple(column for column in self.columns if column.of_model is None)

    @property
    def value_columns(self) -> tuple[Column, ...]:
        """The columns of data sets, and that of their averages, in the format of the first."""
        columns = self.score_columns
        if not self.average:
            return columns
        return (*columns, columns[0]._replace(id=AVERAGE, label=f"{AVERAGE}."))

    @property
    def mean_columns(self) -> tuple[Column, ...]:
        """The columns of which rows are compared: those of means, averages included."""
        return tuple(column for column in self.value_columns if column.shows_means)

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The columns as a page shows them, those of averages and of changes at the end."""
        averages = self.value_columns[len(self.score_columns) :]
        changes = (
            column._replace(id=CHANGE, label=CHANGE)
            for column in self.value_columns
            if column.id == self.change_of
        )
        return (*self.columns, *averages, *changes)

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """Those of them that have cells."""
        return tuple(column for column in self.all_columns if column.of_model is None)

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.id == name)

    def cells_of(self, row: Row) -> list[Cell]:
        """Return the cells of a row that are shown."""
        return [self.cells[row.id, column.id] for column in self.shown_columns]

    @property
    def all_cells(self) -> list[Cell]:
        """The cells by row and column, then the published values without a place."""
        return [*(cell for row in self.rows for cell in self.cells_of(row)), *self.unplaced]
