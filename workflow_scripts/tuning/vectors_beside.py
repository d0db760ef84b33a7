"""Vectors next to the token embeddings of a sequence, for all layers to see (CMLM, section 2)."""

from typing import Literal

import torch
from transformers import PreTrainedModel

from workflow_scripts.errors import UserError

# Embeddings that hold the positions: the vectors, which come later, have none.
_KNOWN = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra")


class VectorsBeside:
    """Joins vectors [B, N, D] to what the embedding layer of a copy of a model gives.

    They get neither positions nor segments, and neither the layer's normalisation nor its dropout.
    """

    def __init__(self, model: PreTrainedModel, place: Literal["before", "after"]) -> None:
        kind = model.config.model_type
        if kind not in _KNOWN or hasattr(model, "embeddings_project"):
            raise UserError(
                "method cmlm",
                f"the embedding layer of {kind} is not known, or narrower than the other layers",
                f"take one of {', '.join(_KNOWN)}",
            )
        self._model, self._place = model, place
        self._vectors: torch.Tensor | None = None
        model.embeddings.register_forward_hook(self._join)

    def _join(self, module: torch.nn.Module, inputs: tuple, output: torch.Tensor) -> torch.Tensor:
        if self._vectors is None:
            return output
        parts = [self._vectors.to(output.dtype), output]
        return torch.cat(parts if self._place == "before" else parts[::-1], dim=1)

    def encode(
        self, input_ids: torch.Tensor, mask: torch.Tensor | None, vectors: torch.Tensor
    ) -> torch.Tensor:
        """Return last hidden states of the tokens [B, T] and of the `vectors` next to them."""
        if mask is not None:
            seen = mask.new_ones(vectors.shape[:2])
            mask = torch.cat([seen, mask] if self._place == "before" else [mask, seen], dim=1)
        self._vectors = vectors
        try:
            return self._model(input_ids=input_ids, attention_mask=mask).last_hidden_state
        finally:
            self._vectors = None

    def first_token(self, number: int) -> int:
        """Return the position of the first token next to so many vectors."""
        return number if self._place == "before" else 0
