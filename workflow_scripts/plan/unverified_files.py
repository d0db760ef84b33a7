"""Which inputs of a result are of bytes that nobody knew beforehand: what tables say of that."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from workflow_scripts.downloads.fetch_dataset import EMBEDDED_DATA
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

    def note_on_cells(self, wanted: Iterable[CellRequest]) -> str:
        """Return what is said of all that some cells read."""
        cells = list(wanted)
        return self.note({one.dataset for one in cells}, self._plan.requests.encoders_of(cells))

    def note(self, datasets: Iterable[str], encoders: Iterable[Encoder]) -> str:
        """Return what is said of data sets and of what encoders were made from, or ""."""
        data, root = self._plan.config.data, self._plan.availability.root
        if not data.fetch:
            ships = root.resolve() == EMBEDDED_DATA
            return "" if ships else "not checked against known hashes (data.fetch is false)"
        found = sorted(self._names(set(datasets), set(encoders)))
        return f"not checked against a known hash: {', '.join(found)}" if found else ""

    def _names(self, datasets: set[str], encoders: set[Encoder]) -> set[str]:
        typed, models = self._plan.typed, self._plan.models
        watched = [typed.recipes[encoder.recipe].development for encoder in encoders]
        datasets |= {one.dataset for one in watched if one is not None}
        corpora = {corpus for encoder in encoders for corpus in typed.corpora_of(encoder)}
        corpora |= {corpus for name in datasets for corpus in typed.datasets[name].corpora()}
        vectors = {models.vectors(encoder.model) for encoder in encoders}
        found = self._without_hash(Path(path) for path in vectors if path is not None)
        return found.union(*map(self._of_dataset, datasets), *map(self._of_corpus, corpora))

    def _without_hash(self, files: Iterable[Path]) -> set[str]:
        """Return the entries of the registry that hold files without a hash.

        A file of no entry goes by its name.
        """
        found, root = set(), self._plan.availability.root
        for file in files:
            path = file.relative_to(root) if file.is_relative_to(root) else None
            if path is None or not sets_with(registry(), [path]):
                found.add(file.name)
            else:
                found.update(sets_with(registry(), [path], without_hash=True))
        return found
