"""Where architectures of transformers 5 keep what tuning reaches into; others work without it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch.utils.hooks import RemovableHandle
from transformers import PreTrainedModel

DROPOUT_PLACES = ("embeddings", "attention", "attention_output", "feed_forward")


@dataclass(frozen=True)
class Architecture:
    """Module names below `AutoModel`, as regular expressions.

    `dropout` has the modules (in ModernBERT once a number) of each of the four places, None where
    there is none. `context_projection` takes the attention context [B, T, heads * D], head by head.
    From the modules `after_attention` of the last layer on, positions no longer mix. The linear
    layers `shared_input` of a module are all given the same input.
    """

    dropout: dict[str, str | None]
    context_projection: str
    after_attention: tuple[str, ...] = ()
    shared_input: str | None = None


def _places(*modules: str | None) -> dict[str, str | None]:
    return dict(zip(DROPOUT_PLACES, modules, strict=True))


_BERT = Architecture(
    _places(
        # pos_dropout: DeBERTa's, on the relative positions
        *(r"embeddings\.dropout", r"encoder\.layer\.\d+\.attention\.self\.(pos_)?dropout"),
        r"encoder\.layer\.\d+\.attention\.output\.dropout",
        r"encoder\.(layer\.\d+\.output|conv)\.dropout",
    ),
    r"encoder\.layer\.\d+\.attention\.output\.dense",
    ("encoder.layer.{last}.attention.output",),
    shared_input=r"encoder\.layer\.\d+\.attention\.self\.(query|key|value)",
)
_LIKE_BERT = ("bert", "roberta", "xlm-roberta", "camembert", "electra", "deberta", "deberta-v2")
ARCHITECTURES: dict[str, Architecture] = {
    **dict.fromkeys(_LIKE_BERT, _BERT),
    "distilbert": Architecture(
        _places(
            *(r"embeddings\.dropout", r"transformer\.layer\.\d+\.attention\.dropout"),
            *(None, r"transformer\.layer\.\d+\.ffn\.dropout"),
        ),
        r"transformer\.layer\.\d+\.attention\.out_lin",
        ("transformer.layer.{last}.attention.out_lin", "transformer.layer.{last}.sa_layer_norm"),
        shared_input=r"transformer\.layer\.\d+\.attention\.[qkv]_lin",
    ),
    "mpnet": Architecture(
        _places(
            *(r"embeddings\.dropout", r"encoder\.layer\.\d+\.attention\.attn\.dropout"),
            *(r"encoder\.layer\.\d+\.attention\.dropout", r"encoder\.layer\.\d+\.output\.dropout"),
        ),
        r"encoder\.layer\.\d+\.attention\.attn\.o",
        ("encoder.layer.{last}.attention.attn.o", "encoder.layer.{last}.attention.LayerNorm"),
        shared_input=r"encoder\.layer\.\d+\.attention\.attn\.[qkv]",
    ),
    # Its layers share their modules, the last one with the others.
    "albert": Architecture(
        _places(
            *(r"embeddings\.dropout", r".*\.albert_layers\.\d+\.attention\.attention_dropout"),
            *(r".*\.albert_layers\.\d+\.attention\.output_dropout", None),
        ),
        r".*\.albert_layers\.\d+\.attention\.dense",
        shared_input=r".*\.albert_layers\.\d+\.attention\.(query|key|value)",
    ),
    "modernbert": Architecture(
        _places(
            *(r"embeddings\.drop", r"layers\.\d+\.attn\.attention_dropout"),
            # the last is inside the feed-forward block: there is none after it
            *(r"layers\.\d+\.attn\.out_drop", r"layers\.\d+\.mlp\.drop"),
        ),
        r"layers\.\d+\.attn\.Wo",
        ("layers.{last}.attn.Wo", "layers.{last}.mlp_norm", "final_norm"),
    ),
}
# Those whose fused attention takes a mask of keys as it is.
_TAKES_KEY_MASK = {"bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "albert"}

# Their dropout is in no module (XLM's) or has the batch second (XLNet's), so that its masks would
# not be those of the rows: they are embedded, not tuned.
EMBEDDED_ALONE = ("xlm", "xlnet")


def architecture_of(model: PreTrainedModel) -> Architecture | None:
    return ARCHITECTURES.get(model.config.model_type)


def mask_without_waiting(
    model: PreTrainedModel, attention_mask: torch.Tensor, is_full: bool
) -> torch.Tensor | None:
    """Return what `model` takes for the mask [B, T] of a device; `is_full` if nothing is padding.

    None, or a mask of keys [B, 1, 1, T], where the architecture takes one. Of a mask [B, T]
    transformers asks the device whether it is full, and so waits for all that it has to do.
    """
    if is_full:
        return None
    config = model.config
    if config.model_type in _TAKES_KEY_MASK and config._attn_implementation == "sdpa":
        return attention_mask[:, None, None, :].bool()
    return attention_mask


def after_attention(model: PreTrainedModel) -> list[torch.nn.Module]:
    """Return the modules of the last layer behind its attention, none where they are not known."""
    architecture = architecture_of(model)
    names = architecture.after_attention if architecture else ()
    last = model.config.num_hidden_layers - 1
    return [model.get_submodule(name.format(last=last)) for name in names]


def give_first_position_only(model: PreTrainedModel) -> list[RemovableHandle]:
    """Let the last layer give its first position alone, from now on; return what ends that.

    Behind its attention no position looks at another, so the vectors of `cls` and `pooler` are the
    same; last hidden states are then [B, 1, D]. Does nothing for architectures that are not listed.
    """

    def take_first(module: torch.nn.Module, arguments: tuple) -> tuple:
        return tuple(value[:, :1] if torch.is_tensor(value) else value for value in arguments)

    return [module.register_forward_pre_hook(take_first) for module in after_attention(model)]


@contextmanager
def first_position_only(model: PreTrainedModel, is_enough: bool = True) -> Iterator[None]:
    """Do as `give_first_position_only` inside the block, if that `is_enough`."""
    handles = give_first_position_only(model) if is_enough else []
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
