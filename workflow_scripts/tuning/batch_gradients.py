"""Gradients of a loss over the vectors of a whole batch: those of `plain_step`, with less time and
memory.

In addition to the plain step, the batch is cut into micro-batches of similar length, which workers
and processes share. The vectors of all micro-batches are joined, the loss and its gradient by each
vector are computed once, and each micro-batch takes its own part back through the model (Gao et al.
2021, Scaling Deep Contrastive Learning Batch Size under Memory Limited Setup). With the gradient
cache forward passes are done twice, so that one micro-batch is kept at a time. Both ways, and
micro-batches of any size, give the gradients of one pass over the batch, for masks come from
`DropoutMasks` (on a GPU parts have masks of their own); tests/tuning/test_batch_gradients.py
compares them with the plain step's.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.pooling import pool_hidden_states
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import pad_token_ids
from workflow_scripts.tuning.devices import to_device
from workflow_scripts.tuning.micro_batches import Part
from workflow_scripts.tuning.passes import Gradients, Passes
from workflow_scripts.tuning.training_copy import TrainingCopy

# Gives the loss, a scalar, of the vectors [R, D] of all strings of a batch.
LossOfVectors = Callable[[torch.Tensor], torch.Tensor]
TokenIds = Sequence[Sequence[int] | np.ndarray]


class BatchGradients:
    """Computes gradients batch by batch. With `paired`, the strings are first ones and second ones
    of the same number, and both of a pair have the same masks.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        settings: EncoderSettings,
        passes: Passes,
        paired: bool = False,
    ) -> None:
        self._size, self._padding = loaded.model.config.hidden_size, loaded.tokenizer.pad_token_id
        self._pooling, self._passes, self._paired = settings.pooling, passes, paired
        self._width = settings.max_length if settings.pooling == "mean_padded" else None
        self._vector_dtype = torch.promote_types(loaded.model.dtype, torch.float32)

    def compute(
        self, token_ids: TokenIds, step: int, loss_of: LossOfVectors
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Add the gradients of `loss_of` to the parameters; return loss and vectors [R, D].

        `token_ids` are those of the R strings, `step` fixes the masks. Both results are detached,
        and not waited for. Where memory does not suffice, smaller parts are tried.
        """
        return self._passes.memory.until_it_fits(lambda: self._attempt(token_ids, step, loss_of))

    def vectors(self, token_ids: TokenIds) -> torch.Tensor:
        """Return the vectors [R, D] of strings, without gradients; in parts as `compute`."""
        passes = self._passes

        def encode(copy: TrainingCopy, part: Part) -> torch.Tensor:
            with torch.no_grad():
                return self._encode(copy, part, token_ids, 0)

        def attempt() -> torch.Tensor:
            own = passes.plan([self._width or len(ids) for ids in token_ids])
            vectors: list[torch.Tensor] = []
            passes.memory.together(lambda: vectors.extend(passes.in_order(encode, own)))
            return self._join(own, vectors, len(token_ids))[0]

        return passes.memory.until_it_fits(attempt, trains=False)

    def _attempt(
        self, token_ids: TokenIds, step: int, loss_of: LossOfVectors
    ) -> tuple[torch.Tensor, torch.Tensor]:
        passes, context = self._passes, self._passes.context
        own = passes.plan([self._width or len(ids) for ids in token_ids], self._paired)
        kept: list[torch.Tensor] = []
        cached = passes.memory.cached

        def encode(copy: TrainingCopy, part: Part) -> torch.Tensor:
            with torch.set_grad_enabled(not cached):
                return self._encode(copy, part, token_ids, step)

        def take_back(copy: TrainingCopy, index: int) -> Gradients:
            vectors = self._encode(copy, own[index], token_ids, step) if cached else kept[index]
            # What the micro-batch kept for its backward pass is let go.
            kept[index] = gradient = gradients[index]
            return passes.gradients(vectors, gradient)

        passes.memory.together(lambda: kept.extend(passes.in_order(encode, own)))
        joined, rows = self._join(own, kept, len(token_ids))
        joined.requires_grad_()
        loss = loss_of(joined)
        scaled = context.scaler.scale(loss)
        if context.processes.is_first:
            # what the loss has of its own gets its gradients too, in one process of all
            torch.autograd.backward(scaled)
            assert joined.grad is not None
            by_vector = joined.grad
        else:
            (by_vector,) = torch.autograd.grad(scaled, joined)
        gradients = by_vector[rows].split([len(part.rows) for part in own])
        passes.memory.together(lambda: passes.add(take_back, len(own)))
        return loss.detach(), joined.detach()

    def _join(
        self, own: Sequence[Part], vectors: Sequence[torch.Tensor], count: int
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors [count, D] of all processes, and the rows of the parts of this one."""
        context = self._passes.context
        rows = torch.tensor([row for part in own for row in part.rows], dtype=torch.long)
        rows = to_device(rows, context.device)
        shape = (count, self._size)
        joined = torch.zeros(shape, dtype=self._vector_dtype, device=context.device)
        if own:
            joined.index_copy_(0, rows, torch.cat([part.detach() for part in vectors]))
        return context.processes.sum(joined), rows

    def _encode(
        self, copy: TrainingCopy, part: Part, token_ids: TokenIds, step: int
    ) -> torch.Tensor:
        """Return vectors [rows of the part, D], in float32 at least."""
        own, device = [token_ids[row] for row in part.rows], self._passes.context.device
        padded = pad_token_ids(own, self._padding, part.micro_batch.width)
        input_ids, mask = (to_device(tensor, device) for tensor in padded)
        self._passes.begin(copy, part, step, part.number)
        full = all(len(ids) == part.micro_batch.width for ids in own)
        with copy.precision():
            # Without padding there is nothing to mask, which is quicker.
            output = copy.encoder(input_ids=input_ids, attention_mask=None if full else mask)
        states, pooled = output.last_hidden_state, output.get("pooler_output")
        if "mean" in self._pooling:
            # means of half precision are of float32
            states = states.to(self._vector_dtype)
        return pool_hidden_states(states, mask, self._pooling, pooled).to(self._vector_dtype)
