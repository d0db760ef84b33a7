"""What several processes, and float16, make of gradients before a step of the optimiser."""

import accelerate.utils
import pytest
import torch

from workflow_scripts.tuning import loop
from workflow_scripts.tuning.processes import Processes


@pytest.fixture
def three_processes(monkeypatch):
    """Processes of which this is one of three that hold the same."""

    def reduce(tensor, reduction="mean"):
        return tensor * {"sum": 3, "mean": 1}[reduction]

    monkeypatch.setattr(accelerate.utils, "reduce", reduce)
    processes = Processes()
    processes._state, processes.count = object(), 3
    return processes


def test_gradients_are_summed_over_processes(three_processes):
    used, unused = (torch.nn.Parameter(torch.zeros(2)) for _ in range(2))
    used.grad = torch.tensor([1.0, -2.0])
    three_processes.sum_gradients([used, unused])
    assert used.grad.tolist() == [3.0, -6.0]
    assert unused.grad is None


@pytest.mark.parametrize("scale", [1.0, 1024.0])
def test_clipping_is_of_gradients_without_the_scale_of_float16(scale):
    """The weights move by the learning rate times a gradient of norm 0.5, whatever the scale."""
    layer = torch.nn.Linear(2, 1, bias=False)
    torch.nn.init.zeros_(layer.weight)
    optimiser = torch.optim.SGD(layer.parameters(), lr=1.0)
    scaler = torch.amp.GradScaler("cpu", init_scale=scale)
    scaler.scale(layer(torch.tensor([[3.0, 4.0]])).sum()).backward()
    loop._join((layer, optimiser, scaler), 0.5, Processes())
    scaler.step(optimiser)
    assert layer.weight.tolist()[0] == pytest.approx([-0.3, -0.4], rel=1e-4)
