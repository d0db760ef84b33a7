"""Dropout rates of a model, overwritten for tuning."""

from torch import nn

from workflow_scripts.errors import UserError


def overwrite_dropout(model: nn.Module, rate: float) -> int:
    """Set every dropout layer of `model` to `rate`; return how many there are.

    In BERT and RoBERTa they stand in four places: after the embeddings, on the attention
    probabilities, after the attention output and after the feed-forward output of each layer.
    config.json keeps the rates that the model came with. Raises `UserError` for a model without.
    """
    layers = [module for module in model.modules() if isinstance(module, nn.Dropout)]
    if not layers and rate > 0:
        raise UserError(
            f"dropout: {type(model).__name__} has no dropout layers to set to {rate}; "
            "set dropout: null"
        )
    for layer in layers:
        layer.p = rate
    return len(layers)
