"""Drophead: whole attention heads dropped in training (Zhou et al. 2020; paper section 4.4).

It hangs on the registration of attention functions that transformers documents
(`AttentionInterface.register`), and so holds for every model built on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from workflow_scripts.errors import UserError

ATTENTION_NAME = "mirror_drophead"
RATE_ATTRIBUTE = "drophead_rate"


def drop_heads(context: torch.Tensor, rate: float) -> torch.Tensor:
    """Return attention context [B, T, heads, D] with heads dropped, string by string.

    Each head of each string is dropped (zeroed at all positions) with probability `rate`, drawn
    from torch's generator; the others are scaled by heads / kept. Where all heads of a string are
    dropped its context is zero: the residual connection alone carries it.
    """
    strings, _, heads, _ = context.shape
    kept = torch.rand(strings, 1, heads, 1, device=context.device) >= rate
    scale = heads / kept.sum(dim=2, keepdim=True).clamp(min=1)
    return context * (kept * scale).to(context.dtype)


def _attention_with_drophead(
    module: torch.nn.Module, *arguments: Any, **options: Any
) -> tuple[torch.Tensor, None]:
    context, weights = sdpa_attention_forward(module, *arguments, **options)
    if module.training:
        context = drop_heads(context, getattr(module, RATE_ATTRIBUTE))
    return context, weights


AttentionInterface.register(ATTENTION_NAME, _attention_with_drophead)
AttentionMaskInterface.register(ATTENTION_NAME, sdpa_mask)


@contextmanager
def drophead(model: PreTrainedModel, rate: float) -> Iterator[None]:
    """Drop attention heads of `model` with probability `rate` inside the block, in training mode.

    Does nothing for rate 0. Raises `UserError` where the model's attention cannot be replaced.
    """
    if rate == 0:
        yield
        return
    before = model.config._attn_implementation
    model.set_attn_implementation(ATTENTION_NAME)
    if model.config._attn_implementation != ATTENTION_NAME:
        raise UserError(
            f"drophead: the attention of {type(model).__name__} cannot be replaced; set drophead: 0"
        )
    for module in model.modules():
        setattr(module, RATE_ATTRIBUTE, rate)
    try:
        yield
    finally:
        model.set_attn_implementation(before)
        for module in model.modules():
            delattr(module, RATE_ATTRIBUTE)
