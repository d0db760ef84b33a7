"""Linear layers with weights in half precision, whose gradients by weights are float32.

torch's own layers round these gradients to half precision, so that `HalfWeights` has to cast them,
and add up the gradients by an input that several layers share in operations of their own. Here the
products write float32, and add to that sum as they are computed.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

import torch
from torch import nn
from torch.autograd.function import once_differentiable
from torch.nn import functional


def use_half_linear(model: nn.Module, shared_input: str | None) -> None:
    """Replace each linear layer of `model`, whose weights are half ones, by a `HalfLinear`.

    Layers of one module whose names match the regular expression `shared_input` are computed
    together, since they are given the same input.
    """
    names = [name for name, module in model.named_modules() if type(module) is nn.Linear]

    def group_of(name: str) -> str:
        shares = shared_input is not None and re.fullmatch(shared_input, name)
        return name.rpartition(".")[0] if shares else name

    for _, group in groupby(names, group_of):
        own = list(group)
        together = LayersOfOneInput([model.get_submodule(name) for name in own])
        for number, name in enumerate(own):
            model.set_submodule(name, HalfLinear(together, number))


class LayersOfOneInput:
    """Linear layers that are called with the same input, one after another.

    `waiting` has the outputs, by number of the layer, that are computed and not yet asked for.
    """

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        self.layers = layers
        self.waiting: dict[int, torch.Tensor] = {}
        self._input: torch.Tensor | None = None

    def output(self, number: int, states: torch.Tensor) -> torch.Tensor:
        """Return a layer's output for `states` [..., D]; the first call computes those of all."""
        if states is not self._input or number not in self.waiting:
            self.waiting = {}
            parameters = [own for layer in self.layers for own in (layer.weight, layer.bias)]
            outputs = _Linear.apply(states.flatten(0, -2), *parameters)
            self.waiting = dict(enumerate(outputs))
        output = self.waiting.pop(number)
        # nothing is kept beyond the last of them
        self._input = states if self.waiting else None
        return output.view(*states.shape[:-1], -1)


class HalfLinear(nn.Module):
    """The layer of a `LayersOfOneInput` with this number."""

    def __init__(self, together: LayersOfOneInput, number: int) -> None:
        super().__init__()
        self.together, self._number = together, number
        layer = together.layers[number]
        self.weight, self.bias = layer.weight, layer.bias
        for parameter in self.parameters():
            # as it is computed, not cast to the precision of the weight
            parameter.grad_dtype = torch.float32

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return self.together.output(self._number, states)


class _Linear(torch.autograd.Function):
    """Outputs [N, D'] of linear layers for rows [N, D]; takes each one's weight, then its bias."""

    @staticmethod
    def forward(ctx: Any, rows: Any, *parameters: Any) -> Any:
        weights, biases = parameters[::2], parameters[1::2]
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(rows, *weights)
        return tuple(map(functional.linear, [rows] * len(weights), weights, biases))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        rows, *weights = ctx.saved_tensors
        needs_rows, *needed = ctx.needs_input_grad
        by_rows: torch.Tensor | None = None
        by_parameters: list[torch.Tensor | None] = [None] * len(needed)
        for number, (own, weight) in enumerate(zip(gradients, weights, strict=True)):
            if own is None:
                continue
            if needs_rows:
                by_rows = own @ weight if by_rows is None else by_rows.addmm_(own, weight)
            if needed[2 * number]:
                by_parameters[2 * number] = product_in_float32(own.t(), rows)
            if needed[2 * number + 1]:
                by_parameters[2 * number + 1] = own.sum(0, dtype=torch.float32)
        return by_rows, *by_parameters


def product_in_float32(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return the product of matrices of half precision in float32, as kernels sum it anyway."""
    if left.device.type == "cuda":
        return torch.mm(left, right, out_dtype=torch.float32)
    # the operator exists for GPUs alone
    return left.float() @ right.float()
