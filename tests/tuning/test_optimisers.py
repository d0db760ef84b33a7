"""LAMB against Algorithm 2 of You et al. 2020, written out in float64; AdamW as it was."""

import pytest
import torch
from plain_training import MEANS

from workflow_scripts.embedding.projections import Projections
from workflow_scripts.tuning.optimisers import make_optimiser, take_step
from workflow_scripts.tuning.recipe import tuning_recipe_of

KEYS = {"method": "nli", "pooling": "mean", "embed_max_length": 9, "max_length": 9}
# of steps 1, 2, ...
RATES = [0.0, 0.01, 0.03, 0.02, 0.005]
# biases, and gains of norms
SMALL = {"linear.bias", "norm.weight", "norm.bias"} | {f"own.biases.{layer}" for layer in range(3)}


def make_module(dtype=torch.float64):
    torch.manual_seed(5)
    parts = {"linear": torch.nn.Linear(6, 4), "norm": torch.nn.LayerNorm(4)}
    # large enough that a bound on norms would show
    parts["embeddings"] = torch.nn.Embedding.from_pretrained(9 * torch.randn(8, 6), freeze=False)
    parts["places"] = torch.nn.Embedding.from_pretrained(torch.zeros(3, 4), freeze=False)
    parts["own"] = Projections(4, 3, 2.0, 3, seed=1)
    return torch.nn.ModuleDict(parts).to(dtype)


def gradients(module, step):
    generator = torch.Generator().manual_seed(step)
    return {
        name: torch.randn(one.shape, generator=generator, dtype=one.dtype)
        for name, one in module.named_parameters()
    }


def trained(module, optimiser, threads=1):
    for number, rate in enumerate(RATES, start=1):
        for name, gradient in gradients(module, number).items():
            module.get_parameter(name).grad = gradient
        take_step(optimiser, MEANS.scaler, number, rate, threads)
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


@pytest.mark.parametrize("decay", [0.0, 0.01, 0.3])
def test_lamb_is_algorithm_2(decay):
    module = make_module()
    assert {name for name, _ in module.named_parameters()} > SMALL
    expected = algorithm_2(module, decay)
    recipe = tuning_recipe_of("own", {**KEYS, "optimiser": "lamb", "weight_decay": decay})
    found = trained(module, make_optimiser(module, recipe))
    # the library adds 1e-6 to the norm that it divides by
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


def test_adamw_is_torch_s_with_decay_for_all_parameters():
    module, other = make_module(torch.float32), make_module(torch.float32)
    optimiser = torch.optim.AdamW(other.parameters(), lr=1.0, weight_decay=0.3, fused=True)
    for number, rate in enumerate(RATES, start=1):
        for name, gradient in gradients(other, number).items():
            other.get_parameter(name).grad = gradient
        optimiser.param_groups[0]["lr"] = rate
        optimiser.step()
    recipe = tuning_recipe_of("own", {**KEYS, "weight_decay": 0.3})
    found = trained(module, make_optimiser(module, recipe), threads=2)
    expected = {name: one.detach() for name, one in other.named_parameters()}
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
