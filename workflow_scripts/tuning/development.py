"""The weights with the best score on a development set."""

import math
from typing import Any

import torch

from workflow_scripts.errors import UserError


class BestWeights:
    """The best score so far, its step and weights; `since` counts the scores after it."""

    def __init__(self) -> None:
        self.step = 0
        self.score: float | None = None
        self.since = 0
        self.weights: dict[str, torch.Tensor] = {}

    def offer(self, step: int, score: float, model: torch.nn.Module) -> None:
        """Take the score of `model` after `step`; of equal ones the first stays the best.

        Raises `UserError` for a score that is not finite.
        """
        if not math.isfinite(score):
            raise UserError(f"development: the score after step {step} is {score}; see the log")
        if self.score is not None and score <= self.score:
            self.since += 1
            return
        self.step, self.score, self.since = step, score, 0
        self.weights = {
            name: parameter.detach().cpu().clone() for name, parameter in model.named_parameters()
        }

    @torch.no_grad()
    def restore(self, model: torch.nn.Module) -> None:
        """Put the best weights into `model`, if there was a score."""
        for name, parameter in model.named_parameters():
            if name in self.weights:
                parameter.copy_(self.weights[name])

    def as_position(self) -> dict[str, Any]:
        """Return all but the weights, for a state file."""
        return {"step": self.step, "score": self.score, "since": self.since}

    def take_position(self, position: dict[str, Any], weights: dict[str, torch.Tensor]) -> None:
        """Go on where `as_position` left off."""
        self.step, self.score = position["step"], position["score"]
        self.since, self.weights = position["since"], weights
