"""A batch cut into micro-batches: which rows, by which worker, in how much memory."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import torch

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.memory import memory_limit, resident_memory
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.processes import Processes

# What a micro-batch costs beside its own positions, in positions: on a GPU mostly the launches.
MICRO_BATCH_OVERHEAD = {"cpu": 64, "cuda": 4096}
# Positions in a micro-batch: on a CPU what its caches hold, and a quarter of the batch or, where
# that is less than LEAST_TOKENS, half, so that each core finds work; not less than half of
# LEAST_TOKENS.
MOST_TOKENS = {"cpu": 1024, "cuda": 65536}
LEAST_TOKENS = 512
# Of the memory of a processor's job, what micro-batches that wait for their way back may leave.
_SHARE_LEFT = 0.25


class OutOfMemory(Exception):
    """A pass over the model did not fit into memory, here or in another process."""


@dataclass(frozen=True)
class MicroBatch:
    """Rows of the batch that are encoded together, padded to `width` tokens."""

    rows: tuple[int, ...]
    width: int


def plan_micro_batches(lengths: Sequence[int], overhead: int, most_tokens: int) -> list[MicroBatch]:
    """Return micro-batches of rows of similar token counts that cover `lengths`, shortest first.

    They cost least where a micro-batch costs `overhead` positions beside its own. One of more than
    `most_tokens` positions is cut into pieces as equal as can be.
    """
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    counts = sorted(Counter(lengths).items())
    # best[i]: the least cost of the i shortest lengths, and where its last micro-batch starts
    best = [(0, 0)]
    for end, (width, _) in enumerate(counts, start=1):
        options = []
        rows = 0
        for start in range(end - 1, -1, -1):
            rows += counts[start][1]
            options.append((best[start][0] + rows * width + overhead, start))
        best.append(min(options))
    edges = [len(counts)]
    while edges[-1]:
        edges.append(best[edges[-1]][1])
    micro_batches = []
    first = 0
    for start, end in zip(edges[:0:-1], edges[-2::-1], strict=True):
        width = counts[end - 1][0]
        alike = order[first : first + sum(count for _, count in counts[start:end])]
        first += len(alike)
        pieces = max(1, -(-len(alike) // max(1, most_tokens // width)))
        size = -(-len(alike) // pieces)
        micro_batches += [
            MicroBatch(tuple(alike[i : i + size]), width) for i in range(0, len(alike), size)
        ]
    return micro_batches


@dataclass(frozen=True)
class Part:
    """Rows [start, stop) of a micro-batch.

    Micro-batches of one `number` have the same dropout masks.
    """

    micro_batch: MicroBatch
    number: int
    start: int
    stop: int

    @property
    def rows(self) -> tuple[int, ...]:
        return self.micro_batch.rows[self.start : self.stop]

    @property
    def positions(self) -> int:
        return len(self.rows) * self.micro_batch.width


def plan_parts(
    lengths: Sequence[int], overhead: int, most_tokens: int, most_rows: int | None, paired: bool
) -> list[Part]:
    """Return the parts of a batch whose rows have `lengths`: first strings, then second ones.

    `most_rows` cuts micro-batches into parts; `paired` gives both strings of a pair the same masks.
    """
    pairs = len(lengths) // 2
    if paired:
        lengths = list(map(max, lengths[:pairs], lengths[pairs:]))
    numbered = list(enumerate(plan_micro_batches(lengths, overhead, most_tokens)))
    if paired:
        numbered += [
            (number, MicroBatch(tuple(row + pairs for row in micro_batch.rows), micro_batch.width))
            for number, micro_batch in numbered
        ]
    parts = []
    for number, micro_batch in numbered:
        end = len(micro_batch.rows)
        size = most_rows or end
        parts += [
            Part(micro_batch, number, start, min(start + size, end))
            for start in range(0, end, size)
        ]
    return parts


Result = TypeVar("Result")
# What a micro-batch adds to gradients: pairs of a leaf and its gradient, none where it added them
# itself.
Gradients = list[tuple[torch.Tensor, torch.Tensor]]


class Passes:
    """Passes of a model over micro-batches, by the workers.

    Meets a lack of memory with smaller parts.
    """

    def __init__(
        self,
        trained: torch.nn.Module,
        masks: DropoutMasks,
        context: TrainingContext,
        cached: bool = False,
    ) -> None:
        self.trained, self.masks, self.context, self.cached = trained, masks, context, cached
        self.parameters = [
            parameter for parameter in trained.parameters() if parameter.requires_grad
        ]
        self.most_rows: int | None = None
        self._largest = 0
        self._room: float | None = None
        if context.device.type == "cpu":
            weights = sum(parameter.nbytes for parameter in trained.parameters())
            # gradients come on top, of each worker its own
            gradients = weights * (1 + context.workers.count)
            self._room = (1 - _SHARE_LEFT) * memory_limit() - gradients

    def until_it_fits(self, attempt: Callable[[], Result]) -> Result:
        """Return what `attempt` returns, with ever smaller parts where memory does not suffice.

        It plans its parts itself and adds to the gradients, of which there were none before. Raises
        `UserError` if not even one row fits.
        """
        while True:
            self._largest = 0
            try:
                return attempt()
            except OutOfMemory:
                pass
            # Out of the handler, where the exception holds on to the tensors of its frames.
            self.trained.zero_grad(set_to_none=True)
            if self.context.device.type == "cuda":
                torch.cuda.empty_cache()
            self._shrink()

    def _shrink(self) -> None:
        if self.cached and self._largest == 1:
            raise UserError(
                None,
                "out of memory with a single string",
                "lower max_length in the recipe or take a smaller model",
            )
        remedy = "slice by slice (gradient cache)"
        if self.cached:
            self.most_rows = self._largest // 2
            remedy = f"in parts of {self.most_rows} strings or fewer"
        self.cached = True
        if self.context.processes.is_first:
            print(f"out of memory: going on {remedy}, same results", file=sys.stderr)

    def plan(self, lengths: Sequence[int], paired: bool = False) -> list[Part]:
        """Return the parts of this process, of a batch whose rows have `lengths` positions."""
        kind = self.context.device.type
        overhead, most = (
            table.get(kind, table["cuda"]) for table in (MICRO_BATCH_OVERHEAD, MOST_TOKENS)
        )
        if kind == "cpu":
            total = sum(lengths)
            share = total // 4 if total >= 4 * LEAST_TOKENS else -(-total // 2)
            most = min(most, max(LEAST_TOKENS // 2, share))
        parts = plan_parts(lengths, overhead, most, self.most_rows, paired)
        self._largest = max(self._largest, *(len(part.rows) for part in parts))
        return _share(parts, self.context.processes)

    def begin(self, part: Part, step: int, number: int) -> None:
        """Begin the pass of this thread over a part, whose masks `step` and `number` fix.

        Raises `torch.OutOfMemoryError` where a processor's memory will not do for all
        micro-batches.
        """
        if self._room is not None and not self.cached and resident_memory() > self._room:
            raise torch.OutOfMemoryError("little memory is left")
        self.masks.start(step, number, part.start, part.stop, len(part.micro_batch.rows))

    def gradients(
        self, output: torch.Tensor, gradient: torch.Tensor | None = None, *others: torch.Tensor
    ) -> Gradients:
        """Take `output` back to the parameters and to `others`, for `add` to add it up.

        One worker adds it at once, several leave that to the asking thread.
        """
        if self.context.workers.count == 1:
            torch.autograd.backward(output, gradient)
            return []
        leaves = [*self.parameters, *others]
        by_leaf = torch.autograd.grad(output, leaves, gradient, allow_unused=True)
        return [pair for pair in zip(leaves, by_leaf, strict=True) if pair[1] is not None]

    def add(
        self,
        take_back: Callable[[int], Gradients],
        count: int,
        after: Callable[[int], None] = lambda number: None,
    ) -> None:
        """Add up the gradients of `count` parts in their order, and so to the same sum.

        `after` is called with the number of each, in that order too.
        """
        for number, gradients in enumerate(self.context.workers.in_order(take_back, range(count))):
            if gradients:
                torch.autograd.backward(*zip(*gradients, strict=True))
            after(number)

    def together(self, passes: Callable[[], None]) -> None:
        """Run passes over the model; `OutOfMemory` in every process if one lacked memory."""
        failed = False
        try:
            passes()
        except RuntimeError as error:
            lacking = "can't allocate memory" in str(error)
            if not isinstance(error, torch.OutOfMemoryError) and not lacking:
                raise
            failed = True
        if self.context.processes.any(failed, self.context.device):
            raise OutOfMemory


def _share(parts: list[Part], processes: Processes) -> list[Part]:
    """Return the parts of this process: the largest go first, each to who has the least."""
    loads = [0] * processes.count
    shares: list[list[Part]] = [[] for _ in loads]
    for part in sorted(parts, key=lambda part: part.positions, reverse=True):
        least = loads.index(min(loads))
        loads[least] += part.positions
        shares[least].append(part)
    return shares[processes.number]


@contextmanager
def sparse_embedding_gradients(model: torch.nn.Module) -> Iterator[None]:
    """On a CPU, give the embeddings sparse gradients: a micro-batch uses few of their rows."""
    embeddings = model.get_input_embeddings()
    before = embeddings.sparse
    embeddings.sparse = embeddings.weight.device.type == "cpu"
    try:
        yield
    finally:
        embeddings.sparse = before
