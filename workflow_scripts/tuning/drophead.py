"""Drophead: whole attention heads dropped in training (Zhou et al. 2020; paper section 4.4)."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn
from transformers import PreTrainedModel

from workflow_scripts.embedding.architectures import ARCHITECTURES, architecture_of
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout_masks import DropoutMasks


def drop_heads(context: torch.Tensor, rate: float, masks: DropoutMasks) -> torch.Tensor:
    """Return attention context [B, T, heads, D] with heads dropped, string by string.

    Each head of each string is zeroed at all positions with probability `rate`; the others are
    scaled by heads / kept. A string without heads has a context of zero.
    """
    strings, _, heads, _ = context.shape
    kept = masks.draw(torch.Size((strings, 1, heads, 1)), rate, torch.float32).sign()
    scale = heads / kept.sum(dim=2, keepdim=True).clamp(min=1)
    return context * (kept * scale).to(context.dtype)


@contextmanager
def drophead(model: PreTrainedModel, rate: float, masks: DropoutMasks) -> Iterator[None]:
    """Drop attention heads of `model` with probability `rate` inside the block, in training mode.

    Done before the projections of the attention context; `UserError` where those are not known.
    """
    if rate == 0:
        yield
        return
    architecture = architecture_of(model)
    if architecture is None:
        raise UserError(
            f"drophead: the attention of {model.config.model_type} is not known (known are "
            f"{', '.join(sorted(ARCHITECTURES))}); set drophead: 0"
        )
    heads = model.config.num_attention_heads

    def drop(module: nn.Module, arguments: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        if not module.training:
            return arguments
        (context,) = arguments
        by_head = context.view(*context.shape[:-1], heads, -1)
        return (drop_heads(by_head, rate, masks).view_as(context),)

    handles = [
        module.register_forward_pre_hook(drop)
        for name, module in model.named_modules()
        if re.fullmatch(architecture.context_projection, name)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
