"""The models that are pretrained, and the start of their embeddings."""

import numpy as np
import torch
import transformers
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from bundled_models.settings import Architecture
from workflow_scripts.errors import UserError

# RoBERTa counts positions from the padding id + 1.
_ROBERTA_POSITION_OFFSET = 2


def build_model(
    architecture: Architecture, tokenizer: PreTrainedTokenizerFast, seed: int
) -> PreTrainedModel:
    """Return a freshly initialised masked language model without dropout, in float32."""
    common = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    common |= {"num_hidden_layers": architecture.layers, "num_attention_heads": architecture.heads}
    common |= {"hidden_size": architecture.units, "intermediate_size": architecture.feed_forward}
    common |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    positions = tokenizer.model_max_length
    torch.manual_seed(seed)
    if architecture.family == "bert":
        config = transformers.BertConfig(max_position_embeddings=positions, **common)
        return transformers.BertForMaskedLM(config)
    config = transformers.RobertaConfig(
        **{"max_position_embeddings": positions + _ROBERTA_POSITION_OFFSET, **common},
        **{"bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id},
        **{"type_vocab_size": 1, "layer_norm_eps": 1e-5},
    )
    return transformers.RobertaForMaskedLM(config)


def warm_start(model: PreTrainedModel, vectors: np.ndarray, frequencies: np.ndarray) -> None:
    """Start embeddings from `vectors` [vocabulary, units], the output's bias from `frequencies`."""
    embeddings = model.get_input_embeddings().weight
    if tuple(vectors.shape) != tuple(embeddings.shape):
        raise UserError(
            None,
            f"word vectors have the shape {tuple(vectors.shape)}, the model needs "
            f"{tuple(embeddings.shape)}",
            "train them with the same tokenizer and units",
        )
    with torch.no_grad():
        embeddings.copy_(torch.from_numpy(vectors))
        counts = torch.from_numpy(frequencies.astype(np.float64)) + 1.0
        model.get_output_embeddings().bias.copy_(torch.log(counts / counts.sum()).float())
