"""Finetuning with natural language inference (Yang et al. 2021, section 4.3)."""

import numpy as np
import torch

from workflow_scripts.corpora.pair_lines import LABELS
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.losses import label_loss
from workflow_scripts.tuning.methods.nli import Choices
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.vector_objective import Measures, RowObjective


class Objective(RowObjective):
    """A linear classifier over [u; v; |u - v|; u * v] of premise u and hypothesis v."""

    def __init__(
        self, loaded: LoadedModel, corpus: Corpus, choices: Choices, context: TrainingContext
    ) -> None:
        size = loaded.model.config.hidden_size
        own = {"classifier": fresh_linear(4 * size, len(LABELS), context.seed)}
        super().__init__(loaded, choices, context, own)
        self.read_rows(corpus.strings, corpus.partners)
        self._labels = torch.tensor(list(map(LABELS.index, corpus.labels or ())))

    def loss(
        self, vectors: torch.Tensor, batch: np.ndarray, number: int
    ) -> tuple[torch.Tensor, Measures]:
        premise, hypothesis = vectors.chunk(2)
        features = torch.cat(
            [premise, hypothesis, (premise - hypothesis).abs(), premise * hypothesis], dim=1
        )
        loss, right = label_loss(self._own["classifier"](features), self._labels[batch])
        return loss, {"accuracy": right}
