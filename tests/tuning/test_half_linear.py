"""Linear layers of half weights, against autograd in float64 on the same numbers."""

import weakref
from dataclasses import replace

import pytest
import torch
from tiny_architectures import ARCHITECTURES
from tiny_models import cpu_means
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.tuning import devices
from workflow_scripts.tuning.half_linear import HalfLinear, use_half_linear
from workflow_scripts.tuning.training_copy import TrainingCopy

NAMES = ("query", "key", "value", "dense")
SHARED = "attention\\.(query|key|value)"
# of a value rounded once
ROUNDING = {torch.bfloat16: 2**-8, torch.float16: 2**-11}


class Block(nn.Module):
    """Three layers of one input, and a fourth one, without bias, of another."""

    def __init__(self):
        super().__init__()
        self.attention = nn.ModuleDict({name: nn.Linear(6, 4) for name in ("query", "key")})
        self.attention["value"] = nn.Linear(6, 5)
        self.attention["dense"] = nn.Linear(6, 4, bias=False)

    def outputs(self, states):
        return {
            name: layer(states["other" if name == "dense" else "shared"])
            for name, layer in self.attention.items()
        }


class Operators(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        self.names.append(function._schema.name.removeprefix("aten::"))
        return function(*arguments, **(options or {}))


def halves(dtype):
    """A block of half weights, the same in float64, inputs, and gradients by the outputs."""
    torch.manual_seed(1)
    block = Block().to(dtype)
    exact = Block().double()
    exact.load_state_dict(block.state_dict())
    use_half_linear(block, SHARED)
    states = {name: torch.randn(3, 7, 6, dtype=dtype) for name in ("shared", "other")}
    gradients = {name: torch.randn(3, 7, 4 + (name == "value"), dtype=dtype) for name in NAMES}
    return block, exact, states, gradients


def go_back(block, states, gradients, dtype, names=NAMES):
    """Outputs, gradients by the inputs and gradients by the parameters."""
    states = {name: own.detach().to(dtype).requires_grad_() for name, own in states.items()}
    outputs = block.outputs(states)
    torch.autograd.backward(
        [outputs[name] for name in names], [gradients[name].to(dtype) for name in names]
    )
    by_states = {name: own.grad for name, own in states.items()}
    return outputs, by_states, {name: own.grad for name, own in block.named_parameters()}


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_gradients_by_weights_are_those_of_float64_but_for_sums_in_float32(dtype):
    block, exact, states, gradients = halves(dtype)
    assert all(type(layer) is HalfLinear for layer in block.attention.values())
    outputs, by_states, mine = go_back(block, states, gradients, dtype)
    expected_outputs, expected_by_states, expected = go_back(
        exact, states, gradients, torch.float64
    )
    assert mine.keys() == expected.keys()
    for name, own in mine.items():
        assert own.dtype == torch.float32
        torch.testing.assert_close(own.double(), expected[name], rtol=1e-5, atol=1e-5)
    for mine, theirs in ((outputs, expected_outputs), (by_states, expected_by_states)):
        for name, own in mine.items():
            assert own.dtype == dtype
            # three sums are rounded three times
            most = 3 * ROUNDING[dtype] * theirs[name].abs().max().item()
            torch.testing.assert_close(own.double(), theirs[name], rtol=0, atol=most)


def test_products_add_up_the_gradient_by_a_shared_input():
    block, _, states, gradients = halves(torch.bfloat16)
    with Operators() as operators:
        go_back(block, states, gradients, torch.bfloat16)
    assert operators.names.count("addmm_") == 2
    assert not {"add", "add_", "cat"} & set(operators.names)


@pytest.mark.parametrize("unused", NAMES)
def test_a_layer_without_use_has_no_gradient(unused):
    block, exact, states, gradients = halves(torch.bfloat16)
    names = [name for name in NAMES if name != unused]
    _, by_states, mine = go_back(block, states, gradients, torch.bfloat16, names)
    _, expected, _ = go_back(exact, states, gradients, torch.float64, names)
    for name, own in mine.items():
        assert (own is None) == (f".{unused}." in name)
    assert (by_states["other"] is None) == (unused == "dense")
    own = by_states["shared"].double()
    torch.testing.assert_close(own, expected["shared"], rtol=0.03, atol=0.03)


def test_weights_and_inputs_that_need_no_gradient_have_none():
    block, _, states, gradients = halves(torch.bfloat16)
    query = block.attention["query"]
    query.weight.requires_grad_(False)
    output = query(states["shared"])
    output.backward(gradients["query"])
    assert query.weight.grad is None and query.bias.grad is not None
    assert not output.isnan().any()


def test_another_input_gives_another_output_in_any_order():
    block, exact, states, _ = halves(torch.bfloat16)
    layers, plain = block.attention, exact.attention
    for name, states_name in [("key", "shared"), ("key", "shared"), ("query", "other")]:
        own = states[states_name]
        expected = plain[name](own.double())
        torch.testing.assert_close(layers[name](own).double(), expected, rtol=0.02, atol=0.02)


def test_nothing_is_kept_when_all_layers_have_given_their_output():
    block, _, states, _ = halves(torch.bfloat16)
    with torch.no_grad():
        kept = [weakref.ref(own) for own in block.outputs(states).values()]
    kept += map(weakref.ref, states.values())
    states.clear()
    assert [reference() for reference in kept] == [None] * 6


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_layers_that_are_listed_have_the_same_input(name, folder_of, monkeypatch):
    monkeypatch.setitem(devices.TRAITS, "cpu", devices.TRAITS["cuda"])
    means = replace(cpu_means(), dtype=torch.bfloat16)
    encoder = TrainingCopy(load_model(str(folder_of(name))).model, means, 0.0).encoder
    encoder(input_ids=torch.tensor([[5, 6, 7, 8]]))
    layers = [layer for layer in encoder.modules() if isinstance(layer, HalfLinear)]
    groups = {id(layer.together): layer.together for layer in layers}.values()
    assert layers and all(not group.waiting for group in groups)
    sizes = {len(group.layers) for group in groups}
    # DeBERTa's are also given relative positions, ModernBERT has one layer for the three
    assert sizes == ({1} if name in ("deberta", "deberta-v2", "modernbert") else {1, 3})
