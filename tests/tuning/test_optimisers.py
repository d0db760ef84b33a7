"""LAMB against Algorithm 2 of You et al. 2020, written out in float64."""

from dataclasses import replace

import pytest
import torch
from plain_training import MEANS

from workflow_scripts.embedding.projections import Projections
from workflow_scripts.tuning import devices
from workflow_scripts.tuning.device_lamb import DeviceLamb
from workflow_scripts.tuning.optimisers import make_optimiser, take_step
from workflow_scripts.tuning.recipe import tuning_recipe_of

KEYS = {"method": "nli", "pooling": "mean", "embed_max_length": 9, "max_length": 9}
# of steps 1, 2, ...
RATES = [0.0, 0.01, 0.03, 0.02, 0.005]
# biases, and gains of norms
SMALL = {"linear.bias", "norm.weight", "norm.bias"} | {f"own.biases.{layer}" for layer in range(3)}


def make_module():
    torch.manual_seed(5)
    parts = {"linear": torch.nn.Linear(6, 4), "norm": torch.nn.LayerNorm(4)}
    # large enough that a bound on norms would show
    parts["embeddings"] = torch.nn.Embedding.from_pretrained(9 * torch.randn(8, 6), freeze=False)
    parts["places"] = torch.nn.Embedding.from_pretrained(torch.zeros(3, 4), freeze=False)
    parts["own"] = Projections(4, 3, 2.0, 3, seed=1)
    return torch.nn.ModuleDict(parts).double()


def gradients(module, step):
    generator = torch.Generator().manual_seed(step)
    return {
        name: torch.randn(one.shape, generator=generator, dtype=one.dtype)
        for name, one in module.named_parameters()
    }


def trained(module, optimiser):
    for number, rate in enumerate(RATES, start=1):
        for name, gradient in gradients(module, number).items():
            module.get_parameter(name).grad = gradient
        take_step(optimiser, MEANS.scaler, number, rate, 1)
        assert all(one.grad is None for one in module.parameters())
    return {name: one.detach() for name, one in module.named_parameters()}


def algorithm_2(module, decay, first=0.9, second=0.999, epsilon=1e-6):
    """All steps for each parameter; `SMALL` ones have neither decay nor trust ratio."""
    found = {}
    for name, one in module.named_parameters():
        weight = one.detach().clone()
        mean, square = torch.zeros_like(weight), torch.zeros_like(weight)
        for number, rate in enumerate(RATES, start=1):
            gradient = gradients(module, number)[name]
            mean = first * mean + (1 - first) * gradient
            square = second * square + (1 - second) * gradient**2
            unbiased = square / (1 - second**number)
            update = mean / (1 - first**number) / (unbiased.sqrt() + epsilon)
            ratio = 1.0
            if name not in SMALL:
                update = update + decay * weight
                norm = (weight**2).sum().sqrt()
                # weights of norm 0 would never move
                ratio = norm / (update**2).sum().sqrt() if norm > 0 else 1.0
            weight = weight - rate * ratio * update
        found[name] = weight
    return found


def lamb_of(module, decay, on_gpu, monkeypatch):
    """LAMB as a recipe has it, on a processor or as on a GPU."""
    traits = replace(devices.TRAITS["cpu"], device_lamb=on_gpu)
    monkeypatch.setitem(devices.TRAITS, "cpu", traits)
    recipe = tuning_recipe_of("own", {**KEYS, "optimiser": "lamb", "weight_decay": decay})
    optimiser = make_optimiser(module, recipe)
    assert isinstance(optimiser, DeviceLamb) == on_gpu
    return optimiser


@pytest.mark.parametrize("on_gpu", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.01, 0.3])
def test_lamb_is_algorithm_2(decay, on_gpu, monkeypatch):
    module = make_module()
    assert {name for name, _ in module.named_parameters()} > SMALL
    expected = algorithm_2(module, decay)
    found = trained(module, lamb_of(module, decay, on_gpu, monkeypatch))
    # the library adds 1e-6 to the norm that it divides by
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("unscaled_before", [False, True])
def test_lamb_of_a_gpu_undoes_the_scale_and_skips_steps_that_are_not_finite(
    unscaled_before, monkeypatch
):
    """Of steps 1 to 4 with a live scaler the third, with an infinite gradient, changes nothing."""
    plain, scaled = make_module(), make_module()
    optimiser, other = (lamb_of(one, 0.1, True, monkeypatch) for one in (plain, scaled))
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    for number in (1, 2, 3, 4):
        taken = number != 3
        before = {name: one.clone() for name, one in scaled.state_dict().items()}
        for name, gradient in gradients(plain, number).items():
            plain.get_parameter(name).grad = gradient if taken else None
            scaled.get_parameter(name).grad = scaler.scale(gradient.clone())
        if not taken:
            scaled["linear"].weight.grad[0, 0] = float("inf")
            scaled["own"].biases[0].grad.fill_(float("nan"))
        if unscaled_before:
            scaler.unscale_(other)
        take_step(optimiser, MEANS.scaler, number, 0.01, 1)
        take_step(other, scaler, number, 0.01, 1)
        if not taken:
            torch.testing.assert_close(scaled.state_dict(), before, rtol=0, atol=0)
    assert scaler.get_scale() == 512.0
    torch.testing.assert_close(scaled.state_dict(), plain.state_dict(), rtol=1e-9, atol=1e-12)
