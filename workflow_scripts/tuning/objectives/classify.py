"""An encoder trained together with a linear classifier of texts (Yang et al. 2021, 4.5.2)."""

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.own_classifier import LAYER, OwnClassifier
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.tuning.losses import label_loss
from workflow_scripts.tuning.methods.classify import Choices, LabelledCorpus
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.vector_objective import Measures, RowObjective


class Objective(RowObjective):
    """Cross entropy of a linear layer over the vector of a text."""

    def __init__(
        self,
        loaded: LoadedModel,
        corpus: LabelledCorpus,
        choices: Choices,
        context: TrainingContext,
    ) -> None:
        layer = fresh_linear(loaded.model.config.hidden_size, len(corpus.classes), context.seed)
        super().__init__(loaded, choices, context, {LAYER: layer})
        self._classes = corpus.classes
        self._labels = torch.tensor(list(map(corpus.classes.index, corpus.partners or ())))
        self.read_rows(corpus.strings)

    def loss(
        self, vectors: torch.Tensor, batch: np.ndarray, number: int
    ) -> tuple[torch.Tensor, Measures]:
        loss, right = label_loss(self._own[LAYER](vectors), self._labels[batch])
        return loss, {"accuracy": right}

    @property
    def classifier(self) -> OwnClassifier:
        layer = self._own[LAYER]
        # copies, which later steps do not change
        weight, bias = (
            values.detach().float().cpu().numpy().copy() for values in (layer.weight, layer.bias)
        )
        return OwnClassifier(weight, bias, self._classes)
