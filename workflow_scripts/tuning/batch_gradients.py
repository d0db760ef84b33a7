"""Gradients of a loss over a whole batch, from forward passes over its slices.

The vectors of all slices are joined, the loss and its gradient by each vector are computed once,
and each slice takes its own part back through the model (Gao et al. 2021, Scaling Deep Contrastive
Learning Batch Size under Memory Limited Setup). With the gradient cache forward passes are done
twice, so that one slice is kept at a time. Both ways, and slices of any size, give the gradients of
one pass over the batch, for masks come from `DropoutMasks`.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.token_batches import pad_token_ids
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.objective import Means
from workflow_scripts.tuning.processes import Processes

# What a slice costs beside its own positions, in positions: on a GPU mostly the launches.
SLICE_OVERHEAD = {"cpu": 64, "cuda": 4096}
# Positions in a slice: on a CPU what its caches hold, and a quarter of the batch where that is no
# less than the positions of LEAST_TOKENS, so that each core finds work.
MOST_TOKENS = {"cpu": 1024, "cuda": 65536}
LEAST_TOKENS = 256

# Gives the loss, a scalar, of first and second views [B, D].
LossOfViews = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
TokenIds = Sequence[Sequence[int]]


class OutOfMemory(Exception):
    """A pass over the model did not fit into memory, here or in another process."""


@dataclass(frozen=True)
class Slice:
    """Rows of the batch that are encoded together, padded to `width` tokens."""

    rows: tuple[int, ...]
    width: int


def plan_slices(lengths: Sequence[int], overhead: int, most_tokens: int) -> list[Slice]:
    """Return slices of rows of similar token counts that cover `lengths`, shortest first.

    They cost least where a slice costs `overhead` positions beside its own. One of more than
    `most_tokens` positions is cut into pieces as equal as can be.
    """
    order = sorted(range(len(lengths)), key=lambda row: lengths[row])
    counts = sorted(Counter(lengths).items())
    # best[i]: the least cost of the i shortest lengths, and where its last slice starts
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
    slices = []
    first = 0
    for start, end in zip(edges[:0:-1], edges[-2::-1], strict=True):
        width = counts[end - 1][0]
        rows = order[first : first + sum(count for _, count in counts[start:end])]
        first += len(rows)
        pieces = max(1, -(-len(rows) // max(1, most_tokens // width)))
        size = -(-len(rows) // pieces)
        slices += [Slice(tuple(rows[i : i + size]), width) for i in range(0, len(rows), size)]
    return slices


@dataclass(frozen=True)
class Part:
    """Rows [start, stop) of a slice; slices of one `number` have the same dropout masks."""

    slice: Slice
    number: int
    start: int
    stop: int

    @property
    def rows(self) -> tuple[int, ...]:
        return self.slice.rows[self.start : self.stop]

    @property
    def positions(self) -> int:
        return len(self.rows) * self.slice.width


def plan_parts(
    lengths: Sequence[int], overhead: int, most_tokens: int, most_rows: int | None, paired: bool
) -> list[Part]:
    """Return the parts of a batch whose rows have `lengths`: the first views, then the second.

    `most_rows` cuts slices into parts; `paired` gives both views of a pair the same masks.
    """
    pairs = len(lengths) // 2
    if paired:
        lengths = list(map(max, lengths[:pairs], lengths[pairs:]))
    numbered = list(enumerate(plan_slices(lengths, overhead, most_tokens)))
    if paired:
        numbered += [
            (number, Slice(tuple(row + pairs for row in one.rows), one.width))
            for number, one in numbered
        ]
    parts = []
    for number, one in numbered:
        end = len(one.rows)
        size = most_rows or end
        parts += [Part(one, number, start, min(start + size, end)) for start in range(0, end, size)]
    return parts


class BatchGradients:
    """Computes gradients batch by batch; answers a lack of memory with smaller parts."""

    def __init__(
        self,
        loaded: LoadedModel,
        pooling: str,
        max_length: int,
        masks: DropoutMasks,
        means: Means,
        cached: bool = False,
        paired: bool = False,
    ) -> None:
        self._model, self._padding = loaded.model, loaded.tokenizer.pad_token_id
        self._pooling, self._masks, self._means = pooling, masks, means
        self._width = max_length if pooling == "mean_padded" else None
        self._cached, self._paired = cached, paired
        self._most_rows: int | None = None
        self._vector_dtype = torch.promote_types(loaded.model.dtype, torch.float32)

    def compute(
        self, token_ids: TokenIds, step: int, loss_of: LossOfViews
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add the gradients of `loss_of` to the parameters; return loss and vectors [2B, D].

        `token_ids` are those of the B first views, then of the B second ones; `step` fixes the
        masks. Both results are detached, and not waited for. Where memory does not suffice, smaller
        parts are tried. Raises `UserError` if not even one row fits.
        """
        lengths = [self._width or len(ids) for ids in token_ids]
        kind = self._means.device.type
        overhead, most = (table.get(kind, table["cuda"]) for table in (SLICE_OVERHEAD, MOST_TOKENS))
        if kind == "cpu":
            most = min(most, max(LEAST_TOKENS, sum(lengths) // 4))
        while True:
            parts = plan_parts(lengths, overhead, most, self._most_rows, self._paired)
            try:
                return self._attempt(parts, token_ids, step, loss_of)
            except OutOfMemory:
                pass
            # Out of the handler, where the exception holds on to the tensors of its frames.
            self._model.zero_grad(set_to_none=True)
            if kind == "cuda":
                torch.cuda.empty_cache()
            self._shrink(max(len(part.rows) for part in parts))

    def _shrink(self, largest: int) -> None:
        if self._cached and largest == 1:
            raise UserError(
                "out of memory with a single string; lower max_length in the recipe or take a "
                "smaller model"
            )
        remedy = "slice by slice (gradient cache)"
        if self._cached:
            self._most_rows = largest // 2
            remedy = f"in parts of {self._most_rows} strings or fewer"
        self._cached = True
        if self._means.processes.is_first:
            print(f"out of memory: going on {remedy}, same results", file=sys.stderr)

    def _attempt(
        self, parts: list[Part], token_ids: TokenIds, step: int, loss_of: LossOfViews
    ) -> tuple[torch.Tensor, torch.Tensor]:
        means, device = self._means, self._means.device
        own = _share(parts, means.processes)
        parameters = [one for one in self._model.parameters() if one.requires_grad]
        kept: list[torch.Tensor] = []

        def encode(part: Part) -> torch.Tensor:
            with torch.set_grad_enabled(not self._cached):
                return self._encode(part, token_ids, step)

        def take_back(index: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
            """Return the gradients by parameter, unless one worker could add them itself."""
            vectors = self._encode(own[index], token_ids, step) if self._cached else kept[index]
            # What the slice kept for its backward pass is let go.
            kept[index] = gradient = gradients[index]
            if means.workers.count == 1:
                torch.autograd.backward(vectors, gradient)
                return []
            found = torch.autograd.grad(vectors, parameters, gradient, allow_unused=True)
            return [pair for pair in zip(parameters, found, strict=True) if pair[1] is not None]

        def backward() -> None:
            # added slice by slice in their order, and so to the same sum
            for found in means.workers.in_order(take_back, range(len(own))):
                if found:
                    torch.autograd.backward(*zip(*found, strict=True))

        self._together(lambda: kept.extend(means.workers.in_order(encode, own)))
        rows = torch.tensor([row for part in own for row in part.rows], dtype=torch.long)
        rows = rows.to(device, non_blocking=True)
        shape = (len(token_ids), self._model.config.hidden_size)
        joined = torch.zeros(shape, dtype=self._vector_dtype, device=device)
        if own:
            joined.index_copy_(0, rows, torch.cat([one.detach() for one in kept]))
        joined = means.processes.sum(joined).requires_grad_()
        half = len(token_ids) // 2
        loss = loss_of(joined[:half], joined[half:])
        (all_gradients,) = torch.autograd.grad(means.scaler.scale(loss), joined)
        gradients = all_gradients[rows].split([len(part.rows) for part in own])
        self._together(backward)
        return loss.detach(), joined.detach()

    def _together(self, passes: Callable[[], None]) -> None:
        """Run passes over the model; `OutOfMemory` in every process if one lacked memory."""
        failed = False
        try:
            passes()
        except RuntimeError as error:
            lacking = "can't allocate memory" in str(error)
            if not isinstance(error, torch.OutOfMemoryError) and not lacking:
                raise
            failed = True
        if self._means.processes.any(failed, self._means.device):
            raise OutOfMemory

    def _encode(self, part: Part, token_ids: TokenIds, step: int) -> torch.Tensor:
        """Return vectors [rows of the part, D], in float32 at least."""
        own, device = [token_ids[row] for row in part.rows], self._means.device
        padded = pad_token_ids(own, self._padding, part.slice.width)
        input_ids, mask = (tensor.to(device, non_blocking=True) for tensor in padded)
        self._masks.start(step, part.number, part.start, part.stop, len(part.slice.rows))
        full = all(len(ids) == part.slice.width for ids in own)
        with self._means.autocast():
            # Without padding there is nothing to mask, which is quicker.
            output = self._model(input_ids=input_ids, attention_mask=None if full else mask)
        states, pooled = output.last_hidden_state, output.get("pooler_output")
        return pool_hidden_states(states, mask, self._pooling, pooled).to(self._vector_dtype)


def _share(parts: list[Part], processes: Processes) -> list[Part]:
    """Return the parts of this process: the largest go first, each to who has the least."""
    loads = [0] * processes.count
    shares: list[list[Part]] = [[] for _ in loads]
    for part in sorted(parts, key=lambda part: part.positions, reverse=True):
        least = loads.index(min(loads))
        loads[least] += part.positions
        shares[least].append(part)
    return shares[processes.number]
