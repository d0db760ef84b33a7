"""What the rules of the tuning grid ask of config: files, and blocks as canonical JSON."""

from typing import Any

from workflow_scripts.dag.canonical import canonical
from workflow_scripts.dag.plan import Plan, stop
from workflow_scripts.errors import UserError
from workflow_scripts.tuning_grid.cells import slice_cells
from workflow_scripts.tuning_grid.searches import Search, read_search


class TuningGridPlan:
    """The `tuning_grid` block of config; nothing is checked before a rule asks for it.

    Every method is a function of config (and of which files exist), so that a rule's params come
    from `wildcards` alone. Where the config has a mistake all print one line and end the run, as
    `make_plan` does.
    """

    def __init__(self, config: dict[str, Any], plan: Plan) -> None:
        self._block = config.get("tuning_grid", {"searches": {}})
        self._plan = plan
        self._searches: dict[str, Search] = {}

    def search(self, name: str) -> Search:
        """Return a search, checked once."""
        if name not in self._searches:
            try:
                self._searches[name] = read_search(self._plan, name)
            except UserError as error:
                stop(error)
        return self._searches[name]

    def reports(self) -> list[str]:
        """Return what the target asks for: the report of each search."""
        if not self._block["searches"]:
            stop(
                UserError("config: `tuning_grid.searches` is empty; add one (docs/tuning-grid.md)")
            )
        return [
            f"results/tuning_grid/{self.search(name).name}.md" for name in self._block["searches"]
        ]

    def slices(self, name: str, suffix: str) -> list[str]:
        """Return the files (`suffix` "tsv" or "json") of the slices of a search, in order."""
        count = len(self._slices(name))
        return [f"results/tuning_grid/{name}/slice{number}.{suffix}" for number in range(count)]

    def _slices(self, name: str) -> list[list[Any]]:
        return slice_cells(self.search(name).cells, self._block["cells_per_job"])

    def slice_block(self, name: str, number: str) -> str:
        """Return the canonical block of a slice: all that its scores depend on but the files."""
        search, slices = self.search(name), self._slices(name)
        if int(number) >= len(slices):
            last = len(slices) - 1
            stop(UserError(f"slice {number} of search `{name}`: its last slice is {last}"))
        cells = slices[int(number)]
        linking = self._plan.config["retrieval"]["linking"]
        return canonical(
            {
                "recipe_name": search.recipe_name,
                "recipe": search.recipe,
                "dataset": search.dataset,
                "seeds": search.seeds,
                "first_cell": cells[0].number,
                # canonical JSON sorts keys, and the axes have an order
                "axes": list(search.axes),
                "cells": [list(cell.settings.values()) for cell in cells],
                "linking_similarity": linking["similarity"] if search.links else None,
            }
        )

    def search_block(self, name: str) -> str:
        """Return the canonical block of a search: what its report says."""
        search = self.search(name)
        return canonical(
            {
                "name": name,
                "model": search.model,
                "recipe_name": search.recipe_name,
                "recipe": search.recipe,
                "corpus": search.corpus,
                "suite": search.suite,
                "dataset": search.dataset,
                "metric": search.metric,
                "data": self._plan.data_note(),
                "seeds": search.seeds,
                "set": search.fixed,
                "axes": [[axis, values] for axis, values in search.axes.items()],
            }
        )

    # ---- inputs of the rules --------------------------------------------------------------------

    def model_files(self, name: str) -> list[str]:
        """Return what a search depends on of its model: files, or the record of its download."""
        return self._plan.model_files(self.search(name).model)

    def model_location(self, name: str) -> str:
        """Return the folder of a search's model."""
        return self._plan.model_location(self.search(name).model)

    def corpus_file(self, name: str) -> str:
        """Return the file of strings that a search tunes on."""
        return f"results/corpora/{self.search(name).corpus}.txt"

    def suite_file(self, name: str, file: str) -> str:
        """Return a file (`strings.txt` or `items.json`) of a search's suite."""
        return f"results/datasets/{self.search(name).suite}/{file}"
