"""Token types of the architectures that take others than 0 at every position, or none at all.

Models are otherwise run without `token_type_ids`, which transformers takes for zeros.
"""

from functools import partial
from typing import Any

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

# XLNet was trained with [CLS] after the string, as a separate segment.
_OF_XLNETS_CLS = 2


def set_token_types(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Let a model that was loaded get the token types that it was trained with, in every pass.

    The tokenizer is made to say the same to others: sentence-transformers passes what it names.
    """
    kind = model.config.model_type
    if kind not in ("xlnet", "xlm"):
        return
    names = [name for name in tokenizer.model_input_names if name != "token_type_ids"]
    if kind == "xlnet":
        add_types = partial(_add_types_of_xlnet, tokenizer.cls_token_id)
        model.register_forward_pre_hook(add_types, with_kwargs=True)
        names.append("token_type_ids")
    # XLM would add the embeddings of the tokens that have the types as ids.
    tokenizer.model_input_names = names
    # what is saved of it
    tokenizer.init_kwargs["model_input_names"] = names


def has_own_token_types(model: PreTrainedModel) -> bool:
    """Return whether `set_token_types` made them part of each pass."""
    return model.config.model_type == "xlnet"


def _add_types_of_xlnet(
    cls_token_id: int, _: torch.nn.Module, arguments: tuple, named: dict[str, Any]
) -> tuple[tuple, dict[str, Any]]:
    """Give the last token of each row that is not padding, if it is [CLS], its own type."""
    input_ids, mask = named["input_ids"], named.get("attention_mask")
    mask = torch.ones_like(input_ids) if mask is None else mask
    last = (mask.sum(dim=1, keepdim=True) - 1).clamp(min=0)
    of_last = (input_ids.gather(1, last) == cls_token_id) * _OF_XLNETS_CLS
    types = torch.zeros_like(input_ids).scatter(1, last, of_last.to(input_ids.dtype))
    return arguments, {**named, "token_type_ids": types}
