"""Methods whose loss is of the vectors of a batch alone."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from workflow_scripts.embedding.architectures import first_position_only
from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.neighbours import draw_numbers
from workflow_scripts.tuning.objective import Step
from workflow_scripts.tuning.text_objective import TextObjective
from workflow_scripts.tuning.token_pairs import TokenPairs

# First number of the seed of the random stream.
_PAIRS = 1


class VectorObjective(TextObjective):
    """Takes batches of numbers, of which there are strings, of which there are vectors."""

    @abstractmethod
    def strings(self, batch: np.ndarray) -> TokenIds:
        """Return the token ids of the strings of a batch."""

    @abstractmethod
    def loss(self, vectors: torch.Tensor, batch: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the loss of the vectors [R, D] of these strings, and the share that is right."""

    @contextmanager
    def settings(self) -> Iterator[None]:
        first = self._choices.pooling in ("cls", "pooler")
        with super().settings(), first_position_only(self._loaded.model, first):
            yield

    def step(self, number: int, batch: np.ndarray) -> Step:
        strings, right = self.strings(batch), {}

        def loss_of(vectors: torch.Tensor) -> torch.Tensor:
            loss, right["accuracy"] = self.loss(vectors, batch)
            return loss

        loss, _ = self._gradients.compute(strings, number, loss_of)
        return Step({"loss": loss, **right}, len(strings), sum(map(len, strings)))


class PairObjective(VectorObjective):
    """The batches of pairs of strings; their vectors are those of the first, then of the second."""

    def read_pairs(self, corpus: Corpus) -> None:
        """Take the pairs of a corpus, which fill one batch."""
        self._pairs = TokenPairs(self._loaded.tokenizer, corpus, self._choices.training_settings)
        self.steps = self._choices.number_of_steps(len(self._pairs))

    def batches(self) -> Iterator[np.ndarray]:
        size = self._choices.batch_size
        return draw_numbers(len(self._pairs), size, self.steps, (self._context.seed, _PAIRS))

    def strings(self, batch: np.ndarray) -> TokenIds:
        return self._pairs.strings(batch)
