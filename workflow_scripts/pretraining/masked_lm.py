"""The models that are pretrained, and their loss at masked positions only."""

import numpy as np
import torch
from torch.nn import functional
from transformers import (
    BertConfig,
    BertForMaskedLM,
    PreTrainedModel,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
)

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.masking import IGNORED
from workflow_scripts.pretraining.settings import Architecture

# RoBERTa counts positions from the padding id + 1.
_ROBERTA_POSITION_OFFSET = 2


def build_model(
    architecture: Architecture, tokenizer: PreTrainedTokenizerFast, seed: int
) -> PreTrainedModel:
    """Return a freshly initialised masked language model without dropout, in float32.

    Raises `UserError` for an unknown family, or units that the heads do not divide.
    """
    if architecture.units % architecture.heads:
        raise UserError(
            f"architecture.units: {architecture.units} is no multiple of heads "
            f"({architecture.heads}); change one of them"
        )
    common = {
        "vocab_size": len(tokenizer),
        "hidden_size": architecture.units,
        "num_hidden_layers": architecture.layers,
        "num_attention_heads": architecture.heads,
        "intermediate_size": architecture.feed_forward,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "pad_token_id": tokenizer.pad_token_id,
    }
    positions = tokenizer.model_max_length
    torch.manual_seed(seed)
    if architecture.family == "bert":
        return BertForMaskedLM(BertConfig(max_position_embeddings=positions, **common))
    if architecture.family == "roberta":
        return RobertaForMaskedLM(
            RobertaConfig(
                max_position_embeddings=positions + _ROBERTA_POSITION_OFFSET,
                type_vocab_size=1,
                layer_norm_eps=1e-5,
                bos_token_id=tokenizer.bos_token_id,
                eos_token_id=tokenizer.eos_token_id,
                **common,
            )
        )
    raise UserError(
        f"architecture.family: unknown family {architecture.family!r}; use bert or roberta"
    )


def warm_start(model: PreTrainedModel, vectors: np.ndarray, frequencies: np.ndarray) -> None:
    """Copy word vectors [vocabulary, units] into the embedding matrix, in place.

    The bias of the output starts at the logarithm of the piece `frequencies` [vocabulary] (counts,
    one added), so that training need not spend steps on learning them. Raises `UserError` if the
    shapes differ.
    """
    embeddings = model.get_input_embeddings().weight
    if tuple(vectors.shape) != tuple(embeddings.shape):
        raise UserError(
            f"word vectors have the shape {tuple(vectors.shape)}, the model needs "
            f"{tuple(embeddings.shape)}; train them with the same tokenizer and units"
        )
    with torch.no_grad():
        embeddings.copy_(torch.from_numpy(vectors))
        counts = torch.from_numpy(frequencies.astype(np.float64)) + 1.0
        model.get_output_embeddings().bias.copy_(torch.log(counts / counts.sum()).float())


def masked_loss(
    model: PreTrainedModel,
    inputs: torch.Tensor,
    attention: torch.Tensor,
    labels: torch.Tensor,
    reduction: str = "mean",
) -> torch.Tensor:
    """Return the cross-entropy (nats per masked piece) at the positions with labels.

    All three tensors are int64 [sequences, length]. Equal to the loss that transformers computes,
    but the output layer, the dearest part of a small model, sees the masked positions alone.
    """
    hidden = model.base_model(input_ids=inputs, attention_mask=attention).last_hidden_state
    wanted = labels != IGNORED
    head = model.cls if hasattr(model, "cls") else model.lm_head
    logits = head(hidden[wanted])
    return functional.cross_entropy(logits.float(), labels[wanted], reduction=reduction)
