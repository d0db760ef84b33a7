"""Gradients of a loss over a whole batch, from forward passes over its slices.

The vectors of all slices are joined, the loss and its gradient by each vector are computed once,
and each slice takes its own part back through the model (Gao et al. 2021, Scaling Deep Contrastive
Learning Batch Size under Memory Limited Setup). By default the forward passes keep what the
backward passes need. With the gradient cache they are done twice, so that no more than one slice
is kept at a time. Masks come from `DropoutMasks`, so both ways, and slices of any size, give the
gradients of one pass over the batch.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.token_batches import pad_token_ids
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.precision import autocast
from workflow_scripts.tuning.processes import Processes
from workflow_scripts.tuning.slices import Slice, plan_slices

# What a slice costs beside its own positions, in positions: on a GPU mostly the launches.
SLICE_OVERHEAD = {"cpu": 64, "cuda": 4096}
# Positions in a slice: on a CPU what its caches hold.
MOST_TOKENS = {"cpu": 4096, "cuda": 65536}

# Gives the loss, a scalar, of first and second views [B, D].
LossOfViews = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


class OutOfMemory(Exception):
    """A pass over the model did not fit into memory, here or in another process."""


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
    def tokens(self) -> int:
        """Positions in it, padding included."""
        return (self.stop - self.start) * self.slice.width


def plan_parts(
    lengths: Sequence[int], overhead: int, most_tokens: int, most_rows: int | None, paired: bool
) -> list[Part]:
    """Return the parts of a batch whose rows have `lengths`: the first views, then the second.

    `most_rows` cuts slices into parts, which draw the masks of the whole slice. `paired` gives both
    views of a pair the same place in slices of the same number.
    """
    pairs = len(lengths) // 2
    if paired:
        longer = [max(lengths[row], lengths[row + pairs]) for row in range(pairs)]
        firsts = list(enumerate(plan_slices(longer, overhead, most_tokens)))
        numbered = firsts + [
            (number, Slice(tuple(row + pairs for row in one.rows), one.width))
            for number, one in firsts
        ]
    else:
        numbered = list(enumerate(plan_slices(lengths, overhead, most_tokens)))
    return [
        Part(one, number, start, min(start + (most_rows or len(one.rows)), len(one.rows)))
        for number, one in numbered
        for start in range(0, len(one.rows), most_rows or len(one.rows))
    ]


class BatchGradients:
    """Computes gradients batch by batch; answers a lack of memory with smaller parts."""

    def __init__(
        self,
        loaded: LoadedModel,
        pooling: str,
        max_length: int,
        masks: DropoutMasks,
        dtype: torch.dtype = torch.float32,
        cached: bool = False,
        paired: bool = False,
        processes: Processes | None = None,
    ) -> None:
        self._model = loaded.model
        self._padding = loaded.tokenizer.pad_token_id
        self._pooling = pooling
        self._width = max_length if pooling == "mean_padded" else None
        self._masks = masks
        self._dtype = dtype
        self._cached = cached
        self._paired = paired
        self._processes = processes or Processes()
        self._most_rows: int | None = None
        self._parts: list[Part] = []
        weights = next(loaded.model.parameters())
        self._device = weights.device
        self._vector_dtype = torch.promote_types(weights.dtype, torch.float32)
        # float16 loses small gradients unless they are scaled up.
        self.scaler = torch.amp.GradScaler(
            self._device.type, enabled=dtype == torch.float16 and self._device.type == "cuda"
        )

    def compute(
        self, token_ids: Sequence[Sequence[int]], step: int, loss_of: LossOfViews
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add the gradients of `loss_of` to the parameters; return loss and vectors [2B, D].

        `token_ids` are those of the B first views, then of the B second ones; `step` fixes the
        masks. Both results are detached, on the device of the model, and not waited for. Where
        memory does not suffice the gradient cache is used from then on, then ever smaller parts,
        with the same result. Raises `UserError` if not even one row fits.
        """
        while True:
            try:
                return self._attempt(token_ids, step, loss_of)
            except OutOfMemory:
                pass
            # Out of the handler, where the exception holds on to the tensors of its frames.
            self._model.zero_grad(set_to_none=True)
            if self._device.type == "cuda":
                torch.cuda.empty_cache()
            self._shrink()

    def _shrink(self) -> None:
        if not self._cached:
            self._cached = True
            remedy = "slice by slice (gradient cache)"
        else:
            largest = max(len(part.rows) for part in self._parts)
            if largest == 1:
                raise UserError(
                    "out of memory with a single string; lower max_length in the recipe or take a "
                    "smaller model"
                )
            self._most_rows = largest // 2
            remedy = f"in parts of {self._most_rows} strings or fewer"
        if self._processes.is_first:
            print(f"out of memory: going on {remedy}, same results", file=sys.stderr)

    def _attempt(
        self, token_ids: Sequence[Sequence[int]], step: int, loss_of: LossOfViews
    ) -> tuple[torch.Tensor, torch.Tensor]:
        lengths = [self._width or len(ids) for ids in token_ids]
        kind = self._device.type
        self._parts = plan_parts(
            lengths,
            SLICE_OVERHEAD.get(kind, SLICE_OVERHEAD["cuda"]),
            MOST_TOKENS.get(kind, MOST_TOKENS["cuda"]),
            self._most_rows,
            self._paired,
        )
        own = _share(self._parts, self._processes)
        kept: list[torch.Tensor] = []

        def forward() -> None:
            with torch.set_grad_enabled(not self._cached):
                kept.extend(self._encode(part, token_ids, step) for part in own)

        def backward() -> None:
            for index, (part, gradient) in enumerate(zip(own, gradients, strict=True)):
                vectors = self._encode(part, token_ids, step) if self._cached else kept[index]
                torch.autograd.backward(vectors, gradient)
                del vectors
                # What the slice kept for its backward pass is let go.
                kept[index] = gradient

        self._together(forward)
        rows = torch.tensor([row for part in own for row in part.rows], dtype=torch.long)
        rows = rows.to(self._device, non_blocking=True)
        size = self._model.config.hidden_size
        joined = torch.zeros(len(token_ids), size, dtype=self._vector_dtype, device=self._device)
        if own:
            joined.index_copy_(0, rows, torch.cat([one.detach() for one in kept]))
        joined = self._processes.sum(joined).requires_grad_()
        half = len(token_ids) // 2
        loss = loss_of(joined[:half], joined[half:])
        (all_gradients,) = torch.autograd.grad(self.scaler.scale(loss), joined)
        gradients = all_gradients[rows].split([len(part.rows) for part in own])
        self._together(backward)
        return loss.detach(), joined.detach()

    def _together(self, passes: Callable[[], None]) -> None:
        """Run passes over the model; `OutOfMemory` in every process if one lacked memory."""
        failed = False
        try:
            passes()
        except RuntimeError as error:
            failed = _lacks_memory(error)
            if not failed:
                raise
        if self._processes.any(failed, self._device):
            raise OutOfMemory

    def _encode(self, part: Part, token_ids: Sequence[Sequence[int]], step: int) -> torch.Tensor:
        """Return vectors [rows of the part, D], in float32 at least."""
        own = [token_ids[row] for row in part.rows]
        input_ids, mask = pad_token_ids(own, self._padding, part.slice.width)
        input_ids, mask = (
            tensor.to(self._device, non_blocking=True) for tensor in (input_ids, mask)
        )
        self._masks.start(step, part.number, part.start, part.stop, len(part.slice.rows))
        full = all(len(ids) == part.slice.width for ids in own)
        with autocast(self._dtype, self._device):
            # Without padding there is nothing to mask, which is quicker.
            output = self._model(input_ids=input_ids, attention_mask=None if full else mask)
        vectors = pool_hidden_states(
            output.last_hidden_state, mask, self._pooling, output.get("pooler_output")
        )
        return vectors.to(self._vector_dtype)


def _share(parts: list[Part], processes: Processes) -> list[Part]:
    """Return the parts of this process: the largest go first, each to who has the least."""
    loads = [0] * processes.count
    shares: list[list[Part]] = [[] for _ in loads]
    for part in sorted(parts, key=lambda part: -part.tokens):
        least = loads.index(min(loads))
        loads[least] += part.tokens
        shares[least].append(part)
    return shares[processes.number]


def _lacks_memory(error: RuntimeError) -> bool:
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
