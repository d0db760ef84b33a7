"""A table of scores as its step is told of it: rows, columns, and the score files of each cell."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

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
    """Return the details file that stands beside a file of scores."""
    return scores.removesuffix(".tsv") + ".npz"


def score_files(cells: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the files of scores that cells of a block name and the details beside, sorted."""
    parts = [part for cell in cells for part in cell.get("parts", [])]
    scores = {path for part in parts for path in part["scores"]}
    return sorted(scores | {details_path(path) for path in scores})


class Column(NamedTuple):
    """A column: the digits after the point that it shows, and which of two values is better.

    Its `statistic` over seeds is "mean", or "deviation": spreads, of which none is the best.
    """

    id: str
    label: str
    digits: int = DIGITS
    lower_is_better: bool = False
    statistic: str = "mean"

    @property
    def shows_means(self) -> bool:
        return self.statistic == "mean"


class Part(NamedTuple):
    """One metric of one data set, with a file of scores for each seed."""

    dataset: str
    metric: str
    scores: tuple[str, ...]


class Cell(NamedTuple):
    """What fills a cell: the mean of its parts, or the reason why there is none.

    It is compared with the published value only without `differences_from_paper`. `tolerance` is
    the largest difference to that value, in either direction, that counts as agreement.
    """

    parts: tuple[Part, ...] = ()
    differences_from_paper: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    tolerance: Decimal | None = None
    not_run: str | None = None

    @classmethod
    def of(cls, block: Mapping[str, Any], factor: int = 1) -> "Cell":
        """Return the cell of a block: {"not_run"}, or what `plan.cells` returns for it."""
        parts = (Part(p["dataset"], p["metric"], p["scores"]) for p in block.get("parts", ()))
        tolerance = None if "tolerance" not in block else factor * Decimal(str(block["tolerance"]))
        return cls(
            tuple(parts),
            differences_from_paper=tuple(block.get("differences_from_paper", ())),
            assumptions=tuple(block.get("assumptions", ())),
            tolerance=tolerance,
            not_run=block.get("not_run"),
        )


class Row(NamedTuple):
    """A row: its family, the id of the row that it is compared with, and `cells` by column id."""

    id: str
    label: str
    group: str | None
    against: str | None
    cells: dict[str, Cell]


class Table(NamedTuple):
    """A table of scores; differences between rows in `change_of` stand in a column of their own.

    What it shows is the scores times `factor`.
    """

    id: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    average: bool = False
    change_of: str | None = None
    factor: int = 1

    @classmethod
    def of(cls, block: Mapping[str, Any]) -> "Table":
        """Return the table of a block as the plan wrote it; a row has `cells` or `not_run`."""
        columns = tuple(Column(**column) for column in block["columns"])
        factor = 100 if block.get("percent") else 1
        rows = []
        for row in block["rows"]:
            cells = row.get("cells") or {column.id: row for column in columns}
            cells_of_row = {column.id: Cell.of(cells[column.id], factor) for column in columns}
            rows.append(
                Row(row["id"], row["label"], row.get("group"), row.get("against"), cells_of_row)
            )
        extra = {key: block[key] for key in ("average", "change_of") if key in block}
        return cls(block["id"], columns, tuple(rows), factor=factor, **extra)

    @property
    def value_columns(self) -> tuple[Column, ...]:
        """The columns with that of means, which are shown as the columns that they are over."""
        if not self.average:
            return self.columns
        return (*self.columns, self.columns[0]._replace(id=AVERAGE, label=f"{AVERAGE}."))

    @property
    def mean_columns(self) -> tuple[Column, ...]:
        """The columns of which rows are compared: those of means, averages included."""
        return tuple(column for column in self.value_columns if column.shows_means)

    @property
    def shown_columns(self) -> tuple[Column, ...]:
        """The columns as shown, with those of means and of changes at the end."""
        columns = self.value_columns
        changes = [column for column in columns if column.id == self.change_of]
        return (*columns, *(column._replace(id=CHANGE, label=CHANGE) for column in changes))

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.id == name)
