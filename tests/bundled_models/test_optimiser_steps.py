"""The steps of AdamW in pretraining, against its formulas written out in float64."""

import pytest
import torch
from test_pretraining_commands import inputs, pretrain

from bundled_models import training

__all__ = ["inputs"]


def test_steps_are_those_of_adamw_with_the_decay_and_clipping_of_the_settings(
    inputs, tmp_path, monkeypatch
):
    settings = {"learning_rate": 0.01, "weight_decay": 0.2, "clip_norm": 0.05, "warm_up": 0.5}
    rates, gradients, weights = [], [], []
    make_optimiser = training.make_optimiser

    def watched(model, chosen):
        optimiser, own = make_optimiser(model, chosen), dict(model.named_parameters())
        chosen = {name: own[name] for name in own if name.endswith(("query.weight", "query.bias"))}
        step = optimiser.step

        def watched_step():
            before = {name: one.detach().double() for name, one in chosen.items()}
            gradients.append({name: one.grad.double().clone() for name, one in chosen.items()})
            held = [one.grad for one in own.values() if one.grad is not None]
            norms.append(torch.nn.utils.get_total_norm(held).item())
            rates.append(optimiser.param_groups[0]["lr"])
            weights.append({name: one.clone() for name, one in before.items()})
            step()
            after.update({name: one.detach().double().clone() for name, one in chosen.items()})

        optimiser.step = watched_step
        return optimiser

    norms, after = [], {}
    monkeypatch.setattr(training, "make_optimiser", watched)
    pretrain(inputs, tmp_path, **settings)
    # the gradients of a model of this size are longer than that
    assert norms == pytest.approx([settings["clip_norm"]] * len(norms), rel=1e-3)
    for name, final in after.items():
        value = weights[0][name]
        first, second = torch.zeros_like(value), torch.zeros_like(value)
        decay = settings["weight_decay"] if name.endswith(".weight") else 0.0
        for number, (rate, gradient) in enumerate(zip(rates, gradients, strict=True), start=1):
            first = 0.9 * first + 0.1 * gradient[name]
            second = 0.98 * second + 0.02 * gradient[name] ** 2
            moved = first / (1 - 0.9**number) / ((second / (1 - 0.98**number)).sqrt() + 1e-6)
            value = value - rate * decay * value - rate * moved
        assert torch.allclose(value, final, atol=1e-5), name
