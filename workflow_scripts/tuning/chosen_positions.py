"""Last hidden states of chosen positions alone, so that the last layer computes no others."""

from collections.abc import Callable

import torch
from transformers import PreTrainedModel

from workflow_scripts.embedding.architectures import after_attention


class ChosenPositions:
    """Lets a copy of a model give chosen positions.

    Every position is looked at as before: those not chosen go from the last attention on. Where
    they go in an architecture that is not listed is not known: it computes them all.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        # residuals are added up before the last of these modules
        self._modules = after_attention(model)[-1:]
        self._positions: torch.Tensor | None = None
        for module in self._modules:
            module.register_forward_pre_hook(self._take)

    def of(self, positions: torch.Tensor, states: Callable[[], torch.Tensor]) -> torch.Tensor:
        """Return [B, M, D] at `positions`, int64 [B, M], of the states [B, T, D] of a pass."""
        self._positions = positions
        try:
            hidden = states()
        finally:
            self._positions = None
        return hidden if self._modules else take_positions(hidden, positions)

    def _take(self, module: torch.nn.Module, arguments: tuple) -> tuple:
        if self._positions is None:
            return arguments
        return tuple(
            take_positions(value, self._positions) if torch.is_tensor(value) else value
            for value in arguments
        )


def take_positions(states: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """Return states [B, T, D] at int64 [B, M]: [B, M, D]."""
    rows = torch.arange(len(states), device=states.device)[:, None] * states.shape[1]
    chosen = states.flatten(0, 1).index_select(0, (rows + positions).flatten())
    return chosen.view(*positions.shape, -1)
