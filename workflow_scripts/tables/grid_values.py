"""The hyper-parameter grid of the paper (Table 21) and what our searches found for its values."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json
from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning.recipes import parse_recipe

# keys of a recipe that the paper's grid is made of, in its order
HYPER_PARAMETERS = {
    "learning_rate": "Learning rate",
    "batch_size": "Batch size",
    "epochs": "Epochs",
    "temperature": "Temperature",
}
LEVELS = ("word", "phrase", "sentence")


@dataclass(frozen=True)
class PaperAxis:
    """The paper's search space of a hyper-parameter and the value chosen for each level."""

    values: tuple[float, ...]
    chosen: dict[str, float]

    def levels(self, value: float) -> list[str]:
        """Return the levels for which a value was chosen."""
        return [level for level, chosen in self.chosen.items() if chosen == value]


@dataclass(frozen=True)
class Search:
    """A search of ours: its report (json), and (values of the hyper-parameters, score) by cell.

    The score is the mean over seeds on the development set, None for a cell that has none.
    """

    report: dict[str, Any]
    cells: tuple[tuple[dict[str, float], float | None], ...]

    def best_by_value(self, name: str) -> dict[float, float]:
        """Return the best score among the cells that hold each value of a hyper-parameter."""
        best: dict[float, float] = {}
        for values, score in self.cells:
            if score is not None:
                value = values[name]
                best[value] = max(score, best.get(value, -math.inf))
        return best

    def values(self, name: str) -> list[float]:
        """Return the values of a hyper-parameter that were tried, rising."""
        return sorted({values[name] for values, _ in self.cells})


def paper_axes(published: Mapping[tuple[str, str], Decimal], path: Path) -> dict[str, PaperAxis]:
    """Return the paper's axes from published values: columns value1, value2, ... and chosen-LEVEL.

    Raises `UserError` if a hyper-parameter is missing.
    """
    axes = {}
    for name in HYPER_PARAMETERS:
        columns = {column: float(v) for (row, column), v in published.items() if row == name}
        numbered = [column for column in columns if re.fullmatch(r"value\d+", column)]
        if not numbered:
            raise UserError(f"{path}: no row `{name}` with a column value1; add the paper's values")
        values = sorted(numbered, key=lambda column: int(column.removeprefix("value")))
        chosen = {level: columns.get(f"chosen-{level}") for level in LEVELS}
        axes[name] = PaperAxis(
            values=tuple(columns[column] for column in values),
            chosen={level: value for level, value in chosen.items() if value is not None},
        )
    return axes


def read_search(table: Path, report: Path) -> Search:
    """Return a search from what rule `choose_settings` wrote: all cells (tsv) and report (json).

    A hyper-parameter that the search did not vary has the value of its recipe. Raises `UserError`
    with file and line for files that are not of this form.
    """
    content = read_json(report)
    try:
        search = content["search"]
        axes = [axis for axis, _ in search["axes"]]
        recipe = change_recipe(search["recipe"], search["set"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{report}: not the report of a search; run the search again") from error
    cells = []
    for line, row in read_headed_rows(table, ["rank", *axes, "mean"]):
        place = f"{table}:{line}"
        try:
            settings = {axis: json.loads(row[axis]) for axis in axes}
            score = float(row["mean"]) if row["rank"] else None
        except ValueError as error:
            raise UserError(f"{place}: malformed cell ({error}); run the search again") from error
        choices = parse_recipe(search["recipe_name"], change_recipe(recipe, settings)).mirror
        if choices is None:
            raise UserError(f"{report}: recipe `{search['recipe_name']}` is of no method to search")
        cells.append(({name: float(getattr(choices, name)) for name in HYPER_PARAMETERS}, score))
    if not cells:
        raise UserError(f"{table}: no cell in it; run the search again")
    return Search(content, tuple(cells))


def format_setting(value: float) -> str:
    """Return a value of a hyper-parameter as the paper writes it: 2e-5, 200, 0.04."""
    return re.sub(r"e-0*", "e-", f"{value:g}")


def all_values(axis: PaperAxis, searches: Sequence[Search], name: str) -> list[float]:
    """Return the paper's values in its order, then those that only our searches tried, rising."""
    tried = {value for search in searches for value in search.values(name)}
    return [*axis.values, *sorted(tried - set(axis.values))]
