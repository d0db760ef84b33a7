"""The cells of a grid: every combination of the values of its axes. Standard library only."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cell:
    """A point of a grid: `number` is its place in the grid, from 0; `settings` {axis: value}."""

    number: int
    settings: dict[str, Any]


def grid_cells(axes: Mapping[str, Sequence[Any]]) -> list[Cell]:
    """Return the cells of a grid in its order: that of the axes and values, the last axis fastest.

    The axes of the paper's Table 21 make 252.
    """
    return [
        Cell(number, dict(zip(axes, values, strict=True)))
        for number, values in enumerate(itertools.product(*axes.values()))
    ]


def slice_cells(cells: Sequence[Cell], size: int) -> list[list[Cell]]:
    """Return the cells in slices of `size`, in order; the last may be shorter."""
    return [list(cells[start : start + size]) for start in range(0, len(cells), size)]
