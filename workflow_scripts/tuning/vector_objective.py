"""Methods whose loss is of the vectors of a batch alone: a step of theirs is `plain_step`."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.model_objective import ModelObjective
from workflow_scripts.tuning.objective import Step
from workflow_scripts.tuning.token_rows import TokenRows

# First number of the seed of the random stream.
_ROWS = 1
# by name, scalars
Measures = dict[str, torch.Tensor]


class VectorObjective(ModelObjective):
    """Takes batches of numbers, of which there are strings, of which there are vectors."""

    takes_vectors_alone = True
    # vectors that come of one string, which the log counts once
    vectors_a_string = 1

    @abstractmethod
    def strings(self, batch: Any, number: int) -> TokenIds:
        """Return the token ids of the strings of a batch, that of step `number`."""

    @abstractmethod
    def loss(self, vectors: torch.Tensor, batch: Any, number: int) -> tuple[torch.Tensor, Measures]:
        """Return the loss of the vectors [R, D] of these strings, and what is logged beside it."""

    def step(self, number: int, batch: Any) -> Step:
        strings = self.strings(batch, number)
        measures: Measures = {}

        def loss_of(vectors: torch.Tensor) -> torch.Tensor:
            loss, more = self.loss(vectors, batch, number)
            measures.update(more)
            return loss

        loss, _ = self._gradients.compute(strings, number, loss_of)
        count = len(strings) // self.vectors_a_string
        return Step({"loss": loss, **measures}, count, sum(map(len, strings)))


class RowObjective(VectorObjective):
    """The batches of rows of a corpus: of pairs, the vectors of the first strings come first."""

    def read_rows(self, *sides: Sequence[str] | None) -> None:
        """Take the columns of a corpus, which fill one batch."""
        settings = self._choices.training_settings
        self._rows = TokenRows(self._loaded.tokenizer, settings, *sides)
        self.steps = self._choices.number_of_steps(len(self._rows))

    def batches(self) -> Iterator[np.ndarray]:
        return self._draw(len(self._rows), _ROWS)

    def strings(self, batch: np.ndarray, number: int) -> TokenIds:
        return self._rows.strings(batch)
