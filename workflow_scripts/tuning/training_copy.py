"""Copies of a model that share its weights, or have them in half precision, set up for training:
one a worker.

Dropout and hooks are in the copies, so that the model itself stays as it was loaded, and what a
pass tells its hooks (masks, positions, vectors) belongs to the one copy that the pass goes through.
"""

from contextlib import AbstractContextManager, nullcontext
from copy import deepcopy
from typing import Any

import torch
from transformers import PreTrainedModel

from workflow_scripts.embedding.architectures import (
    EMBEDDED_ALONE,
    architecture_of,
    give_first_position_only,
)
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.devices import traits_of
from workflow_scripts.tuning.dropout import drop_out, drop_out_heads
from workflow_scripts.tuning.dropout_masks import DeviceMasks, DropoutMasks, Masks
from workflow_scripts.tuning.half_linear import use_half_linear
from workflow_scripts.tuning.half_weights import HalfWeights
from workflow_scripts.tuning.micro_batches import Part
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.recipe import DropoutRates


class TrainingCopy:
    """Modules of `whole`, a model with its head or without one, in training mode.

    `encoder` is the model below the head. With `first_alone` its last layer gives the first
    position alone, which is all that poolings cls and pooler take. Raises `UserError` for a model
    that cannot drop out as asked, or of a type that is not tuned.
    """

    def __init__(
        self,
        whole: PreTrainedModel,
        context: TrainingContext,
        dropout: float | DropoutRates | None,
        drophead: float = 0.0,
        first_alone: bool = False,
    ) -> None:
        if (kind := whole.config.model_type) in EMBEDDED_ALONE:
            problem = "its dropout cannot be seeded, so it can be embedded but not tuned"
            raise UserError(f"model of type {kind}", problem, "take another model")
        traits, self._context = traits_of(context.device), context
        weights = {id(weight): weight for weight in (*whole.parameters(), *whole.buffers())}
        self.half: HalfWeights | None = None
        if traits.half_weights and context.dtype != torch.float32:
            self.half = HalfWeights(whole, context.dtype)
            weights |= self.half.by_id()
        self.whole = deepcopy(whole, weights).train()
        self.encoder = self.whole.base_model
        if self.half is not None:
            architecture = architecture_of(self.encoder)
            use_half_linear(self.encoder, architecture.shared_input if architecture else None)
        masks = DropoutMasks if traits.seeded_masks else DeviceMasks
        self.masks: Masks = masks(context.seed, context.device)
        drop_out(self.encoder, dropout, self.masks)
        drop_out_heads(self.encoder, drophead, self.masks)
        if first_alone:
            give_first_position_only(self.encoder)
        self.encoder.get_input_embeddings().sparse = traits.sparse

    def start(self, part: Part, step: int, number: int) -> None:
        """Begin a forward pass over a part of a batch, whose masks `step` and `number` fix."""
        if self.half is not None:
            self.half.refresh(step)
        self.masks.start(step, number, part.start, part.stop, len(part.micro_batch.rows))

    def precision(self) -> AbstractContextManager[Any]:
        """Return the context of passes through this copy."""
        return self._context.autocast() if self.half is None else nullcontext()
