"""What the rules of the tuning grid get of the config: files, and blocks as canonical JSON."""

import itertools
from typing import Any, NamedTuple

from workflow_scripts.canonical import canonical
from workflow_scripts.errors import ConfigError, UserError, nearest_name
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.checks import check_development
from workflow_scripts.plan.data_notes import data_note
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.rule_inputs import RuleInputs
from workflow_scripts.plan.stopping import mistakes_end_the_run
from workflow_scripts.scoring.metric_names import primary_modules
from workflow_scripts.scoring.tasks import register
from workflow_scripts.tuning.recipe import change_recipe, method_module
from workflow_scripts.tuning_grid.cells import Cell, cell_recipe, grid_cells
from workflow_scripts.tuning_grid.config import SearchBlock, TuningGrid


class Search(NamedTuple):
    """A search that was checked: `block` is what the config says of it.

    `recipe` is the block of its recipe with the keys of `set` set, `axes` are in the order of the
    config, and `own_cell` is the number of the cell with the recipe's own values, None without.
    """

    block: SearchBlock
    recipe: dict[str, Any]
    task: str
    seeds: list[int]
    axes: dict[str, list[Any]]
    cells: list[Cell]
    own_cell: int | None


def read_search(cells: Cells, grid: TuningGrid, name: str) -> Search:
    """Return a search of the config, checked.

    Raises `UserError` that names the key for an unknown search, model, recipe, corpus or data set
    (with the nearest known name), a cell that is not a valid recipe, a data set of a task that
    settings cannot be chosen by, and a missing file.
    """
    typed, where = cells.typed, f"tuning_grid.searches.{name}"
    if name not in grid.searches:
        raise UserError(f"config: `{where}`", "no such search", nearest_name(name, grid.searches))
    block = grid.searches[name]
    model = typed.model_id(block.model, f"{where}.model")
    for kind, key in (("recipes", "recipe"), ("corpora", "corpus")):
        typed.named(kind, getattr(block, key), f"{where}.{key}")
    check_development(typed, block.dataset, where)
    cells.models.require_files(model)
    cells.availability.require_corpus(block.corpus)
    cells.availability.require_dataset(block.dataset)
    if more := typed.recipes[block.recipe].corpora():
        raise ConfigError(
            "config",
            f"{where}.recipe",
            f"is `{block.recipe}`, whose `{next(iter(more))}` is a corpus of its own",
            "the grid tunes on one corpus: name a recipe without one",
        )
    axes = grid.axes if block.axes is None else block.axes
    # the same key, or a key and the block that holds it
    for first, second in itertools.pairwise(sorted([*axes, *block.set])):
        if second == first or second.startswith(f"{first}."):
            raise ConfigError(
                "config",
                where,
                f"sets `{first}` and `{second}` at once (axes and set)",
                "remove one",
            )
    recipe = change_recipe(typed.blocks["recipes"][block.recipe], block.set)
    grid_of_cells = grid_cells(axes)
    try:
        own = cell_recipe(block.recipe, recipe, {})
        recipes = [cell_recipe(block.recipe, recipe, cell.settings) for cell in grid_of_cells]
    except UserError as error:
        raise error.within(f"config: `{where}`: a cell is no valid recipe") from error
    return Search(
        block,
        recipe,
        task=typed.datasets[block.dataset].task,
        seeds=block.seeds or typed.config.seeds,
        axes=axes,
        cells=grid_of_cells,
        own_cell=recipes.index(own) if own in recipes else None,
    )


class TuningGridPlan:
    """The `tuning_grid` block of config; nothing is checked before a rule asks for it.

    Where the config has a mistake all methods print one line and end the run, as `make_plan` does.
    """

    def __init__(self, cells: Cells, rule_inputs: RuleInputs) -> None:
        self._cells, self._typed, self._rule_inputs = cells, cells.typed, rule_inputs
        self._folder = f"{cells.typed.config.results}/tuning_grid"
        self._searches: dict[str, Search] = {}

    @property
    @mistakes_end_the_run()
    def _grid(self) -> TuningGrid:
        grid = self._typed.grid
        if grid is None or not grid.searches:
            remedy = "add one (docs/howto/choose-settings.md)"
            raise ConfigError("config", "tuning_grid.searches", "is empty", remedy)
        return grid

    @mistakes_end_the_run()
    def search(self, name: str) -> Search:
        """Return a search, checked once."""
        if name not in self._searches:
            self._searches[name] = read_search(self._cells, self._grid, name)
        return self._searches[name]

    def reports(self) -> list[str]:
        """Return the files of the target: the report of each search."""
        for name in self._grid.searches:
            self.search(name)  # checked
        return [f"{self._folder}/{name}.md" for name in self._grid.searches]

    def slices(self, name: str) -> list[str]:
        """Return the files of the slices of a search, in order."""
        starts = range(0, len(self.search(name).cells), self._grid.cells_per_job)
        return [f"{self._folder}/{name}/slice{number}.json" for number in range(len(starts))]

    @mistakes_end_the_run()
    def slice_block(self, name: str, number: str) -> str:
        """Return the canonical block of a slice: all that its scores depend on but the files."""
        search, size = self.search(name), self._grid.cells_per_job
        cells = search.cells[int(number) * size :][:size]
        if not cells:
            last = len(self.slices(name)) - 1
            problem = f"its last slice is {last}"
            where = f"slice {number} of search `{name}`"
            raise UserError(where, problem, "ask for one up to that")
        linked = register.needs(search.task, "links")
        similarity = self._typed.config.retrieval.linking.similarity
        return canonical(
            {
                "recipe_name": search.block.recipe,
                "recipe": search.recipe,
                "dataset": search.block.dataset,
                "seeds": search.seeds,
                "first_cell": cells[0].number,
                # canonical JSON sorts keys, and the axes have an order
                "axes": list(search.axes),
                "cells": [list(cell.settings.values()) for cell in cells],
                "linking_similarity": similarity if linked else None,
            }
        )

    def search_block(self, name: str) -> str:
        """Return the canonical block of a search: what its report says."""
        search = self.search(name)
        block = search.block
        encoder = Encoder(self.model(name), block.recipe, block.corpus, 0)
        return canonical(
            {
                **search.block.model_dump(),
                "name": name,
                "recipe_name": search.block.recipe,
                "recipe": search.recipe,
                "metric": register.task(search.task).PRIMARY,
                "data": data_note(self._cells, [encoder], [block.dataset]),
                "seeds": search.seeds,
                "axes": [[axis, values] for axis, values in search.axes.items()],
                "own_cell": search.own_cell,
            }
        )

    # ---- inputs of the rules --------------------------------------------------------------------

    def modules(self, name: str) -> list[str]:
        """Return the modules that a search loads by name."""
        search = self.search(name)
        method = self._typed.recipes[search.block.recipe].method
        return [*primary_modules(search.task), method_module(method)]

    def model(self, name: str) -> str:
        """Return the id of a search's model."""
        model = self.search(name).block.model
        return self._typed.models[model].same_as or model

    def corpus_file(self, name: str) -> str:
        """Return the file of strings that a search tunes on."""
        return self._rule_inputs.corpus_file(self.search(name).block.corpus)

    def dataset_file(self, name: str, file: str) -> str:
        """Return a file (`strings.txt` or `items.json`) of a search's development set."""
        return self._rule_inputs.dataset_file(self.search(name).block.dataset, file)
