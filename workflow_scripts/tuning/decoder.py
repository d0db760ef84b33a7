"""A decoder with the weights of an encoder, which sees vectors of it alone (TSDAE, section 3)."""

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.prediction import load_with_head
from workflow_scripts.tuning.neighbours import frame_of

# Those whose layers can have cross-attention, and whose head predicts masked and next tokens alike.
_KNOWN = ("bert", "roberta", "xlm-roberta", "camembert", "electra")


def load_decoder(loaded: LoadedModel, seed: int) -> PreTrainedModel:
    """Return a causal language model whose weights are those of `loaded.model`, by name.

    Its head is that of the folder; a head that the folder lacks and cross-attention, which no
    encoder has, are drawn by `seed`. Raises `UserError` for other architectures, and for a
    tokenizer that does not put one token before a string and one after it.
    """
    model, kind = loaded.model, loaded.model.config.model_type
    if kind not in _KNOWN:
        problem = f"{kind} cannot be a decoder that looks at vectors"
        raise UserError(loaded.name, problem, f"take one of {', '.join(_KNOWN)}")
    frame_of(loaded.tokenizer)
    choices = {"is_decoder": True, "add_cross_attention": True}
    decoder = load_with_head(AutoModelForCausalLM, loaded, seed, **choices)
    decoder.to(device=model.device, dtype=model.dtype)
    weights = dict(model.named_parameters())
    for name, _ in list(decoder.base_model.named_parameters()):
        if name in weights:
            module, _, own = name.rpartition(".")
            setattr(decoder.base_model.get_submodule(module), own, weights[name])
    decoder.tie_weights()
    return decoder


class AttendsToVectors:
    """Lets a copy of a decoder look at vectors [B, N, D], which have no positions, in each layer.

    A token sees those before it. Padding, which comes last, no token sees.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self._model = model

    def encode(
        self, input_ids: torch.Tensor, mask: torch.Tensor | None, vectors: torch.Tensor
    ) -> torch.Tensor:
        """Return last hidden states of the tokens [B, T]."""
        width = input_ids.shape[1]
        # whole, as attention of the project's own takes it
        seen = torch.ones(width, width, dtype=torch.bool, device=input_ids.device).tril()
        states = self._model(
            input_ids=input_ids,
            attention_mask=seen[None, None].expand(len(input_ids), 1, width, width),
            encoder_hidden_states=vectors.to(self._model.dtype),
            use_cache=False,
        )
        return states.last_hidden_state

    def first_token(self, number: int) -> int:
        """Return 0: vectors have no positions."""
        return 0
