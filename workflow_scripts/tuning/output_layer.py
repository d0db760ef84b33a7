"""The output layer of a masked language model: cross-entropy in one buffer, its gradient in blocks.

The layer maps to the whole vocabulary, so that its logits, their softmax and a gradient of its
weights by micro-batch are most of what a step reads and writes.
"""

from typing import Any

import torch
from torch.nn import functional
from transformers import PreTrainedModel

from workflow_scripts.language_modelling.prediction import predict_pieces
from workflow_scripts.tuning.micro_batches import cut_of
from workflow_scripts.tuning.processes import Workers

# Bytes of what micro-batches owe to the weights' gradient before it is added.
MOST_OWED = 2**27
# of a micro-batch: gradients by logits [P, V] of its loss, hidden states [P, D] and what scales
# them
Owed = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def end_before_output_layer(copy: PreTrainedModel) -> None:
    """Let the head of a copy of a masked language model give what its output layer is given."""
    layer = copy.get_output_embeddings()
    name = next(name for name, module in copy.named_modules() if module is layer)
    copy.set_submodule(name, torch.nn.Identity())


class OutputLayer:
    """Predicts pieces from what the heads of copies of `whole` give.

    Adds up the gradient by its weights micro-batch after micro-batch.
    """

    def __init__(self, whole: PreTrainedModel, workers: Workers) -> None:
        self._layer, self._workers = whole.get_output_embeddings(), workers
        self._owed: list[Owed] = []
        self._gradients: tuple[torch.Tensor, torch.Tensor] | None = None

    def loss(
        self, copy: PreTrainedModel, states: torch.Tensor, truth: torch.Tensor, owed: list[Owed]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the summed cross-entropy (nats) of ids [P] at states [P, D], how many are right.

        The backward pass puts into `owed` what is to be given to `take`.
        """
        return _SummedLoss.apply(predict_pieces(copy, states), truth, self._layer, owed)

    def forget(self) -> None:
        """Let go of what is owed, after the passes over a batch, whether they ended or failed."""
        self._gradients = None
        self._owed.clear()

    def take(self, owed: list[Owed]) -> None:
        """Take what a part owes out of `owed`; in the order of the parts, which fixes the sum."""
        self._owed += owed
        owed.clear()
        if sum(by_logits.nbytes for by_logits, *_ in self._owed) >= MOST_OWED:
            self._settle()

    def end(self) -> None:
        """Add what is owed to the layer's gradients, after the passes over a batch."""
        self._settle()
        if self._gradients is None:
            return
        parameters = (self._layer.weight, self._layer.bias)
        for parameter, gradient in zip(parameters, self._gradients, strict=True):
            # that of the embeddings, where the weights are theirs too, is sparse
            if parameter is not None:
                before = parameter.grad
                parameter.grad = gradient if before is None else gradient.add_(before)

    def _settle(self) -> None:
        if not self._owed:
            return
        weight = self._layer.weight
        if self._gradients is None:
            self._gradients = torch.zeros_like(weight), weight.new_zeros(len(weight))
        by_weight, by_bias = self._gradients
        size = -(-len(weight) // cut_of(weight.device).blocks)

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
    def forward(ctx: Any, states: Any, truth: Any, layer: Any, owed: Any) -> Any:
        logits = functional.linear(states, layer.weight, layer.bias)
        dtype, places = logits.dtype, truth[:, None]
        logits = logits.to(torch.promote_types(dtype, torch.float32))
        own, most = logits.gather(1, places), logits.amax(1, keepdim=True)
        total = logits.sub_(most).exp_().sum(1, keepdim=True)
        loss, right = (total.log() + most - own).sum(), (own >= most).sum().to(logits.dtype)
        logits.div_(total).scatter_add_(1, places, torch.full_like(own, -1))
        ctx.kept = states.to(dtype), logits.to(dtype), layer.weight, owed
        ctx.mark_non_differentiable(right)
        return loss, right

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:
        states, by_logits, weight, owed = ctx.kept
        ctx.kept = None
        by_states = (by_logits @ weight.to(by_logits.dtype)).to(gradient.dtype) * gradient
        owed.append((by_logits, (states * gradient).to(states.dtype), gradient))
        return by_states, None, None, None
