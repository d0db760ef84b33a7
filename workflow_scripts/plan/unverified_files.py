"""Which inputs of a result have no hash that was known beforehand: what tables say of them."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.downloads.fetch_dataset import SAMPLE_DATA
from workflow_scripts.downloads.registry import sets_with
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.raw_data import registry

if TYPE_CHECKING:
    from workflow_scripts.plan.plan import Plan


class UnverifiedFiles:
    """The raw files of a config, by whether the registry has hashes of them.

    With `data.fetch` those that have one were checked when they were fetched. Models are not
    among them: the hub has a hash of each file.
    """

    def __init__(self, plan: "Plan") -> None:
        self._plan = plan
        availability = plan.availability
        # many tables read the same
        self._of_dataset = cache(lambda name: self._without_hash(availability.dataset_files(name)))
        self._of_corpus = cache(lambda name: self._without_hash(availability.corpus_files(name)))

    def note_on_cells(self, requests: Iterable[CellRequest]) -> str:
        """Return the note on all that some cells read."""
        requests = list(requests)
        datasets = {request.dataset for request in requests}
        return self.note(datasets, self._plan.requests.encoders_of(requests))

    def note(self, datasets: Iterable[str], encoders: Iterable[Encoder]) -> str:
        """Return the note on data sets and on what encoders were made from, or ""."""
        data, root = self._plan.config.data, self._plan.availability.root
        if not data.fetch:
            ships = root.resolve() == SAMPLE_DATA
            return "" if ships else "not checked against known hashes (data.fetch is false)"
        names = sorted(self._names(set(datasets), set(encoders)))
        return f"not checked against a known hash: {', '.join(names)}" if names else ""

    def _names(self, datasets: set[str], encoders: set[Encoder]) -> set[str]:
        typed, models = self._plan.typed, self._plan.models
        blocks = [typed.recipes[encoder.recipe].development for encoder in encoders]
        datasets |= {development.dataset for development in blocks if development is not None}
        corpora = {corpus for encoder in encoders for corpus in typed.corpora_of(encoder)}
        corpora |= {corpus for name in datasets for corpus in typed.datasets[name].corpora()}
        vectors = {models.vectors(encoder.model) for encoder in encoders}
        names = self._without_hash(Path(path) for path in vectors if path is not None)
        return names.union(*map(self._of_dataset, datasets), *map(self._of_corpus, corpora))

    def _without_hash(self, files: Iterable[Path]) -> set[str]:
        """Return the entries of the registry that hold files without a hash.

        A file of no entry goes by its name.
        """
        names, root = set(), self._plan.availability.root
        for file in files:
            path = file.relative_to(root) if file.is_relative_to(root) else None
            if path is None or not sets_with(registry(), [path]):
                names.add(file.name)
            else:
                names.update(sets_with(registry(), [path], without_hash=True))
        return names
