"""What tables and figures read, and the downloads that bring it."""

from collections.abc import Iterable
from pathlib import Path

from workflow_scripts.configuration.blocks import wildcard_error, wildcard_in
from workflow_scripts.errors import ConfigError, nearest_name
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.fetched import Downloads
from workflow_scripts.plan.raw_data import RawData, gated_sets
from workflow_scripts.plan.typed import Typed


class Requirements:
    """Ids of models, corpora and data sets that some cells, and the searches shown, read."""

    def __init__(self, cells: Cells, requests: Iterable[CellRequest]) -> None:
        self._availability, self._models = cells.availability, cells.models
        typed = cells.typed
        requests = list(requests)
        self.encoders = cells.requests.encoders_of(requests)
        self.datasets = {request.dataset for request in requests if request.encoders}
        self.datasets |= cells.requests.development_sets(self.encoders)
        self.models = {encoder.model for encoder in self.encoders}
        corpora = {corpus for encoder in self.encoders for corpus in typed.corpora_of(encoder)}
        searches = typed.grid.searches if typed.grid is not None else {}
        for name in shown_searches(typed):
            search = searches[name]
            where = f"tuning_grid.searches.{name}"
            for kind, key in (("models", "model"), ("corpora", "corpus"), ("datasets", "dataset")):
                typed.named(kind, getattr(search, key), f"{where}.{key}")
            self.models.add(typed.models[search.model].same_as or search.model)
            corpora.add(search.corpus)
            self.datasets.add(search.dataset)
        for name in self.datasets:
            for corpus in typed.datasets[name].corpora():
                typed.named("corpora", corpus, f"datasets.{name}.corpus")
                corpora.add(corpus)
        self.corpora = corpora

    def files(self) -> list[Path]:
        """Return the files below the data root that are read, those of word vectors included."""
        availability = self._availability
        files = [
            file for name in sorted(self.datasets) for file in availability.dataset_files(name)
        ]
        files += [file for name in sorted(self.corpora) for file in availability.corpus_files(name)]
        vectors = [self._models.vectors(model) for model in sorted(self.models)]
        return [*files, *(Path(file) for file in vectors if file is not None)]

    def hub_records(self) -> list[str]:
        """Return the records of the models of the hub, sorted."""
        return sorted({self._models.record(model) for model in self._of_hub()})

    def hub_addresses(self) -> list[str]:
        """Return the models of the hub, as id@revision, sorted."""
        hub_models = map(self._models.hub_model, self._of_hub())
        return sorted({hub_model.address for hub_model in hub_models if hub_model is not None})

    def confirmed_addresses(self) -> list[str]:
        """Return those of `hub_addresses` that public code uses at their commit."""
        confirmed = filter(self._models.is_confirmed, self._of_hub())
        hub_models = map(self._models.hub_model, confirmed)
        return sorted({hub_model.address for hub_model in hub_models if hub_model is not None})

    def _of_hub(self) -> set[str]:
        return self.models & set(self._models.of_hub)

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


def require_files(cells: Cells, required: Requirements, downloads: Downloads) -> None:
    """Raise `UserError` that names what is missing and no job brings, before the first job."""
    availability = cells.availability
    for file in required.files():
        if wildcard := wildcard_in(str(file)):
            raise wildcard_error(file, wildcard)
    open_sets = availability.raw.downloads_of(required.files())
    downloads.require(cells.models, required.models, open_sets)
    availability.require(required.encoders, required.datasets)
    for dataset in sorted(cells.requests.development_sets(required.encoders)):
        availability.require_dataset(dataset)
