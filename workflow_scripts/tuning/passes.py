"""Passes over the micro-batches of a batch, by the workers, and the sum of their gradients."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from queue import SimpleQueue
from typing import TypeVar

import torch

from workflow_scripts.tuning.memory import Memory
from workflow_scripts.tuning.micro_batches import Part, cut_batch
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.processes import Processes
from workflow_scripts.tuning.training_copy import TrainingCopy

Item = TypeVar("Item")
Result = TypeVar("Result")
# What a micro-batch adds to gradients: pairs of a leaf and its gradient, none where it added them
# itself.
Gradients = list[tuple[torch.Tensor, torch.Tensor]]


class Passes:
    """Passes of a model over micro-batches; each worker takes them through one of the `copies`.

    `memory` is that of other passes of the same steps, if there are any.
    """

    def __init__(
        self,
        trained: torch.nn.Module,
        copies: Sequence[TrainingCopy],
        context: TrainingContext,
        cached: bool = False,
        memory: Memory | None = None,
    ) -> None:
        self.copies, self.context = copies, context
        self.memory = memory or Memory(trained, context, cached)
        self._parameters = [
            parameter for parameter in trained.parameters() if parameter.requires_grad
        ]
        self._free: SimpleQueue[TrainingCopy] = SimpleQueue()
        for copy in copies:
            self._free.put(copy)

    def train(self, mode: bool) -> None:
        """Let the copies drop out or not."""
        for copy in self.copies:
            copy.whole.train(mode)

    def plan(self, lengths: Sequence[int], paired: bool = False) -> list[Part]:
        """Return the parts of this process, of a batch whose rows have `lengths` positions."""
        parts = cut_batch(lengths, self.context.device, self.memory.most_rows, paired)
        self.memory.largest = max(self.memory.largest, *(len(part.rows) for part in parts))
        return _share(parts, self.context.processes)

    def in_order(
        self, function: Callable[[TrainingCopy, Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """Yield what `function` returns of a copy and each item, in the order of the items."""

        def with_copy(item: Item) -> Result:
            copy = self._free.get()
            try:
                return function(copy, item)
            finally:
                self._free.put(copy)

        return self.context.workers.in_order(with_copy, items)

    def begin(self, copy: TrainingCopy, part: Part, step: int, number: int) -> None:
        """Begin the pass over a part, whose masks `step` and `number` fix.

        Raises `torch.OutOfMemoryError` as `Memory.check`.
        """
        self.memory.check()
        copy.start(part, step, number)

    def gradients(
        self, output: torch.Tensor, gradient: torch.Tensor | None = None, *others: torch.Tensor
    ) -> Gradients:
        """Take `output` back to the parameters and to `others`, for `add` to add it up.

        One worker adds it at once, several leave that to the asking thread.
        """
        if self.context.workers.count == 1:
            half = self.copies[0].half
            try:
                torch.autograd.backward(output, gradient)
                if half is not None:
                    half.move_gradients()
            finally:
                # those of a pass that failed would be added to the next one's
                if half is not None:
                    half.forget_gradients()
            return []
        leaves = [*self._parameters, *others]
        by_leaf = torch.autograd.grad(output, leaves, gradient, allow_unused=True)
        return [pair for pair in zip(leaves, by_leaf, strict=True) if pair[1] is not None]

    def add(
        self,
        take_back: Callable[[TrainingCopy, int], Gradients],
        count: int,
        after: Callable[[int], None] = lambda number: None,
    ) -> None:
        """Add up the gradients of `count` parts in their order, and so to the same sum.

        `after` is called with the number of each, in that order too.
        """
        for number, gradients in enumerate(self.in_order(take_back, range(count))):
            if gradients:
                torch.autograd.backward(*zip(*gradients, strict=True))
            after(number)


def _share(parts: list[Part], processes: Processes) -> list[Part]:
    """Return the parts of this process: the largest go first, each to who has the least."""
    loads = [0] * processes.count
    shares: list[list[Part]] = [[] for _ in loads]
    for part in sorted(parts, key=lambda part: part.positions, reverse=True):
        least = loads.index(min(loads))
        loads[least] += part.positions
        shares[least].append(part)
    return shares[processes.number]
