"""From hidden states to pieces: the masked language model that a folder holds, and its loss."""

from typing import Any

import torch
from torch.nn import functional
from transformers import MODEL_FOR_MASKED_LM_MAPPING, AutoModelForMaskedLM, PreTrainedModel

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.model_config import read_config
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.masking import IGNORED

# The modules of a head, one after the other, where it is not all in `cls` or `lm_head`.
_HEADS = {
    "albert": ("predictions",),
    "distilbert": ("vocab_transform", "activation", "vocab_layer_norm", "vocab_projector"),
    "electra": ("generator_predictions", "generator_lm_head"),
    "modernbert": ("head", "decoder"),
}


def load_with_head(kind: Any, loaded: LoadedModel, seed: int, **changes: object) -> PreTrainedModel:
    """Return the model of an `AutoModel` class in the folder of `loaded`, in float32 on the CPU.

    Weights that the folder lacks are drawn by `seed`; `changes` are of the config.
    """
    assert loaded.folder is not None
    config = read_config(loaded.folder)
    config.update(changes)
    options = {"local_files_only": True, "trust_remote_code": False, "use_safetensors": True}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return kind.from_pretrained(loaded.folder, config=config, dtype=torch.float32, **options)


def load_masked_lm(loaded: LoadedModel, seed: int) -> PreTrainedModel:
    """Return `loaded.model` under the head of its folder, whose output weights are its embeddings.

    A folder without one (an encoder) gives a fresh head, drawn by `seed`, in the model's precision.
    """
    model = loaded.model
    if type(model.config) not in MODEL_FOR_MASKED_LM_MAPPING:
        kind = model.config.model_type
        raise UserError(
            loaded.name, f"{kind} has no head that predicts masked pieces", "use a BERT model"
        )
    whole = load_with_head(AutoModelForMaskedLM, loaded, seed)
    setattr(whole, whole.base_model_prefix, model)
    whole.to(device=model.device, dtype=model.dtype)
    whole.tie_weights()
    if not isinstance(whole.get_output_embeddings(), torch.nn.Linear):
        kind = model.config.model_type
        raise UserError(loaded.name, f"the output layer of {kind} is not known", "use a BERT model")
    return whole


def predict_pieces(whole: PreTrainedModel, states: torch.Tensor) -> torch.Tensor:
    """Return logits [P, vocabulary] of hidden states [P, D]."""
    default = ("cls",) if hasattr(whole, "cls") else ("lm_head",)
    for name in _HEADS.get(whole.config.model_type, default):
        states = getattr(whole, name)(states)
    return states


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
    masked = labels != IGNORED
    logits = predict_pieces(model, hidden[masked])
    return functional.cross_entropy(logits.float(), labels[masked], reduction=reduction)
