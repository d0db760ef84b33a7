"""What a method gives to the loop, and what the loop gives to a method."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch

from workflow_scripts.embedding.own_classifier import OwnClassifier
from workflow_scripts.tuning.processes import Processes, Workers


@dataclass(frozen=True)
class TrainingContext:
    """What a method computes with; losses go through `scaler.scale` before they are taken back."""

    seed: int
    device: torch.device
    dtype: torch.dtype
    scaler: torch.amp.GradScaler
    processes: Processes
    workers: Workers = field(default_factory=Workers)

    def autocast(self) -> AbstractContextManager[Any]:
        """Return the context of forward passes, which are in `dtype`."""
        if self.dtype == torch.float32:
            return nullcontext()
        # weights that are cast are kept for all threads, of which another may throw them away
        kept = self.device.type != "cpu"
        return torch.autocast(self.device.type, dtype=self.dtype, cache_enabled=kept)


@dataclass(frozen=True)
class Step:
    """What became of a batch: `measures`, scalars on any device, are logged by name, loss first."""

    measures: dict[str, torch.Tensor]
    strings: int
    tokens: int


class Objective(ABC):
    """A method made ready for a run of `steps`; what it does depends on seed and step alone.

    `trained` is what the optimiser moves: the model and modules of the method's own.
    """

    trained: torch.nn.Module
    steps: int

    @property
    def classifier(self) -> OwnClassifier | None:
        """The classifier of a method that trains one, as it is now."""
        return None

    @property
    def masks_changed(self) -> bool:
        """Whether a lack of memory gave dropout other masks than there would have been."""
        return False

    @abstractmethod
    def batches(self) -> Iterable[Any]:
        """Yield the batch of every step, from the first on."""

    @abstractmethod
    def step(self, number: int, batch: Any) -> Step:
        """Add the gradients of step `number` to the parameters, scaled; wait for nothing."""
