"""The models that are pretrained, masking (Devlin et al. 2019, section 3.1), and their loss."""

import numpy as np
import torch
import transformers
from torch.nn import functional
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.settings import Architecture

# RoBERTa counts positions from the padding id + 1.
_ROBERTA_POSITION_OFFSET = 2
IGNORED = -100
_SHARE_MASK_TOKEN = 0.8
_SHARE_RANDOM = 0.1


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
            f"word vectors have the shape {tuple(vectors.shape)}, the model needs "
            f"{tuple(embeddings.shape)}; train them with the same tokenizer and units"
        )
    with torch.no_grad():
        embeddings.copy_(torch.from_numpy(vectors))
        counts = torch.from_numpy(frequencies.astype(np.float64)) + 1.0
        model.get_output_embeddings().bias.copy_(torch.log(counts / counts.sum()).float())


def mask_pieces(
    ids: np.ndarray,
    special: np.ndarray,
    masked: float,
    mask_id: int,
    ordinary: np.ndarray,
    generator: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (input ids, labels), both int64 [sequences, length].

    Positions that are not `special` (bool, same shape) are chosen with probability `masked`, at
    least one of them. Of the chosen, 80% become `mask_id`, 10% a piece drawn evenly from `ordinary`
    and 10% stay. Labels are the true ids at chosen positions and -100 elsewhere.
    """
    if special.all():
        raise ValueError("nothing to mask: all positions are special tokens")
    chosen = (generator.random(ids.shape) < masked) & ~special
    if not chosen.any():
        chosen.flat[generator.choice(np.flatnonzero(~special))] = True
    labels = np.where(chosen, ids, IGNORED)
    kind = generator.random(ids.shape)
    inputs = np.where(chosen & (kind < _SHARE_MASK_TOKEN), mask_id, ids)
    random_here = chosen & (kind >= _SHARE_MASK_TOKEN) & (kind < _SHARE_MASK_TOKEN + _SHARE_RANDOM)
    inputs = np.where(random_here, generator.choice(ordinary, size=ids.shape), inputs)
    return inputs.astype(np.int64), labels.astype(np.int64)


def masked_loss(
    model: PreTrainedModel,
    inputs: torch.Tensor,
    attention: torch.Tensor,
    labels: torch.Tensor,
    reduction: str = "mean",
) -> torch.Tensor:
    """Return the cross-entropy (nats per masked piece) of tensors int64 [sequences, length].

    It is that of transformers, but the output layer, the dearest, sees masked positions alone.
    """
    hidden = model.base_model(input_ids=inputs, attention_mask=attention).last_hidden_state
    wanted = labels != IGNORED
    head = model.cls if hasattr(model, "cls") else model.lm_head
    logits = head(hidden[wanted])
    return functional.cross_entropy(logits.float(), labels[wanted], reduction=reduction)
