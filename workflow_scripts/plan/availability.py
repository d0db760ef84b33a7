"""Which files exist: raw files, word vectors and models, and those that a download brings."""

from functools import cache
from pathlib import Path

from workflow_scripts.corpora import block as corpora
from workflow_scripts.datasets.entry import raw_files
from workflow_scripts.errors import UserError
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.models import Models
from workflow_scripts.plan.raw_data import RawData
from workflow_scripts.plan.typed import Typed


class Availability:
    """The files that a config names, as they are when the Snakefile is read."""

    def __init__(self, typed: Typed, models: Models) -> None:
        self.typed = typed
        self.models = models
        self.root = Path(typed.config.data.root)
        self.raw = RawData(self.root, typed.config.data.fetch, typed.config.results)
        # called for many cells
        self.missing_files = cache(self._missing_files)
        self._missing_of_corpus = cache(lambda corpus: self.raw.missing(self.corpus_files(corpus)))

    # ---- files ----------------------------------------------------------------------------------

    def dataset_files(self, dataset: str) -> list[Path]:
        return raw_files(self.root, self.typed.datasets[dataset])

    def corpus_files(self, corpus: str) -> list[Path]:
        """Return the raw files of a corpus, or of those that it is joined of."""
        block = self.typed.corpora[corpus]
        files = corpora.raw_files(self.root, block)
        return [*files, *(file for other in block.corpora() for file in self.corpus_files(other))]

    def _missing_files(self, dataset: str) -> list[Path]:
        """Return the raw files of a data set, or of the corpus it is made of, that are absent."""
        missing = self.raw.missing(self.dataset_files(dataset))
        for corpus in self.typed.datasets[dataset].corpora():
            self.typed.named("corpora", corpus, f"datasets.{dataset}.corpus")
            missing += self._missing_of_corpus(corpus)
        return missing

    def _missing_vectors(self, model: str) -> list[Path]:
        vectors = self.models.static.get(model)
        return [] if vectors is None else self.raw.missing([Path(vectors)])

    # ---- why a cell is not run ------------------------------------------------------------------

    def not_run(self, request: CellRequest) -> str | None:
        """Return why a cell is left out; None where it is run."""
        if request.absent is not None or self.typed.config.data.missing == "error":
            return request.absent
        lacking = "{} {}: {} is not in the data root"
        if missing := self.missing_files(request.dataset):
            return lacking.format("data set", request.dataset, missing[0].name)
        for encoder in request.encoders[0]:
            if missing := self._missing_vectors(encoder.model):
                return lacking.format("model", encoder.model, missing[0].name)
            for corpus in self.typed.corpora_of(encoder):
                if missing := self._missing_of_corpus(corpus):
                    return lacking.format("corpus", corpus, missing[0].name)
        return None

    # ---- before the first job -------------------------------------------------------------------

    def require_vectors(self, model: str) -> None:
        """Raise `UserError` naming the file of a static model that is absent."""
        for file in self._missing_vectors(model):
            remedy = f"put it there or change `models.{model}.vectors`"
            raise UserError(file, f"no such file, needed by model `{model}`", remedy)

    def require_dataset(self, dataset: str) -> None:
        """Raise `UserError` naming the first raw file of a data set that is absent."""
        for corpus in self.typed.datasets[dataset].corpora():
            self.require_corpus(corpus)
        for file in self.missing_files(dataset):
            obtain = self.typed.datasets[dataset].obtain
            remedy = obtain or "put the file there, or change `data.root`"
            skip = "`data.missing: skip` leaves out the cells of missing data sets"
            problem = f"no such file, needed by data set `{dataset}`"
            raise UserError(file, problem, f"{remedy}; {skip}")

    def require_corpus(self, corpus: str) -> None:
        """Raise `UserError` naming the raw file of a corpus that is absent."""
        for part in [*self.typed.corpora[corpus].corpora(), corpus]:
            for file in self._missing_of_corpus(part):
                raise corpora.missing_file_error(part, self.typed.corpora[part], file)
