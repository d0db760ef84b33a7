"""Finetuning with natural language inference (Yang et al. 2021, section 4.3)."""

import numpy as np
import torch
from torch.nn import functional

from workflow_scripts.corpora.pair_lines import LABELS
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.methods.nli import Choices
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.vector_objective import PairObjective


class NliObjective(PairObjective):
    """A linear classifier over [u; v; |u - v|; u * v] of premise u and hypothesis v."""

    def __init__(
        self, loaded: LoadedModel, corpus: Corpus, choices: Choices, context: TrainingContext
    ) -> None:
        size = loaded.model.config.hidden_size
        own = {"classifier": fresh_linear(4 * size, len(LABELS), context.seed)}
        super().__init__(loaded, choices, context, own)
        self.read_pairs(corpus)
        self._labels = torch.tensor(list(map(LABELS.index, corpus.labels or ())))

    def loss(self, vectors: torch.Tensor, batch: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        premise, hypothesis = vectors.chunk(2)
        features = torch.cat(
            [premise, hypothesis, (premise - hypothesis).abs(), premise * hypothesis], dim=1
        )
        logits = self._own["classifier"](features)
        classes = self._labels[batch].to(logits.device)
        right = (logits.detach().argmax(dim=1) == classes).to(logits.dtype).mean()
        return functional.cross_entropy(logits, classes), right
