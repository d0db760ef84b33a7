"""Bitext retrieval (Yang et al. 2021, section 4.2) by itself."""

import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.losses import retrieval_loss
from workflow_scripts.tuning.methods.bitext import Choices
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.vector_objective import Measures, RowObjective


class Objective(RowObjective):
    """The translations of a batch are each other's negatives."""

    def __init__(
        self, loaded: LoadedModel, corpus: Corpus, choices: Choices, context: TrainingContext
    ) -> None:
        super().__init__(loaded, choices, context)
        self.read_rows(corpus.strings, corpus.partners)

    def loss(
        self, vectors: torch.Tensor, batch: object, number: int
    ) -> tuple[torch.Tensor, Measures]:
        sources, targets = vectors.chunk(2)
        loss, hits = retrieval_loss(sources, targets, self._choices)
        return loss, {"accuracy": hits}
