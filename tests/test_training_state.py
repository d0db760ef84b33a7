"""The state of a training: what is restored, and where to."""

import pytest
import torch
from torch import nn

from workflow_scripts.errors import UserError
from workflow_scripts.training_state import load_state, read_position, save_state


class Training:
    """A tiny training with scaled losses, one of which overflows."""

    def __init__(self, kind):
        torch.manual_seed(1)
        self.model = nn.Linear(3, 2)
        # groups as some optimisers have them, in another order than the model's parameters
        bias = {"params": [self.model.bias], "weight_decay": 0.0}
        self.optimiser = kind([bias, {"params": [self.model.weight]}], lr=0.1)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=5)

    def steps(self, first, last):
        for step in range(first, last):
            loss = self.model(torch.full((1, 3), float(step))).square().sum()
            self.scaler.scale(loss * (float("inf") if step == 1 else 1)).backward()
            self.scaler.step(self.optimiser)
            self.scaler.update()
            self.optimiser.zero_grad()

    def all_of_it(self):
        state = self.optimiser.state_dict()["state"]
        held = {f"{i} {key}": value for i, own in state.items() for key, value in own.items()}
        return {**self.model.state_dict(), **held}


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.Adagrad])
def test_a_training_goes_on_as_if_nothing_had_been(kind, tmp_path):
    """With the scale of the loss and the count of steps that were skipped."""
    path = tmp_path / "state.safetensors"
    whole, resumed = Training(kind), Training(kind)
    whole.steps(0, 4)
    others = {"best": torch.ones(2)}
    save_state(path, whole.model, whole.optimiser, {"step": 4}, others, whole.scaler)
    found = load_state(path, resumed.model, resumed.optimiser, resumed.scaler)
    assert torch.equal(found["best"], others["best"])
    assert read_position(path) == {"step": 4}
    assert resumed.scaler.state_dict() == whole.scaler.state_dict()
    assert whole.scaler.get_scale() != 64.0
    assert whole.optimiser.state[whole.model.weight]["step"] == 3
    whole.steps(4, 9)
    resumed.steps(4, 9)
    torch.testing.assert_close(resumed.all_of_it(), whole.all_of_it(), rtol=0, atol=0)
    assert resumed.scaler.state_dict() == whole.scaler.state_dict()


def test_the_steps_of_a_fused_optimiser_are_counted_on_the_device_of_its_parameters(tmp_path):
    """The device "meta" stands for CUDA, where fused AdamW refuses a step on the processor."""
    path, training = tmp_path / "state.safetensors", Training(torch.optim.AdamW)
    training.steps(0, 3)
    save_state(path, training.model, training.optimiser, {})
    model = nn.Linear(3, 2, device="meta")
    optimiser = torch.optim.AdamW(model.parameters())
    optimiser.param_groups[0]["fused"] = True
    load_state(path, model, optimiser)
    states = [value for own in optimiser.state.values() for value in own.values()]
    assert len(states) == 6
    assert {state.device.type for state in states} == {"meta"}

    # a damaged state and one of another model are named
    other = nn.Linear(5, 2)
    with pytest.raises(UserError, match=r"damaged.*remove it"):
        load_state(path, other, torch.optim.AdamW(other.parameters()))
    path.write_bytes(b"half")
    with pytest.raises(UserError, match=r"damaged.*remove it"):
        read_position(path)
