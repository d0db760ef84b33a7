"""What config.json may ask for: an encoder of the size of its weights, and attention of torch's."""

from itertools import chain
from pathlib import Path

import torch
import transformers
from safetensors import safe_open

from workflow_scripts.errors import UserError

# Those that the tests tune, save and load (XLM and XLNet: load and save); others that
# `check_architecture` lets pass may do too.
ENCODERS = (
    "BERT, RoBERTa, XLM-R, CamemBERT, DistilBERT, ELECTRA, MPNet, ALBERT, DeBERTa, ModernBERT, XLM "
    "and XLNet"
)
# Sizes that some tensor has; others, such as the number of positions, may be of none.
_SIZES = ("vocab_size", "hidden_size", "intermediate_size", "embedding_size")
_LARGEST_OTHER = 100_000
# Characters that few vocabularies have.
_RARE = ("\u16a0", "\U00013000")


def read_config(folder: Path) -> transformers.PreTrainedConfig:
    """Return config.json, with torch's attention: the file may name code to be fetched."""
    config = transformers.AutoConfig.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False
    )
    model = transformers.MODEL_MAPPING.get(type(config), None)
    config._attn_implementation = "sdpa" if getattr(model, "_supports_sdpa", False) else "eager"
    return config


def check_architecture(config: transformers.PreTrainedConfig, source: str) -> None:
    """Raise `UserError` unless `config` is of an encoder with masked language modelling, or XLNet.

    XLNet's attention goes both ways, too, though it was trained on permutations.
    """
    if getattr(config, "is_encoder_decoder", False):
        what = "an encoder-decoder"
    elif getattr(config, "is_decoder", False):
        what = "set up as a decoder (is_decoder in config.json)"
    elif getattr(config, "quantization_config", None) is not None:
        what = "quantised (quantization_config in config.json)"
    elif getattr(config, "causal", False) or getattr(config, "attn_type", "bi") != "bi":
        what = "set up for causal attention (causal or attn_type in config.json)"
    elif getattr(config, "use_lang_emb", False) and getattr(config, "n_langs", 1) > 1:
        # transformers would leave the embedding of the language out, without a word
        what = "a model that needs the language of each string (use_lang_emb)"
    elif type(config) in (*transformers.MODEL_FOR_MASKED_LM_MAPPING, transformers.XLNetConfig):
        return
    elif type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
        what = "a decoder"
    else:
        what = "not a masked language model"
    raise UserError(
        source,
        f"{config.model_type} is {what}",
        f"give an encoder-only model: {ENCODERS} are supported",
    )


def check_sizes(config: transformers.PreTrainedConfig, folder: Path, source: str) -> None:
    """Raise `UserError` where config.json asks for far more than the weights hold.

    From the headers alone, since a model is made in memory before its weights are read.
    """
    tensors, largest = 0, 1
    for file in folder.glob("*.safetensors"):
        with safe_open(file, framework="np") as stream:
            shapes = [stream.get_slice(name).get_shape() for name in stream.keys()]  # noqa: SIM118
        tensors += len(shapes)
        largest = max(largest, *(size for shape in shapes for size in shape))
    limits = dict.fromkeys(_SIZES, largest) | {"num_hidden_layers": tensors}
    asked = {key: getattr(config, key, None) for key in limits}
    asked |= {key: value for key, value in config.to_dict().items() if key not in asked}
    for key, value in asked.items():
        limit = limits.get(key, max(largest, _LARGEST_OTHER))
        if isinstance(value, int) and value > limit:
            raise UserError(
                source,
                f"config.json: {key} is {value}, more than the weights hold",
                "use both from the same model",
            )


def check_tokenizer(
    tokenizer: transformers.PreTrainedTokenizerBase,
    config: transformers.PreTrainedConfig,
    source: str,
) -> None:
    """Raise `UserError` where ids have no embedding; any error where rare characters have none."""
    if tokenizer.pad_token_id is None:
        raise UserError(source, "the tokenizer has no padding token", "add one and save it again")
    rare = tokenizer(list(_RARE))["input_ids"]
    largest = max(chain(tokenizer.get_vocab().values(), *rare), default=0)
    if largest >= config.vocab_size:
        raise UserError(
            source,
            f"the tokenizer gives the id {largest}, but vocab_size in config.json is "
            f"{config.vocab_size}",
            "use both from the same model",
        )


def try_out(
    model: transformers.PreTrainedModel, tokenizer: transformers.PreTrainedTokenizerBase
) -> None:
    """Run a model in eval mode on two strings; any error where its config.json does not let it."""
    batch = tokenizer(["a", "a a a"], padding=True, return_tensors="pt")
    with torch.inference_mode():
        ids, mask = batch["input_ids"], batch["attention_mask"]
        states = model(input_ids=ids, attention_mask=mask).last_hidden_state
    if states.shape != (*ids.shape, model.config.hidden_size):
        raise ValueError(f"states of shape {list(states.shape)} for ids of {list(ids.shape)}")
