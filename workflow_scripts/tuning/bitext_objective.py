"""Bitext retrieval (Yang et al. 2021, section 4.2) by itself."""

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.losses import retrieval_loss
from workflow_scripts.tuning.methods.bitext import Choices
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.vector_objective import PairObjective


class BitextObjective(PairObjective):
    """The translations of a batch are each other's negatives."""

    _choices: Choices

    def __init__(
        self, loaded: LoadedModel, corpus: Corpus, choices: Choices, context: TrainingContext
    ) -> None:
        super().__init__(loaded, choices, context)
        self.read_pairs(corpus)

    def loss(self, vectors: torch.Tensor, batch: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        sources, targets = vectors.chunk(2)
        return retrieval_loss(sources, targets, self._choices)
