"""Weights in half precision for the passes of a step, cast once; the model keeps float32 ones.

Autocast would cast each weight and its gradient by an operation of its own in each micro-batch, and
each input of a layer wherever a float32 norm gave it. Here all layers compute in half precision
(norms, softmax and sums inside of their kernels in float32), and gradients are added up in float32;
those of linear layers are computed in it (`half_linear.py`).
"""

from collections import defaultdict

import torch

# a sum of gradients, and what is added to it or becomes it
Pair = tuple[torch.Tensor, torch.Tensor]


class HalfWeights:
    """Parameters in half precision that stand for those of a module in a copy of it."""

    def __init__(self, module: torch.nn.Module, dtype: torch.dtype) -> None:
        self._full = list(module.parameters())
        self._half = [
            torch.nn.Parameter(parameter.detach().to(dtype), parameter.requires_grad)
            for parameter in self._full
        ]
        self._step: int | None = None

    def by_id(self) -> dict[int, torch.Tensor]:
        """Return the half weights by the ids of the weights, as `deepcopy` takes them."""
        return {id(full): half for full, half in zip(self._full, self._half, strict=True)}

    @torch.no_grad()
    def refresh(self, step: int) -> None:
        """Take over the weights as they are at `step`, which moved since another step."""
        if step != self._step:
            torch._foreach_copy_(self._half, self._full)
            self._step = step

    @torch.no_grad()
    def move_gradients(self) -> None:
        """Add the gradients of the half weights to those of the weights, and forget them."""
        # a list of one type is added or cast by few kernels
        added: dict[torch.dtype, list[Pair]] = defaultdict(list)
        cast: list[Pair] = []
        for full, half in zip(self._full, self._half, strict=True):
            if half.grad is None:
                continue
            if full.grad is not None:
                added[half.grad.dtype].append((full.grad, half.grad))
            elif half.grad.dtype == full.dtype:
                full.grad = half.grad
            else:
                full.grad = torch.empty_like(full)
                cast.append((full.grad, half.grad))
        for pairs in added.values():
            torch._foreach_add_(*map(list, zip(*pairs, strict=True)))
        if cast:
            torch._foreach_copy_(*map(list, zip(*cast, strict=True)))
        self.forget_gradients()

    def forget_gradients(self) -> None:
        for half in self._half:
            half.grad = None
