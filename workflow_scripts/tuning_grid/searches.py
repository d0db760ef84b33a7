"""A search of config's `tuning_grid` block, checked against models, recipes, corpora and suites."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workflow_scripts.dag.cells import DEFAULT_METRIC
from workflow_scripts.dag.plan import Plan
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning.recipes import parse_recipe
from workflow_scripts.tuning_grid.cells import Cell, grid_cells


@dataclass(frozen=True)
class Search:
    """What is tuned on what, and scored on which development set by which metric.

    `recipe` is the block of the recipe with the keys of `fixed` (config key `set`) set, `axes` in
    the order of the config.
    """

    name: str
    model: str
    recipe_name: str
    recipe: dict[str, Any]
    corpus: str
    suite: str
    dataset: str
    task: str
    seeds: list[int]
    fixed: dict[str, Any]
    axes: dict[str, list[Any]]
    cells: list[Cell]

    @property
    def metric(self) -> str:
        """The metric that tables show for the task by default."""
        return DEFAULT_METRIC[self.task]

    @property
    def links(self) -> bool:
        """Whether the development set is one of entity linking."""
        return self.task == "entity-linking"


def read_search(plan: Plan, name: str) -> Search:
    """Return a search of the config of `plan`, checked.

    Raises `UserError` that names the key for an unknown search, model, recipe, corpus, suite or
    data set (with the nearest known name), a cell that is no valid recipe, a data set that the
    suite lacks or whose task is neither similarity nor entity linking, and a missing file.
    """
    grid = plan.config.get("tuning_grid", {"searches": {}})
    where = f"tuning_grid.searches.{name}"
    if name not in grid["searches"]:
        raise UserError(
            f"config: `{where}`: no such search; {nearest_name(name, grid['searches'])}"
        )
    block = grid["searches"][name]
    for kind, key in (
        ("models", "model"),
        ("recipes", "recipe"),
        ("corpora", "corpus"),
    ):
        plan.known(kind, block[key], f"{where}.{key}")
    plan.check_development_set(block["suite"], block["dataset"], where)
    _check_files(plan, block)
    axes, fixed = block.get("axes", grid["axes"]), block.get("set", {})
    _check_overlap([*axes, *fixed], where)
    task = plan.config["datasets"][block["dataset"]]["task"]
    search = Search(
        name=name,
        model=block["model"],
        recipe_name=block["recipe"],
        recipe=change_recipe(plan.config["recipes"][block["recipe"]], fixed),
        corpus=block["corpus"],
        suite=block["suite"],
        dataset=block["dataset"],
        task=task,
        seeds=block.get("seeds", plan.config["seeds"]),
        fixed=fixed,
        axes=axes,
        cells=grid_cells(axes),
    )
    _check_cells(search, where)
    return search


def _check_files(plan: Plan, block: dict[str, Any]) -> None:
    plan.require_model_files(block["model"])
    plan.require_corpus_files(block["corpus"])
    plan.require_dataset_files(block["dataset"])
    for dataset in plan.suite_datasets(block["suite"]):
        plan.require_dataset_files(dataset)


def _check_overlap(keys: Iterable[str], where: str) -> None:
    """Raise `UserError` if a key is set twice, or a key and the block that holds it."""
    keys = sorted(keys)
    for first, second in itertools.pairwise(keys):
        if second == first or second.startswith(f"{first}."):
            raise UserError(
                f"config: `{where}` sets `{first}` and `{second}` at once (axes and set); "
                "remove one"
            )


def _check_cells(search: Search, where: str) -> None:
    if parse_recipe(search.recipe_name, search.recipe).mirror is None:
        raise UserError(
            f"config: `{where}.recipe` is `{search.recipe_name}`, which does not tune; "
            "name a recipe of method mirror"
        )
    for cell in search.cells:
        try:
            parse_recipe(search.recipe_name, change_recipe(search.recipe, cell.settings))
        except UserError as error:
            raise UserError(f"config: `{where}`: a cell is no valid recipe: {error}") from error
