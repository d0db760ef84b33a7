"""The hyper-parameter grid of the paper (Table 21) and what our searches found for its values."""

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json
from workflow_scripts.tuning.recipe import change_recipe, tuning_recipe_of

# keys of a recipe that the paper's grid is made of, in its order
HYPER_PARAMETERS = {
    "learning_rate": "Learning rate",
    "batch_size": "Batch size",
    "epochs": "Epochs",
    "temperature": "Temperature",
}
LEVELS = ("word", "phrase", "sentence")


class PaperAxis(NamedTuple):
    """The paper's search space of a hyper-parameter and the value chosen for each level."""

    values: tuple[float, ...]
    chosen: dict[str, float]


class Search(NamedTuple):
    """A search of ours: its report; values of the hyper-parameters and mean score of each cell."""

    report: dict[str, Any]
    cells: tuple[tuple[dict[str, float], float | None], ...]

    def best_by_value(self, name: str) -> dict[float, float]:
        """Return the best score among the cells that hold each value of a hyper-parameter."""
        best: dict[float, float] = {}
        for values, score in self.cells:
            if score is not None:
                best[values[name]] = max(score, best.get(values[name], -math.inf))
        return best


def paper_axes(published: Mapping[tuple[str, str], Decimal], path: str) -> dict[str, PaperAxis]:
    """Return the paper's axes from columns value1, value2, ... and chosen-LEVEL; or `UserError`."""
    axes = {}
    for name in HYPER_PARAMETERS:
        columns = {column: float(v) for (row, column), v in published.items() if row == name}
        numbered = [column for column in columns if re.fullmatch(r"value\d+", column)]
        if not numbered:
            raise UserError(path, f"no row `{name}` with a column value1", "add the paper's values")
        values = sorted(numbered, key=lambda column: int(column.removeprefix("value")))
        named = {level: f"chosen-{level}" for level in LEVELS}
        chosen = {level: columns[name] for level, name in named.items() if name in columns}
        axes[name] = PaperAxis(tuple(columns[column] for column in values), chosen)
    return axes


def read_search(table: str, report: str) -> Search:
    """Return a search from what `choose_settings` wrote; what it did not vary is the recipe's."""
    content, cells = read_json(report), []
    with damaged_file_error(f"{report} or {table}"):
        search = content["search"]
        axes = [axis for axis, _ in search["axes"]]
        recipe = change_recipe(search["recipe"], search["set"])
        for _, (rank, *row, mean) in read_rows(table, Layout(["rank", *axes, "mean"])):
            settings = {axis: json.loads(text) for axis, text in zip(axes, row, strict=True)}
            choices = tuning_recipe_of(search["recipe_name"], change_recipe(recipe, settings))
            values = {name: float(getattr(choices, name)) for name in HYPER_PARAMETERS}
            cells.append((values, float(mean) if rank else None))
    return Search(content, tuple(cells))


def format_setting(value: float) -> str:
    """Return a value of a hyper-parameter as the paper writes it: 2e-5, 200, 0.04."""
    return re.sub(r"e-0*", "e-", f"{value:g}")
