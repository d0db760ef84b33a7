"""Cells ranked by their scores, and what the grid says of each value of each axis."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.tables.cells import mean_and_deviation
from workflow_scripts.tuning_grid.cells import Cell
from workflow_scripts.tuning_grid.slice_scores import CellScore

# Scores come with six decimals; means that agree in as many are tied.
_DECIMALS = 6


@dataclass(frozen=True)
class RankedCell:
    """A cell with its mean and sample deviation over seeds.

    `scores` counts the seeds that have a score. `rank`, from 1, is None where a seed has none, and
    `reason` says why. The deviation of a single seed is None.
    """

    cell: Cell
    mean: float | None
    deviation: float | None
    scores: int
    rank: int | None
    reason: str


@dataclass(frozen=True)
class ValueMean:
    """The mean over all ranked cells with one value of an axis; None without any."""

    axis: str
    value: Any
    mean: float | None
    cells: int


def check_complete(
    cells: Sequence[Cell], seeds: Sequence[int], scores: Sequence[CellScore], place: str
) -> None:
    """Raise `UserError` unless there is one score for each cell and seed, and one untuned."""
    found = sorted((-1 if score.cell is None else score.cell, score.seed) for score in scores)
    if found != sorted([(-1, 0), *((cell.number, seed) for cell in cells for seed in seeds)]):
        raise UserError(
            f"{place}: the slices do not hold each cell and seed of the grid once; "
            "delete them and run the workflow again"
        )


def rank_cells(
    cells: Sequence[Cell], scores: Sequence[CellScore], epochs: Mapping[int, int]
) -> list[RankedCell]:
    """Return the cells, best first; those where a seed has no score last, without a rank.

    `epochs` {cell number: epochs} breaks ties: of cells with the same mean the one with fewer
    epochs is ranked first, then the first in the order of the grid.
    """
    by_cell: dict[int, list[CellScore]] = {cell.number: [] for cell in cells}
    for score in scores:
        if score.cell is not None:
            by_cell[score.cell].append(score)
    measured = [_measure(cell, by_cell[cell.number]) for cell in cells]
    whole = [one for one in measured if not one.reason]
    whole.sort(key=lambda one: (-_rounded(one), epochs[one.cell.number], one.cell.number))
    ranked = [
        RankedCell(one.cell, one.mean, one.deviation, one.scores, rank, "")
        for rank, one in enumerate(whole, start=1)
    ]
    return [*ranked, *(one for one in measured if one.reason)]


def _measure(cell: Cell, scores: Sequence[CellScore]) -> RankedCell:
    values = [score.value for score in scores if score.value is not None]
    mean, deviation = mean_and_deviation(values) if values else (None, None)
    reasons = [f"seed {score.seed}: {score.reason}" for score in scores if score.value is None]
    return RankedCell(cell, mean, deviation, len(values), None, "; ".join(reasons))


def _rounded(cell: RankedCell) -> float:
    assert cell.mean is not None
    return round(cell.mean, _DECIMALS)


def marginal_means(
    axes: Mapping[str, Sequence[Any]], ranked: Sequence[RankedCell]
) -> list[ValueMean]:
    """Return the mean over the ranked cells of each value of each axis, in order of the axes."""
    means = []
    for axis, values in axes.items():
        for value in values:
            found = [
                cell.mean
                for cell in ranked
                if cell.rank is not None
                and cell.mean is not None
                and cell.cell.settings[axis] == value
            ]
            means.append(
                ValueMean(axis, value, statistics.fmean(found) if found else None, len(found))
            )
    return means
