"""Methods whose loss is of the vectors of a batch alone: a step of theirs is `plain_step`."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.model_objective import ModelObjective
from workflow_scripts.tuning.objective import Step, TrainingContext

# First number of the seed of the random stream.
_ROWS = 1
# by name, scalars
Measures = dict[str, torch.Tensor]
# Of the rows of a batch and the number of the step: the token ids of R strings to encode.
Inputs = Callable[[np.ndarray, int], TokenIds]
# Of the vectors [R, D] of these, the rows and the step: the loss, and what is logged with it.
Loss = Callable[[torch.Tensor, np.ndarray, int], tuple[torch.Tensor, Measures]]


def inputs_of(
    tokenizer: PreTrainedTokenizerBase, settings: EncoderSettings, *columns: Sequence[str] | None
) -> Inputs:
    """Return what gives the first strings of rows, then the second where there are pairs.

    `columns` are those of a corpus, which are tokenised once.
    """
    sides = [tokenize_strings(tokenizer, column or (), settings) for column in columns]
    return lambda rows, number: [side[row] for side in sides for row in rows]


class StringObjective(ModelObjective):
    """Draws batches of the `count` strings of a corpus, by their rows, for `inputs` and `loss`.

    `inputs` returns `vectors_a_string` strings for each row; its random draws must depend on seed
    and step alone. `draw` yields the rows of each step, by default `draw_numbers` of all rows.
    `classifier` returns that of a method that trains one. `options` are those of `ModelObjective`,
    such as `training_only`, modules by name that are trained and not kept.
    """

    takes_vectors_alone = True

    def __init__(
        self,
        loaded: LoadedModel,
        count: int,
        choices: Any,
        context: TrainingContext,
        inputs: Inputs,
        loss: Loss,
        vectors_a_string: int = 1,
        *,
        draw: Callable[[], Iterator[np.ndarray]] | None = None,
        classifier: Callable[[], OwnClassifier] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(loaded, choices, context, **options)
        self.steps = choices.number_of_steps(count)
        self.inputs, self._loss, self._vectors_a_string = inputs, loss, vectors_a_string
        self._rows = draw or partial(self._draw, count, _ROWS)
        self._classifier = classifier

    def batches(self) -> Iterator[np.ndarray]:
        return self._rows()

    @property
    def classifier(self) -> OwnClassifier | None:
        return self._classifier() if self._classifier else None

    def step(self, number: int, batch: np.ndarray) -> Step:
        strings = self.inputs(batch, number)
        measures: Measures = {}

        def loss_of(vectors: torch.Tensor) -> torch.Tensor:
            loss, more = self._loss(vectors, batch, number)
            measures.update(more)
            return loss

        loss, _ = self._gradients.compute(strings, number, loss_of)
        count = len(strings) // self._vectors_a_string
        return Step({"loss": loss, **measures}, count, sum(map(len, strings)))
