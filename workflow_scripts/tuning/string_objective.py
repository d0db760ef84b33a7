"""Methods on strings that are a few functions: what is encoded of a batch, and the loss of it."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
from torch import nn

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.recipe import TextRecipe
from workflow_scripts.tuning.vector_objective import Measures, VectorObjective

# First number of the seed of the random stream.
_ROWS = 1
# Of the rows of a batch and the number of the step: the token ids of R strings to encode.
Inputs = Callable[[np.ndarray, int], TokenIds]
# Of the vectors [R, D] of these, the rows and the step: the loss, and what is logged with it.
Loss = Callable[[torch.Tensor, np.ndarray, int], tuple[torch.Tensor, Measures]]


class StringObjective(VectorObjective):
    """Draws batches of the `count` strings of a corpus, by their rows, for `inputs` and `loss`.

    `inputs` gives `vectors_a_string` strings for each row; what it draws has to hang on seed and
    step alone. `training_only` are modules that are trained and not kept, by name.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        count: int,
        choices: TextRecipe,
        context: TrainingContext,
        inputs: Inputs,
        loss: Loss,
        vectors_a_string: int = 1,
        training_only: Mapping[str, nn.Module] | None = None,
    ) -> None:
        super().__init__(loaded, choices, context, training_only=training_only)
        self.steps, self.vectors_a_string = choices.number_of_steps(count), vectors_a_string
        self._count, self._inputs, self._loss = count, inputs, loss

    def batches(self) -> Iterator[np.ndarray]:
        return self._draw(self._count, _ROWS)

    def strings(self, batch: np.ndarray, number: int) -> TokenIds:
        return self._inputs(batch, number)

    def loss(
        self, vectors: torch.Tensor, batch: np.ndarray, number: int
    ) -> tuple[torch.Tensor, Measures]:
        return self._loss(vectors, batch, number)
