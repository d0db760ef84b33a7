"""The cells of a grid: every combination of the values of its axes; their recipes and scores."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_scripts.tuning.recipe import TuningRecipe, change_recipe, tuning_recipe_of


@dataclass(frozen=True)
class Cell:
    """A point of a grid: `number` is its place in the grid, from 0; `settings` {axis: value}."""

    number: int
    settings: dict[str, Any]


@dataclass(frozen=True)
class CellScore:
    """The score, a fraction, of a cell with one seed; `cell` is None for the untuned model.

    Where `value` is None `reason` says why, and there are neither losses nor steps.
    """

    cell: int | None
    seed: int
    value: float | None
    first_loss: float | None = None
    last_loss: float | None = None
    steps: int = 0
    reason: str = ""


def grid_cells(axes: Mapping[str, Sequence[Any]]) -> list[Cell]:
    """Return the cells in the order of the axes and their values, the last axis fastest."""
    cells = enumerate(itertools.product(*axes.values()))
    return [Cell(number, dict(zip(axes, values, strict=True))) for number, values in cells]


def cell_recipe(name: str, block: Mapping[str, Any], settings: Mapping[str, Any]) -> TuningRecipe:
    return tuning_recipe_of(name, change_recipe(block, settings))
