"""What encoders, tables and figures read, the downloads that bring it, and which weights stay."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from workflow_scripts.configuration.blocks import wildcard_error, wildcard_in
from workflow_scripts.errors import ConfigError, nearest_name
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.fetched import Downloads
from workflow_scripts.plan.raw_data import RawData, gated_sets
from workflow_scripts.plan.typed import Typed
from workflow_scripts.tuning_grid.config import SearchBlock


class Requirements:
    """Ids of the models, corpora and data sets that encoders, data sets and searches read.

    `encoders` include those that they start from, `datasets` the development sets.
    """

    def __init__(
        self,
        cells: Cells,
        encoders: Iterable[Encoder],
        datasets: Iterable[str],
        searches: Mapping[str, SearchBlock] | None = None,
    ) -> None:
        self._availability, self._models = cells.availability, cells.models
        self._typed = typed = cells.typed
        self.encoders = {made for encoder in encoders for made in typed.with_starts(encoder)}
        self.datasets = {*datasets} | cells.requests.development_sets(self.encoders)
        self.models = {encoder.model for encoder in self.encoders}
        self.corpora = {corpus for encoder in self.encoders for corpus in typed.corpora_of(encoder)}
        for name, search in (searches or {}).items():
            where = f"tuning_grid.searches.{name}"
            for kind, key in (("corpora", "corpus"), ("datasets", "dataset")):
                typed.named(kind, getattr(search, key), f"{where}.{key}")
            self.models.add(typed.model_id(search.model, f"{where}.model"))
            self.corpora.add(search.corpus)
            self.datasets.add(search.dataset)
        for name in self.datasets:
            for corpus in typed.datasets[name].corpora():
                typed.named("corpora", corpus, f"datasets.{name}.corpus")
                self.corpora.add(corpus)

    def files(self) -> list[Path]:
        """Return the files below the data root that are read, those of word vectors included."""
        availability = self._availability
        files = [
            file for name in sorted(self.datasets) for file in availability.dataset_files(name)
        ]
        files += [file for name in sorted(self.corpora) for file in availability.corpus_files(name)]
        static = self._models.static
        return [*files, *(Path(static[model]) for model in sorted(self.models & static.keys()))]

    def hub_records(self) -> list[str]:
        """Return the records of the models of the hub, sorted."""
        return sorted({self._models.record(model) for model in self._of_hub()})

    def hub_addresses(self, confirmed: bool = False) -> list[str]:
        """Return the models of the hub, as id@revision, sorted.

        With `confirmed` those that public code uses at their commit.
        """
        blocks, hub = self._typed.models, self._models.hub
        models = (name for name in self._of_hub() if blocks[name].confirmed or not confirmed)
        return sorted({hub[name].address for name in models})

    def _of_hub(self) -> set[str]:
        return self.models & self._models.hub.keys()

    def downloads(self) -> list[str]:
        """Return the records of the registry's open entries that hold files, sorted."""
        return [self._availability.raw.record_of(name) for name in self.open_sets()]

    def open_sets(self) -> list[str]:
        """Return the registry's open entries that hold files, sorted."""
        # also where a run does not fetch
        return RawData(self._availability.root, True).downloads_of(self.files())

    def gated(self) -> list[str]:
        """Return the registry's gated entries that hold files, sorted."""
        return gated_sets(self._availability.root, self.files())


def requirements_of(cells: Cells, requests: Iterable[CellRequest]) -> Requirements:
    """Return what some cells, and the searches that tables show, read."""
    requests, grid = list(requests), cells.typed.grid
    searches = {name: grid.searches[name] for name in shown_searches(cells.typed)} if grid else {}
    datasets = {request.dataset for request in requests if request.encoders}
    return Requirements(cells, cells.requests.encoders_of(requests), datasets, searches)


def shown_searches(typed: Typed) -> list[str]:
    """Return the searches of the tuning grid that tables show, and so all_tables runs."""
    if typed.grid is None or all(block.kind != "grid" for block in typed.tables.values()):
        return []
    shown = list(typed.grid.searches) if typed.grid.shown is None else typed.grid.shown
    for search in shown:
        if search not in typed.grid.searches:
            raise ConfigError(
                "config",
                "tuning_grid.shown",
                f"has `{search}`, which is not in `tuning_grid.searches`",
                nearest_name(search, typed.grid.searches),
            )
    return shown


def keeps_weights(typed: Typed, encoders: Iterable[Encoder], encoder: Encoder) -> bool:
    """Return whether the weights of a tuned encoder stay after a run that needs `encoders`.

    Those of `keep_encoders` do, and those that it would be costly to make again: Snakemake runs all
    jobs behind one that it runs again. So what another encoder of a table starts from stays: else a
    further column would tune that encoder again. An encoder of a dictionary stays, too: else other
    mentions would embed all its names again. A choice of the shipped configs removes nothing of
    recipes that the user adds to them.
    """
    choice = typed.config.keep_encoders
    kept = {*typed.added_recipes, *(() if isinstance(choice, str) else choice)}
    for block in (block.encoder for block in typed.dictionaries.values()):
        if block.recipe in typed.recipes:
            corpus = typed.corpus_of(block.recipe, block.corpus)
            kept.update(typed.recipes_of(Encoder(block.model, block.recipe, corpus, 0)))
    return choice == "all" or encoder.recipe in kept or encoder in map(typed.start_of, encoders)


def require_files(cells: Cells, required: Requirements, downloads: Downloads) -> None:
    """Raise `UserError` that names what is missing and no job brings, before the first job."""
    availability, typed, encoders = cells.availability, cells.typed, required.encoders
    files = required.files()
    for file in files:
        if wildcard := wildcard_in(str(file)):
            raise wildcard_error(file, wildcard)
    downloads.require(cells.models, required.models, availability.raw.downloads_of(files))
    models = sorted({encoder.model for encoder in encoders})
    for model in models:
        cells.models.require_files(model)
    skips = typed.config.data.missing == "skip"
    development = cells.requests.development_sets(encoders)
    for dataset in sorted(development if skips else required.datasets):
        availability.require_dataset(dataset)
    for model in models:
        availability.require_vectors(model)
    for corpus in sorted({corpus for made in encoders for corpus in typed.corpora_of(made)}):
        availability.require_corpus(corpus)
