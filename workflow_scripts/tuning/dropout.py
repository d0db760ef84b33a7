"""Dropout and drophead while a model is tuned: their rates, and where their masks come from."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from transformers import AttentionInterface, AttentionMaskInterface, PreTrainedModel
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from workflow_scripts.embedding.architectures import ARCHITECTURES, architecture_of
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout_masks import DropoutMasks, Masks
from workflow_scripts.tuning.recipe import DropoutRates

SEEDED_ATTENTION, FUSED_ATTENTION = "mirror_seeded", "mirror_fused"
# Kernels of attention take masks whose rows start at multiples of so many elements.
_ALIGNED = 8
_MASKS = "mirror_masks"
# DeBERTa's dropout of relative positions has no row of the batch.
_WITHOUT_ROWS = "pos_dropout"


class SeededDropout(nn.Dropout):
    """Dropout that draws its masks from `masks`; `by_row` says if its input has the batch first."""

    def __init__(self, rate: float, masks: DropoutMasks, by_row: bool) -> None:
        super().__init__(rate)
        self.masks = masks
        self.by_row = by_row

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0:
            return input
        draw = self.masks.draw if self.by_row else self.masks.draw_shared
        # of half precision the mask is float32, which the product is rounded from once
        return (input * draw(input.shape, self.p, input.dtype)).to(input.dtype)


def _seeded_attention(
    module: nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **options: object,
) -> tuple[torch.Tensor, None]:
    """Attention of [B, heads, T, D] as [B, T, heads, D], as an `AttentionInterface` function."""
    # where it drops out it is written out, since the kernels draw masks of their own
    if dropout == 0:
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout=0.0, scaling=scaling, **options
        )
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    scores = (query * scale) @ key.transpose(2, 3)
    if attention_mask is not None:
        scores = scores.masked_fill(~attention_mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    masks: DropoutMasks = getattr(module, _MASKS)
    context = (weights * masks.draw(weights.shape, dropout, weights.dtype)).to(value.dtype) @ value
    return context.transpose(1, 2), None


def _padding_bias(
    *args: Any,
    attention_mask: torch.Tensor | None = None,
    dtype: torch.dtype = torch.float32,
    allow_is_bidirectional_skip: bool = False,
    **options: Any,
) -> torch.Tensor | None:
    """Return what is added to attention scores, [B, 1, T, T], for `AttentionMaskInterface`.

    `sdpa_mask` checks whether there is any padding, which makes the host wait; here a mask is
    passed only if there is. The result holds numbers, as kernels would convert it in each layer.
    """
    skip = allow_is_bidirectional_skip and attention_mask is None
    seen = sdpa_mask(
        *args, attention_mask=attention_mask, allow_is_bidirectional_skip=skip, **options
    )
    if seen is None:
        return None
    *shape, width = seen.shape
    rows = -(-width // _ALIGNED) * _ALIGNED
    bias = torch.zeros(*shape, rows, dtype=dtype, device=seen.device)[..., :width]
    # not infinite: padding may see nothing but padding where attention is local
    return bias.masked_fill_(~seen, torch.finfo(dtype).min)


AttentionInterface.register(SEEDED_ATTENTION, _seeded_attention)
AttentionMaskInterface.register(SEEDED_ATTENTION, sdpa_mask)
AttentionInterface.register(FUSED_ATTENTION, sdpa_attention_forward)
AttentionMaskInterface.register(FUSED_ATTENTION, _padding_bias)


def drop_out(model: PreTrainedModel, rates: float | DropoutRates | None, masks: Masks) -> int:
    """Let `model`, a copy, drop out at `rates`, None for its own, with `masks`.

    With `DeviceMasks` dropout and attention are torch's own.

    Returns the number of places (layers counted apart); config.json never changes. Raises
    `UserError` for a model without dropout and for places that its architecture lacks.
    """
    settle, places = _rate_finder(model, rates), 0
    seeded = isinstance(masks, DropoutMasks)
    replaced: dict[int, nn.Dropout] = {}
    for name, module in list(model.named_modules(remove_duplicate=False)):
        setattr(module, _MASKS, masks)
        rate = getattr(module, "attention_dropout", None)
        if isinstance(rate, int | float):
            module.attention_dropout = settle(f"{name}.attention_dropout", rate)
            places += 1
        if not _drops_out(model, name, module):
            continue
        parent, _, child = name.rpartition(".")
        if id(module) not in replaced:
            rate = settle(name, getattr(module, "p", 0.0))
            replaced[id(module)] = nn.Dropout(rate)
            if isinstance(masks, DropoutMasks):
                replaced[id(module)] = SeededDropout(rate, masks, child != _WITHOUT_ROWS)
            places += 1
        setattr(model.get_submodule(parent), child, replaced[id(module)].train(model.training))
    # Without effect for a model with attention of its own: it calls its dropout modules.
    model.set_attn_implementation(SEEDED_ATTENTION if seeded else FUSED_ATTENTION)
    if not places and isinstance(rates, float) and rates > 0:
        what = f"{type(model).__name__} has no dropout to set to {rates}"
        raise UserError("dropout", what, "set dropout: null")
    return places


def _drops_out(model: PreTrainedModel, name: str, module: nn.Module) -> bool:
    if isinstance(module, nn.Dropout):
        return True
    # ModernBERT leaves the layer out where its config says 0.
    architecture = architecture_of(model)
    patterns = filter(None, architecture.dropout.values()) if architecture else ()
    return isinstance(module, nn.Identity) and any(
        re.fullmatch(pattern, name) for pattern in patterns
    )


def _rate_finder(
    model: PreTrainedModel, rates: float | DropoutRates | None
) -> Callable[[str, float], float]:
    """Return what gives the rate of a place from its module name and its own rate."""
    if rates is None:
        return lambda name, own: own
    if not isinstance(rates, DropoutRates):
        return lambda name, own: rates
    architecture, kind = architecture_of(model), model.config.model_type
    if architecture is None:
        raise UserError("dropout", f"the places of {kind} are not known", "give one rate for all")
    by_place = dict(rates)
    for position, rate in by_place.items():
        if rate and architecture.dropout[position] is None:
            raise UserError(
                f"dropout.{position}", f"{kind} has no dropout there", "leave the key out"
            )

    def settle(name: str, own: float) -> float:
        for position, pattern in architecture.dropout.items():
            if pattern and by_place[position] is not None and re.fullmatch(pattern, name):
                return by_place[position]
        return own

    return settle


def drop_heads(context: torch.Tensor, rate: float, masks: Masks) -> torch.Tensor:
    """Return attention context [B, T, heads, D] with heads dropped, string by string.

    Each head of each string is zeroed at all positions with probability `rate`; the others are
    scaled by heads / kept. A string without heads has a context of zero.
    """
    strings, _, heads, _ = context.shape
    kept = masks.draw(torch.Size((strings, 1, heads, 1)), rate, torch.float32).sign()
    scale = heads / kept.sum(dim=2, keepdim=True).clamp(min=1)
    return context * (kept * scale).to(context.dtype)


def drop_out_heads(model: PreTrainedModel, rate: float, masks: Masks) -> None:
    """Let `model`, a copy, drop attention heads with probability `rate` in training mode.

    Zhou et al. 2020, section 4.4 of the paper. Done before the projections of the attention
    context; `UserError` where those are not known.
    """
    if rate == 0:
        return
    architecture = architecture_of(model)
    if architecture is None:
        raise UserError(
            "drophead",
            f"the attention of {model.config.model_type} is not known (known are "
            f"{', '.join(sorted(ARCHITECTURES))})",
            "set drophead: 0",
        )
    heads = model.config.num_attention_heads

    def drop(module: nn.Module, arguments: tuple[torch.Tensor]) -> tuple[torch.Tensor]:
        if not module.training:
            return arguments
        (context,) = arguments
        by_head = context.view(*context.shape[:-1], heads, -1)
        return (drop_heads(by_head, rate, masks).view_as(context),)

    projection = re.compile(architecture.context_projection)
    for name, module in model.named_modules():
        if projection.fullmatch(name):
            module.register_forward_pre_hook(drop)
