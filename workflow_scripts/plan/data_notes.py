"""What tables say of the data behind them: its label, and which files had no known hash."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from workflow_scripts.downloads.fetch_dataset import SAMPLE_DATA
from workflow_scripts.downloads.registry import sets_with
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.cells import Cells
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.raw_data import registry


class DataNotes:
    """Notes on raw files of a config: the registry has hashes of some of them.

    With `data.fetch` those that have one were checked when they were fetched. Models are not
    among them: the hub has a hash of each file.
    """

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        availability = cells.availability
        # many tables read the same
        self._of_dataset = cache(lambda name: self._without_hash(availability.dataset_files(name)))
        self._of_corpus = cache(lambda name: self._without_hash(availability.corpus_files(name)))

    @property
    def label(self) -> str:
        """Return what tables call the data."""
        return self._cells.typed.config.data.label or self._cells.availability.root.name

    def on_cells(self, requests: Iterable[CellRequest]) -> str:
        """Return the note on all that some cells read."""
        requests = list(requests)
        datasets = {request.dataset for request in requests}
        return self.on(datasets, self._cells.requests.encoders_of(requests))

    def on(self, datasets: Iterable[str], encoders: Iterable[Encoder]) -> str:
        """Return the note on data sets and on what encoders were made from."""
        unverified = self._unverified(set(datasets), set(encoders))
        return f"{self.label.rstrip('.')}; {unverified}" if unverified else self.label

    def _unverified(self, datasets: set[str], encoders: set[Encoder]) -> str:
        data, root = self._cells.typed.config.data, self._cells.availability.root
        if not data.fetch:
            ships = root.resolve() == SAMPLE_DATA
            return "" if ships else "not checked against known hashes (data.fetch is false)"
        names = sorted(self._names(datasets, encoders))
        return f"not checked against a known hash: {', '.join(names)}" if names else ""

    def _names(self, datasets: set[str], encoders: set[Encoder]) -> set[str]:
        typed, models = self._cells.typed, self._cells.models
        datasets |= self._cells.requests.development_sets(encoders)
        corpora = {corpus for encoder in encoders for corpus in typed.corpora_of(encoder)}
        corpora |= {corpus for name in datasets for corpus in typed.datasets[name].corpora()}
        vectors = {models.vectors(encoder.model) for encoder in encoders}
        names = self._without_hash(Path(path) for path in vectors if path is not None)
        return names.union(*map(self._of_dataset, datasets), *map(self._of_corpus, corpora))

    def _without_hash(self, files: Iterable[Path]) -> set[str]:
        """Return the entries of the registry that hold files without a hash.

        A file of no entry goes by its name.
        """
        names, root = set(), self._cells.availability.root
        for file in files:
            path = file.relative_to(root) if file.is_relative_to(root) else None
            if path is None or not sets_with(registry(), [path]):
                names.add(file.name)
            else:
                names.update(sets_with(registry(), [path], without_hash=True))
        return names
