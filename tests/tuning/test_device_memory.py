"""What every step needs is compared with what a GPU has, before the first one."""

import pytest
import torch

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.device_memory import check_device_memory, fixed_bytes

CUDA = torch.device("cuda")


@pytest.fixture
def layers():
    """6 weights that are trained, 8 that are not, one of them shared."""
    module = torch.nn.ModuleDict({"trained": torch.nn.Linear(3, 2, bias=False)})
    module["kept"] = torch.nn.Linear(4, 2, bias=False).requires_grad_(False)
    module["again"] = torch.nn.Linear(3, 2, bias=False)
    module["again"].weight = module["trained"].weight
    return module


@pytest.fixture
def memory(monkeypatch):
    """Sets what a device has: free, and of torch's own share reserved and in use."""

    def give(free, reserved=0, allocated=0):
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (free, 10 * free))
        monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: reserved)
        monkeypatch.setattr(torch.cuda, "memory_allocated", lambda device: allocated)

    return give


def test_a_trained_weight_takes_sixteen_bytes_and_a_kept_one_four(layers):
    assert fixed_bytes(layers) == 6 * 16 + 8 * 4


def test_adamw_holds_what_the_formula_counts():
    layer = torch.nn.Linear(300, 200)
    optimiser = torch.optim.AdamW(layer.parameters(), fused=True)
    layer(torch.ones(1, 300)).sum().backward()
    optimiser.step()
    held = [tensor for tensor in layer.parameters()]
    held += [tensor.grad for tensor in held]
    held += [state[key] for state in optimiser.state.values() for key in ("exp_avg", "exp_avg_sq")]
    assert sum(tensor.nbytes for tensor in held) == fixed_bytes(layer)


@pytest.mark.parametrize(
    # gradients and means are 6 * 12 bytes on top of the weights, which are there
    ("free", "reserved", "allocated", "fits"),
    [(72, 0, 0, True), (71, 0, 0, False), (50, 122, 100, True), (50, 121, 100, False)],
)
def test_unused_memory_of_torch_counts_as_free(free, reserved, allocated, fits, layers, memory):
    memory(free, reserved, allocated)
    if fits:
        check_device_memory(layers, CUDA)
    else:
        with pytest.raises(UserError):
            check_device_memory(layers, CUDA)


def test_the_message_has_both_sizes_and_what_to_change(memory):
    # of 560 million weights, as XLM-R large has
    with torch.device("meta"):
        model = torch.nn.Linear(56_000, 10_000, bias=False)
    memory(5_000_000_000)
    with pytest.raises(UserError) as caught:
        check_device_memory(model, CUDA)
    assert str(caught.value) == (
        "weights, gradients and optimiser take 9.0 GB of GPU memory before any batch, and 7.2 GB "
        "are available; use a smaller model or a larger GPU; batch_size, max_length, optimiser "
        "and precision do not change this"
    )


def test_a_processor_is_not_looked_at(layers, memory):
    memory(0)
    check_device_memory(layers, torch.device("cpu"))
