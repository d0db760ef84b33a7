"""The output layer of a masked language model: cross-entropy in one buffer, its gradient in blocks.

The layer maps to the whole vocabulary, so that its logits, their softmax and a gradient of its
weights by micro-batch are most of what a step reads and writes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn import functional
from transformers import PreTrainedModel

from workflow_scripts.language_modelling.prediction import predict_pieces
from workflow_scripts.tuning.processes import Workers

# Bytes of what micro-batches owe to the weights' gradient before it is added.
MOST_OWED = 2**27
# On a CPU the vocabulary is cut into as many blocks: the same sums for any number of workers.
BLOCKS = 8
# of a micro-batch: gradients by logits [P, V] of its loss, hidden states [P, D] and what scales
# them
_Owed = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


class OutputLayer:
    """Predicts pieces from hidden states.

    Adds up the gradient by its weights micro-batch after micro-batch.
    """

    def __init__(self, whole: PreTrainedModel, workers: Workers) -> None:
        self._whole, self._workers = whole, workers
        self._layer = whole.get_output_embeddings()
        self._by_part: dict[int, _Owed] = {}
        self._owed: list[_Owed] = []
        self._gradients: tuple[torch.Tensor, torch.Tensor] | None = None

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Let the head end before this layer; add what is owed to its gradients at the end."""
        layer, self._gradients = self._layer, None
        self._by_part.clear()
        self._owed.clear()
        layer.forward = lambda states: states
        try:
            yield
        finally:
            del layer.forward
        self._settle()
        if self._gradients is None:
            return
        for parameter, gradient in zip((layer.weight, layer.bias), self._gradients, strict=True):
            # that of the embeddings, where the weights are theirs too, is sparse
            if parameter is not None:
                before = parameter.grad
                parameter.grad = gradient if before is None else gradient.add_(before)

    def loss(
        self, states: torch.Tensor, truth: torch.Tensor, part: int = 0
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the summed cross-entropy (nats) of ids [P] at states [P, D], how many are right.

        To be called within `apart`. `part` is the number that `settle_after` is told.
        """

        def owe(*owed: torch.Tensor) -> None:
            self._by_part[part] = owed

        return _SummedLoss.apply(predict_pieces(self._whole, states), truth, self._layer, owe)

    def settle_after(self, part: int) -> None:
        """Take in what a part owes; to be called in the order of the parts, which fixes the sum."""
        self._owed.append(self._by_part.pop(part))
        if sum(by_logits.nbytes for by_logits, *_ in self._owed) >= MOST_OWED:
            self._settle()

    def _settle(self) -> None:
        if not self._owed:
            return
        weight = self._layer.weight
        if self._gradients is None:
            self._gradients = torch.zeros_like(weight), weight.new_zeros(len(weight))
        by_weight, by_bias = self._gradients
        size = -(-len(weight) // (BLOCKS if weight.device.type == "cpu" else 1))

        def add(start: int) -> None:
            units = slice(start, start + size)
            for by_logits, states, scale in self._owed:
                own = by_logits[:, units]
                by_bias[units].add_(own.sum(0) * scale)
                if own.dtype == by_weight.dtype:
                    by_weight[units].addmm_(own.t(), states)
                else:
                    by_weight[units].add_(own.t() @ states)

        with torch.no_grad():
            for _ in self._workers.in_order(add, range(0, len(weight), size)):
                pass
        self._owed.clear()


class _SummedLoss(torch.autograd.Function):
    """Cross-entropy whose logits become their gradient in place; owes that by the weights."""

    @staticmethod
    def forward(ctx: Any, states: Any, truth: Any, layer: Any, owe: Any) -> Any:
        logits = functional.linear(states, layer.weight, layer.bias)
        dtype, places = logits.dtype, truth[:, None]
        logits = logits.to(torch.promote_types(dtype, torch.float32))
        own, most = logits.gather(1, places), logits.amax(1, keepdim=True)
        total = logits.sub_(most).exp_().sum(1, keepdim=True)
        loss, right = (total.log() + most - own).sum(), (own >= most).sum().to(logits.dtype)
        logits.div_(total).scatter_add_(1, places, torch.full_like(own, -1))
        ctx.kept = states.to(dtype), logits.to(dtype), layer.weight, owe
        ctx.mark_non_differentiable(right)
        return loss, right

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:
        states, by_logits, weight, owe = ctx.kept
        ctx.kept = None
        by_states = (by_logits @ weight.to(by_logits.dtype)).to(gradient.dtype) * gradient
        owe(by_logits, (states * gradient).to(states.dtype), gradient)
        return by_states, None, None, None
