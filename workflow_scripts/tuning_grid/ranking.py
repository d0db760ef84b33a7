"""Cells ranked by their scores, and what the grid says of each value of each axis."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workflow_scripts.tables.cells import mean_and_deviation
from workflow_scripts.tuning_grid.cells import Cell, CellScore

# Scores come with six decimals; means that agree in as many are tied.
_DECIMALS = 6


@dataclass(frozen=True)
class RankedCell(Cell):
    """A cell with mean and sample deviation over the `scores` seeds that have a score.

    `rank`, from 1, is None where a seed has none, and `reason` says why.
    """

    mean: float | None
    deviation: float | None
    scores: int
    rank: int | None
    reason: str


def rank_cells(
    cells: Sequence[Cell], scores: Sequence[CellScore], epochs: Mapping[int, int]
) -> list[RankedCell]:
    """Return the cells, best first; those where a seed has no score last, without a rank.

    Of equal means the one with fewer `epochs` stands first, then the first in the grid.
    """
    measured = []
    for cell in cells:
        own = [score for score in scores if score.cell == cell.number]
        values = [score.value for score in own if score.value is not None]
        mean, deviation = mean_and_deviation(values) if values else (None, None)
        reasons = [f"seed {score.seed}: {score.reason}" for score in own if score.value is None]
        results = (mean, deviation, len(values), None, "; ".join(reasons))
        measured.append(RankedCell(cell.number, cell.settings, *results))

    def order(cell: RankedCell) -> tuple[float, int, int]:
        assert cell.mean is not None
        return -round(cell.mean, _DECIMALS), epochs[cell.number], cell.number

    whole = sorted((cell for cell in measured if not cell.reason), key=order)
    ranked = [replace(cell, rank=rank) for rank, cell in enumerate(whole, start=1)]
    return [*ranked, *(cell for cell in measured if cell.reason)]


def marginal_means(
    axes: Mapping[str, Sequence[Any]], ranked: Sequence[RankedCell]
) -> list[tuple[str, Any, float | None, int]]:
    """Return (axis, value, mean over the ranked cells that have it, their number) of all values."""
    rows = []
    for axis, values in axes.items():
        for value in values:
            having = [cell for cell in ranked if cell.rank and cell.settings[axis] == value]
            means = [cell.mean for cell in having if cell.mean is not None]
            rows.append((axis, value, statistics.fmean(means) if means else None, len(means)))
    return rows
