"""What is done when memory runs out: the step is done again, with smaller parts, until it fits.

A device says that it has no more. A processor's system would end the process instead, so that the
limit is asked for, and little that is left counts as none.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil
import torch

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.devices import traits_of
from workflow_scripts.tuning.objective import TrainingContext

# The rules tell their jobs, in MB, what they have asked for.
SETTING = "STEP_MEMORY_MB"
# Of the memory of a processor's job, what micro-batches that wait for their way back may leave.
_SHARE_LEFT = 0.25

# How errors of no kind of their own report a lack of memory: a processor's, and those of
# libraries of CUDA, which ask for memory besides torch.
_LACKING = ("can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED", "CUDNN_STATUS_ALLOC_FAILED")

Result = TypeVar("Result")


def resident_memory() -> int:
    """Return the bytes of memory that this process has."""
    return psutil.Process().memory_info().rss


def memory_limit(root: Path = Path("/sys/fs/cgroup"), groups: str = "/proc/self/cgroup") -> int:
    """Return the bytes that this process may have: of its job, its control group or the machine."""
    if told := os.environ.get(SETTING):
        return int(float(told) * 1e6)
    limits = [psutil.virtual_memory().available + resident_memory()]
    try:
        group = root / Path(groups).read_text().rpartition("::")[2].strip().lstrip("/")
    except OSError:
        return limits[0]  # no Linux
    for folder in (group, *group.parents):
        file = folder / "memory.max"
        if file.is_file() and (text := file.read_text().strip()).isdecimal():
            limits.append(int(text))
    return min(limits)


class OutOfMemory(Exception):
    """A pass over the model did not fit into memory, here or in another process."""


class Memory:
    """How a batch is kept within memory, which steps that did not fit change.

    `cached` is whether forward passes are done twice so that one micro-batch is kept at a time (the
    gradient cache), `most_rows` how many rows a part of a micro-batch has at most, `largest` how
    many the largest of this attempt has. `masks_changed` is whether smaller parts changed masks.
    """

    def __init__(
        self, trained: torch.nn.Module, context: TrainingContext, cached: bool = False
    ) -> None:
        self._trained, self._context, self.cached = trained, context, cached
        self.most_rows: int | None = None
        self.largest = 0
        self.masks_changed = False
        self._room: float | None = None
        if context.device.type == "cpu":
            weights = sum(parameter.nbytes for parameter in trained.parameters())
            # gradients come on top, of each worker its own
            gradients = weights * (1 + context.workers.count)
            self._room = (1 - _SHARE_LEFT) * memory_limit() - gradients

    def until_it_fits(self, attempt: Callable[[], Result], trains: bool = True) -> Result:
        """Return what `attempt` returns, with ever smaller parts where memory does not suffice.

        It plans its parts itself; one that `trains` adds to the gradients, of which there were none
        before. Raises `UserError` if not even one row fits.
        """
        while True:
            self.largest = 0
            try:
                return attempt()
            except OutOfMemory:
                pass
            # Out of the handler, where the exception holds on to the tensors of its frames.
            if trains:
                self._trained.zero_grad(set_to_none=True)
            if self._context.device.type == "cuda":
                torch.cuda.empty_cache()
            self._shrink()

    def _shrink(self) -> None:
        if self.cached and self.largest == 1:
            raise UserError(
                None,
                "out of memory with a single string",
                "lower max_length in the recipe or use a smaller model",
            )
        remedy, result = "slice by slice (gradient cache)", "same results"
        if self.cached:
            self.most_rows = self.largest // 2
            remedy = f"in parts of {self.most_rows} strings or fewer"
            if not traits_of(self._context.device).seeded_masks:
                self.masks_changed, result = True, "other dropout masks"
        self.cached = True
        if self._context.processes.is_first:
            print(f"out of memory: continuing {remedy}, {result}", file=sys.stderr)

    def check(self) -> None:
        """Raise `torch.OutOfMemoryError` where a processor has too little for all micro-batches."""
        if self._room is not None and not self.cached and resident_memory() > self._room:
            raise torch.OutOfMemoryError("little memory is left")

    def together(self, passes: Callable[[], None]) -> None:
        """Run passes over the model; `OutOfMemory` in every process if one lacked memory."""
        failed = False
        try:
            passes()
        except RuntimeError as error:
            lacking = any(words in str(error) for words in _LACKING)
            if not isinstance(error, torch.OutOfMemoryError) and not lacking:
                raise
            failed = True
        if self._context.processes.any(failed, self._context.device):
            raise OutOfMemory
