"""The output layer of a masked language model: cross-entropy in one buffer, its gradient in blocks.

The layer maps to the whole vocabulary, so that its logits, their softmax and a gradient of its
weights by micro-batch are most of what a step reads and writes. On a GPU, where micro-batches are
large, the logits of a few pieces at a time become gradients in the forward pass.
"""

from typing import Any

import torch
from torch.nn import functional
from transformers import PreTrainedModel

from workflow_scripts.language_modelling.prediction import predict_pieces
from workflow_scripts.tuning.devices import traits_of
from workflow_scripts.tuning.processes import Workers

# Bytes of what micro-batches owe to the weights' gradient before it is added.
MOST_OWED = 2**27
# of a micro-batch: gradients by logits [P, V] of its loss, hidden states [P, D] and what scales
# them
Owed = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def end_before_output_layer(copy: PreTrainedModel) -> torch.nn.Linear:
    """Let the head of a copy of a masked language model give what its output layer is given.

    Returns that layer.
    """
    layer = copy.get_output_embeddings()
    name = next(name for name, module in copy.named_modules() if module is layer)
    copy.set_submodule(name, torch.nn.Identity())
    return layer


class OutputLayer:
    """Predicts pieces from what the heads of copies of `whole` give.

    Adds up the gradient by its weights micro-batch after micro-batch.
    """

    def __init__(self, whole: PreTrainedModel, workers: Workers) -> None:
        self._layer, self._workers = whole.get_output_embeddings(), workers
        self._owed: list[Owed] = []
        self._gradients: tuple[torch.Tensor, torch.Tensor] | None = None
        # of the gradients, where they were added before their scale was known
        self.scale: torch.Tensor | None = None

    def loss(
        self,
        copy: PreTrainedModel,
        layer: torch.nn.Linear,
        states: torch.Tensor,
        truth: torch.Tensor,
        owed: list[Owed],
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the summed cross-entropy (nats) of ids [P] at states [P, D], how many are right.

        `copy` ends before `layer`. The backward pass puts into `owed` what has to be passed to
        `take`. Where logits are computed in parts, the gradient by this loss has to be the same for
        all micro-batches of a batch.
        """
        states, most = predict_pieces(copy, states), traits_of(states.device).most_logits
        if most is None:
            return _SummedLoss.apply(states, truth, layer, owed)
        return _LossInParts.apply(states, truth, layer, max(1, most // _logit_bytes(layer)), self)

    def forget(self) -> None:
        """Let go of what is owed, after the passes over a batch, whether they ended or failed."""
        self._gradients = self.scale = None
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
        if self.scale is not None:
            torch._foreach_mul_(self._gradients, self.scale)
        parameters = (self._layer.weight, self._layer.bias)
        for parameter, gradient in zip(parameters, self._gradients, strict=True):
            # that of the embeddings, where the weights are theirs too, is sparse
            if parameter is not None:
                before = parameter.grad
                parameter.grad = gradient if before is None else gradient.add_(before)

    def add(self, by_logits: torch.Tensor, states: torch.Tensor) -> None:
        """Add the gradient of a part of the pieces, before `scale`."""
        by_weight, by_bias = self._sums()
        by_weight += by_logits.t() @ states
        by_bias += by_logits.sum(0, dtype=by_bias.dtype)

    @torch.no_grad()
    def _sums(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sums of the gradients by weight and bias, 0 in the beginning."""
        weight = self._layer.weight
        if self._gradients is None:
            self._gradients = torch.zeros_like(weight), weight.new_zeros(len(weight))
        return self._gradients

    def _settle(self) -> None:
        if not self._owed:
            return
        by_weight, by_bias = self._sums()
        size = -(-len(by_weight) // traits_of(by_weight.device).blocks)

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
            for _ in self._workers.in_order(add, range(0, len(by_weight), size)):
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


class _LossInParts(torch.autograd.Function):
    """The same over `size` pieces at a time, whose gradients by the weights are added at once."""

    @staticmethod
    def forward(ctx: Any, states: Any, truth: Any, layer: Any, size: int, output: Any) -> Any:
        parts = []
        by_states = torch.empty_like(states) if ctx.needs_input_grad[0] else None
        # without a piece there is a loss of 0
        for start in range(0, max(1, len(states)), size):
            own = slice(start, start + size)
            *part, by_logits = _cross_entropy(states[own], truth[own], layer)
            parts.append(torch.stack(part))
            if by_states is not None:
                by_states[own] = by_logits @ layer.weight.to(by_logits.dtype)
                output.add(by_logits, states[own].to(by_logits.dtype))
            # not kept until the next part has its own
            del by_logits
        loss, right = torch.stack(parts).sum(0).unbind()
        ctx.kept = by_states, output
        ctx.mark_non_differentiable(right)
        return loss, right

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor, _: Any) -> Any:
        by_states, output = ctx.kept
        ctx.kept = None
        output.scale = gradient
        return (by_states * gradient).to(by_states.dtype), None, None, None, None


def _cross_entropy(
    states: torch.Tensor, truth: torch.Tensor, layer: torch.nn.Linear
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the summed cross-entropy, how many are right, and the gradient by the logits [P, V].

    The last is in the precision of the logits, the others in float32 at least.
    """
    logits, places = functional.linear(states, layer.weight, layer.bias), truth[:, None]
    precise = torch.promote_types(logits.dtype, torch.float32)
    logs = functional.log_softmax(logits, dim=1, dtype=precise)
    own = logs.gather(1, places)
    right = (own >= logs.amax(1, keepdim=True)).sum().to(precise)
    del logs
    by_logits = functional.softmax(logits, dim=1)
    # p - 1, which half precision would not tell from 0 where p is near 1
    by_logits.scatter_(1, places, own.expm1().to(by_logits.dtype))
    return -own.sum(), right, by_logits


def _logit_bytes(layer: torch.nn.Linear) -> int:
    """Return the most bytes of the logits of a piece: as computed, in float32, and their logs."""
    return len(layer.weight) * (layer.weight.element_size() + 8)
