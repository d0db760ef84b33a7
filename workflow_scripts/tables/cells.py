"""Cells of tables and figures: what was measured, how it compares, and their file, one to a row."""

import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import write_text
from workflow_scripts.scoring.tidy_scores import Score, field_text

# how a cell stands to the published value
INSIDE, OUTSIDE, NOT_COMPARABLE = "inside", "outside", "not-comparable"
NOT_RUN, NO_PUBLISHED = "not-run", "no-published"
# the level below which the difference of two rows is marked
SIGNIFICANT = 0.05
# stands between two reasons of a cell in its file
SEPARATOR = " | "


class Part(NamedTuple):
    """One metric of one data set, with a file of scores for each seed."""

    dataset: str
    metric: str
    scores: tuple[str, ...]


@dataclass(frozen=True)
class Cell:
    """One value of a table or figure, or why there is none, and the published value.

    `sd` is the sample deviation over `seeds`, None for one, `low` and `high` the 95% bootstrap
    interval, None without replicates; `n` is the number of items, of all its data sets together.
    `difference` is the mean as shown minus the published value,
    at most `tolerance` where both agree; only a cell without `reasons` has one, under its
    `assumptions`. `reasons` say what keeps it from being comparable or, where there is no mean, why
    not. `against_...` are of the difference to the row `against`, of means as shown, by paired
    bootstrap. `rank` is 1 for the best of a column, then 2.

    The rest is not in the file of cells: the mean over `parts` by seed (`values`), and the `scores`
    that it is made of, one for each data set and seed.
    """

    table: str
    row: str
    column: str
    mean: float | None = None
    sd: float | None = None
    low: float | None = None
    high: float | None = None
    seeds: int = 0
    published: Decimal | None = None
    difference: Decimal | None = None
    tolerance: Decimal | None = None
    reasons: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    against: str = ""
    against_difference: Decimal | None = None
    against_low: float | None = None
    against_high: float | None = None
    p_value: float | None = None
    n: int | None = None
    rank: int | None = None
    parts: tuple[Part, ...] = ()
    values: Mapping[int, float] = field(default_factory=dict)
    scores: tuple[Score, ...] = ()

    @property
    def status(self) -> str:
        """How the cell stands to the published value: one of the constants above."""
        if self.mean is None:
            return NOT_RUN
        if self.published is None:
            return NO_PUBLISHED
        if self.difference is None:
            return NOT_COMPARABLE
        assert self.tolerance is not None
        return INSIDE if abs(self.difference) <= self.tolerance else OUTSIDE

    @property
    def is_compared(self) -> bool:
        return self.status in (INSIDE, OUTSIDE)

    @property
    def is_significant(self) -> bool:
        """Whether the difference to the row `against` is significant."""
        return self.p_value is not None and self.p_value < SIGNIFICANT

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def against_interval(self) -> tuple[float, float] | None:
        low, high = self.against_low, self.against_high
        return None if low is None or high is None else (low, high)


def mean_and_deviation(values: Iterable[float]) -> tuple[float, float | None]:
    """Return the mean and the sample standard deviation (n - 1); None for a single value."""
    values = list(values)
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return statistics.fmean(values), deviation


# the columns of the file: fields of a cell, and what reads them
_COLUMNS: dict[str, Any] = {
    **dict.fromkeys(("table", "row", "column"), str),
    **dict.fromkeys(("mean", "sd", "low", "high"), float),
    "seeds": int,
    **dict.fromkeys(("published", "difference", "tolerance"), Decimal),
    **{"status": str, "reason": str, "assumed": str, "against": str},
    "against_difference": Decimal,
    **dict.fromkeys(("against_low", "against_high", "p_value"), float),
    "n": int,
}
HEADER = tuple(_COLUMNS)


def write_cells(path: str | Path, cells: Iterable[Cell]) -> None:
    """Write cells as tab-separated rows under a header; a number that there is none of is empty."""
    rows: list[Iterable[Any]] = [HEADER]
    for cell in cells:
        joined = (SEPARATOR.join(texts) for texts in (cell.reasons, cell.assumptions))
        texts = dict(zip(("reason", "assumed"), joined, strict=True))
        rows.append([texts[name] if name in texts else getattr(cell, name) for name in HEADER])
    write_text(path, "".join("\t".join(map(field_text, row)) + "\n" for row in rows))


def read_cells(path: str | Path) -> list[Cell]:
    """Return the cells of a file of `write_cells`, as far as it has them."""
    with damaged_file_error(path):
        _, *rows = read_rows(path, Layout(what="a cell", width=len(HEADER)))
        return [_read(row) for _, row in rows]


def _read(row: list[str]) -> Cell:
    columns = zip(_COLUMNS.items(), row, strict=True)
    values: dict[str, Any] = {
        name: read(text) if text or read is str else None for (name, read), text in columns
    }
    status, reason, assumed = (values.pop(name) for name in ("status", "reason", "assumed"))
    # of a cell that was not run there is one
    reasons = [reason] if status == NOT_RUN else reason.split(SEPARATOR)
    return Cell(
        **values,
        reasons=tuple(reasons) if reason else (),
        assumptions=tuple(assumed.split(SEPARATOR)) if assumed else (),
    )
