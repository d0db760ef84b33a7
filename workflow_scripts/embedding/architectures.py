"""Where the architectures of transformers keep what tuning and embedding reach into.

Module names are those below what `AutoModel` gives, read from the modeling files of transformers 5.
An architecture that is not listed still works, without what needs its entry.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from transformers import PreTrainedModel

DROPOUT_PLACES = ("embeddings", "attention", "attention_output", "feed_forward")


@dataclass(frozen=True)
class Architecture:
    """Module names, as regular expressions, of one architecture.

    `dropout` has the modules (or, in ModernBERT, a number) of each of the four places, None where
    the architecture lacks the place. The input of `context_projection` is the attention context
    [B, T, heads * D], head by head. From the modules `after_attention` of the last layer on,
    positions no longer mix (names with `{last}` for the number of that layer).
    """

    dropout: dict[str, str | None]
    context_projection: str
    after_attention: tuple[str, ...] = ()


_BERT = Architecture(
    dropout={
        "embeddings": r"embeddings\.dropout",
        # pos_dropout: DeBERTa's, on the relative positions
        "attention": r"encoder\.layer\.\d+\.attention\.self\.(pos_)?dropout",
        "attention_output": r"encoder\.layer\.\d+\.attention\.output\.dropout",
        "feed_forward": r"encoder\.(layer\.\d+\.output|conv)\.dropout",
    },
    context_projection=r"encoder\.layer\.\d+\.attention\.output\.dense",
    after_attention=("encoder.layer.{last}.attention.output",),
)
ARCHITECTURES: dict[str, Architecture] = {
    **dict.fromkeys(
        ("bert", "roberta", "xlm-roberta", "camembert", "electra", "deberta", "deberta-v2"), _BERT
    ),
    "distilbert": Architecture(
        dropout={
            "embeddings": r"embeddings\.dropout",
            "attention": r"transformer\.layer\.\d+\.attention\.dropout",
            "attention_output": None,
            "feed_forward": r"transformer\.layer\.\d+\.ffn\.dropout",
        },
        context_projection=r"transformer\.layer\.\d+\.attention\.out_lin",
        after_attention=(
            "transformer.layer.{last}.attention.out_lin",
            "transformer.layer.{last}.sa_layer_norm",
        ),
    ),
    "mpnet": Architecture(
        dropout={
            "embeddings": r"embeddings\.dropout",
            "attention": r"encoder\.layer\.\d+\.attention\.attn\.dropout",
            "attention_output": r"encoder\.layer\.\d+\.attention\.dropout",
            "feed_forward": r"encoder\.layer\.\d+\.output\.dropout",
        },
        context_projection=r"encoder\.layer\.\d+\.attention\.attn\.o",
        after_attention=(
            "encoder.layer.{last}.attention.attn.o",
            "encoder.layer.{last}.attention.LayerNorm",
        ),
    ),
    # Its layers share their modules, the last one with the others.
    "albert": Architecture(
        dropout={
            "embeddings": r"embeddings\.dropout",
            "attention": r".*\.albert_layers\.\d+\.attention\.attention_dropout",
            "attention_output": r".*\.albert_layers\.\d+\.attention\.output_dropout",
            "feed_forward": None,
        },
        context_projection=r".*\.albert_layers\.\d+\.attention\.dense",
    ),
    "modernbert": Architecture(
        dropout={
            "embeddings": r"embeddings\.drop",
            "attention": r"layers\.\d+\.attn\.attention_dropout",
            "attention_output": r"layers\.\d+\.attn\.out_drop",
            # inside the feed-forward block: there is none after it
            "feed_forward": r"layers\.\d+\.mlp\.drop",
        },
        context_projection=r"layers\.\d+\.attn\.Wo",
        after_attention=("layers.{last}.attn.Wo", "layers.{last}.mlp_norm", "final_norm"),
    ),
}


def architecture_of(model: PreTrainedModel) -> Architecture | None:
    """Return the entry of a model's architecture, None where there is none."""
    return ARCHITECTURES.get(model.config.model_type)


def _take_first(module: torch.nn.Module, arguments: tuple) -> tuple:
    return tuple(value[:, :1] if torch.is_tensor(value) else value for value in arguments)


@contextmanager
def first_position_only(model: PreTrainedModel, wanted: bool = True) -> Iterator[None]:
    """Let the last layer give its first position alone inside the block, if `wanted`.

    Behind the attention of the last layer no position looks at another, so for the poolings `cls`
    and `pooler` the others need not be computed: the vectors are the same. Last hidden states are
    then [B, 1, D]. Does nothing for architectures where the place is not known.
    """
    architecture = architecture_of(model)
    if not wanted or architecture is None:
        yield
        return
    last = model.config.num_hidden_layers - 1
    handles = [
        model.get_submodule(name.format(last=last)).register_forward_pre_hook(_take_first)
        for name in architecture.after_attention
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
