"""The optimisers of recipes, and the steps that they take."""

import math
from typing import Any

import torch

from workflow_scripts.embedding.torch_setup import torch_threads
from workflow_scripts.tuning.device_lamb import DeviceLamb
from workflow_scripts.tuning.devices import traits_of
from workflow_scripts.tuning.recipe import TuningRecipe

_LAMB_BETAS = (0.9, 0.999)


def make_optimiser(module: torch.nn.Module, recipe: TuningRecipe) -> torch.optim.Optimizer:
    """Return the optimiser of a recipe for the parameters of `module`."""
    rate, decay = recipe.learning_rate, recipe.weight_decay
    if recipe.optimiser == "adamw":
        return torch.optim.AdamW(module.parameters(), lr=rate, weight_decay=decay, fused=True)
    large: list[torch.nn.Parameter] = []
    small: list[torch.nn.Parameter] = []
    for name, parameter in module.named_parameters():
        # gains of norms are vectors too
        (small if parameter.ndim < 2 or "bias" in name else large).append(parameter)
    # `adam` is the library's word for no trust ratio
    groups: list[dict[str, Any]] = [{"params": large, "weight_decay": decay}]
    groups.append({"params": small, "weight_decay": 0.0, "adam": True})
    if traits_of(next(module.parameters()).device).device_lamb:
        return DeviceLamb(groups, rate, _LAMB_BETAS)
    # Only now: it takes a second to import.
    from pytorch_optimizer import Lamb

    # decay within the update, as published; `adam_debias` is the library's word for a rate that it
    # does not divide by 1 - beta1 ** t, which `take_step` has in the means
    options = {"weight_decouple": False, "adam_debias": True, "foreach": False}
    optimiser = Lamb(groups, lr=rate, betas=_LAMB_BETAS, **options)
    # its authors' first version bounded the norms of weights
    optimiser.clamp = math.inf
    return optimiser


def take_step(
    optimiser: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    number: int,
    rate: float,
    threads: int,
) -> None:
    """Take step `number`, from 1 on, and forget the gradients.

    LAMB divides both running means of step t by 1 - beta ** t (You et al. 2020, Algorithm 2), which
    its library does not: those of beta (1 - beta ** (t - 1)) / (1 - beta ** t) need no division.
    """
    for group in optimiser.param_groups:
        group["lr"] = rate
        if not isinstance(optimiser, torch.optim.AdamW):
            group["betas"] = tuple(
                beta * (1 - beta ** (number - 1)) / (1 - beta**number) for beta in _LAMB_BETAS
            )
    # each value for itself, so threads may share them; norms are sums, which depend on threads
    with torch_threads(threads if isinstance(optimiser, torch.optim.AdamW) else 1):
        scaler.step(optimiser)
    scaler.update()
    optimiser.zero_grad(set_to_none=True)
