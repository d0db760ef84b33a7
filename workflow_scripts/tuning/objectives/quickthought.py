"""QuickThought (Logeswaran and Lee 2018, section 3), with one encoder for both sides."""

from collections.abc import Iterator

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.devices import to_device
from workflow_scripts.tuning.losses import neighbour_loss
from workflow_scripts.tuning.methods.quickthought import Choices
from workflow_scripts.tuning.neighbours import Sequences
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.running_text import RunningText
from workflow_scripts.tuning.vector_objective import Measures, VectorObjective

# First number of the seed of the random stream.
_TEXT = 1


class Objective(VectorObjective):
    """A batch is sentences in their order, of documents in a drawn order, cut where it is full."""

    def __init__(
        self, loaded: LoadedModel, corpus: RunningText, choices: Choices, context: TrainingContext
    ) -> None:
        super().__init__(loaded, choices, context)
        settings = choices.training_settings
        self._text = Sequences(loaded.tokenizer, corpus.documents, "sentence", settings)
        self.steps = self._steps(len(self._text), "sentences", corpus.path)

    def batches(self) -> Iterator[np.ndarray]:
        return self._draw(len(self._text), _TEXT, document=self._text.document)

    def strings(self, batch: np.ndarray, number: int) -> TokenIds:
        return [self._text[row] for row in batch]

    def loss(
        self, vectors: torch.Tensor, batch: np.ndarray, number: int
    ) -> tuple[torch.Tensor, Measures]:
        near = to_device(self.neighbours(batch), vectors.device)
        loss, hits = neighbour_loss(vectors, near, self._choices)
        return loss, {"accuracy": hits}

    def neighbours(self, batch: np.ndarray) -> torch.Tensor:
        """Return which sentences of a batch are the targets of which, bool [B, B]."""
        document = self._text.document[batch]
        distance = np.abs(batch[:, None] - batch)
        within = (distance > 0) & (distance <= self._choices.context)
        return torch.from_numpy(within & (document[:, None] == document))
