"""An encoder trained together with a linear classifier of texts (Yang et al. 2021, 4.5.2)."""

from collections.abc import Iterator

import numpy as np
import torch
from torch.nn import functional

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.own_classifier import LAYER, OwnClassifier
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.methods.classify import Choices, LabelledCorpus
from workflow_scripts.tuning.neighbours import draw_numbers
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.vector_objective import VectorObjective

# First number of the seed of the random stream.
_TEXTS = 1


class ClassifyObjective(VectorObjective):
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
        settings = choices.training_settings
        self._texts = tokenize_strings(loaded.tokenizer, corpus.strings, settings)
        self.steps = choices.number_of_steps(len(self._texts))

    def batches(self) -> Iterator[np.ndarray]:
        size = self._choices.batch_size
        return draw_numbers(len(self._texts), size, self.steps, (self._context.seed, _TEXTS))

    def strings(self, batch: np.ndarray) -> TokenIds:
        return [self._texts[row] for row in batch]

    def loss(self, vectors: torch.Tensor, batch: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        logits = self._own[LAYER](vectors)
        classes = self._labels[batch].to(logits.device)
        right = (logits.detach().argmax(dim=1) == classes).to(logits.dtype).mean()
        return functional.cross_entropy(logits, classes), right

    @property
    def classifier(self) -> OwnClassifier:
        layer = self._own[LAYER]
        # copies, which later steps do not change
        weight, bias = (
            values.detach().float().cpu().numpy().copy() for values in (layer.weight, layer.bias)
        )
        return OwnClassifier(weight, bias, self._classes)
