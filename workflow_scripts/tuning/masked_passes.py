"""Gradients of masked language modelling over a batch, with or without vectors as context."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import torch
from transformers import PreTrainedModel

from workflow_scripts.embedding.token_batches import pad_token_ids
from workflow_scripts.language_modelling.masking import IGNORED
from workflow_scripts.tuning.chosen_positions import ChosenPositions
from workflow_scripts.tuning.devices import to_device
from workflow_scripts.tuning.micro_batches import Part
from workflow_scripts.tuning.output_layer import OutputLayer, Owed, end_before_output_layer
from workflow_scripts.tuning.passes import Gradients, Passes
from workflow_scripts.tuning.training_copy import TrainingCopy

# Of hidden states [B, T, D] and rows of the batch, int64 [B], what these add to a further loss of
# the whole batch and to the share that is right, [2].
FurtherLoss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
# Of the P pieces to predict, the number of each in the states that are computed, and its id.
Targets = tuple[torch.Tensor, torch.Tensor]


class TakesVectors(Protocol):
    """How a copy of a model takes vectors [B, N, D] next to token ids [B, T]."""

    def encode(
        self, input_ids: torch.Tensor, mask: torch.Tensor | None, vectors: torch.Tensor
    ) -> torch.Tensor:
        """Return last hidden states, of the vectors too where they have positions."""

    def first_token(self, number: int) -> int:
        """Return the position of the first token among them, of so many vectors."""


class MaskedBatch:
    """Masked sequences: the positions of the pieces to predict, and the pieces.

    `inputs` and `labels` are ids by sequence and `segments`, if there are any, their token types;
    `projected` vectors [B, N, D] go next to the tokens. A `further` loss reads the first positions.
    """

    def __init__(
        self,
        inputs: Sequence[np.ndarray],
        labels: Sequence[np.ndarray],
        projected: torch.Tensor | None = None,
        segments: Sequence[np.ndarray] | None = None,
        further: FurtherLoss | None = None,
    ) -> None:
        self.inputs, self.projected, self.segments = inputs, projected, segments
        self.further = further
        self.number = 0 if projected is None else projected.shape[1]
        self.lengths = [self.number + len(ids) for ids in inputs]
        self._places = [np.flatnonzero(row != IGNORED) for row in labels]
        self.pieces = max(1, sum(map(len, self._places)))
        if further is not None:
            self._places = [np.append(0, own) for own in self._places]
        self._truth = [row[own] for row, own in zip(labels, self._places, strict=True)]

    def targets(self, part: Part) -> tuple[torch.Tensor, Targets]:
        """Return positions, int64 [rows of the part, M], and which of all these are targets.

        M is that of the whole micro-batch, so that its parts have the masks of the whole. On the
        host: a device would be waited for to count the targets.
        """
        most = max(1, *(len(self._places[row]) for row in part.micro_batch.rows))
        places, truth = ([side[row] for row in part.rows] for side in (self._places, self._truth))
        numbers = [np.flatnonzero(own != IGNORED) + row * most for row, own in enumerate(truth)]
        ids = np.concatenate(truth)
        targets = (np.concatenate(numbers), ids[ids != IGNORED])
        return pad_token_ids(places, 0, most)[0], tuple(map(torch.from_numpy, targets))


class MaskedPasses:
    """Passes over masked sequences, forward and backward at once: a worker keeps one micro-batch.

    `beside` makes the part that takes the vectors next to the tokens. `skip`, if there is one, maps
    a token's state with its sequence's vectors [P, (N + 1) * D] to [P, D] before pieces are
    predicted (CMLM, section 5.1).
    """

    def __init__(
        self,
        whole: PreTrainedModel,
        padding: int,
        passes: Passes,
        beside: Callable[[PreTrainedModel], TakesVectors] | None = None,
        skip: torch.nn.Module | None = None,
    ) -> None:
        self._padding, self._passes, self._skip = padding, passes, skip
        self._output = OutputLayer(whole, passes.context.workers)
        self._layers: dict[TrainingCopy, torch.nn.Linear] = {}
        self._chosen: dict[TrainingCopy, ChosenPositions] = {}
        self._beside: dict[TrainingCopy, TakesVectors] = {}
        for copy in passes.copies:
            self._layers[copy] = end_before_output_layer(copy.whole)
            self._chosen[copy] = ChosenPositions(copy.encoder)
            if beside is not None:
                self._beside[copy] = beside(copy.encoder)

    def backward(self, batch: MaskedBatch, step: int) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Add the gradients of the mean cross-entropy (nats) of all labelled pieces.

        Returns the loss and the share of correct pieces, followed by those of the further loss, and
        the gradient with respect to the projected vectors, unscaled. Call it within
        `Memory.until_it_fits`.
        """
        passes, context, projected = self._passes, self._passes.context, batch.projected
        own = passes.plan(batch.lengths)
        kept: dict[int, torch.Tensor] = {}
        told: dict[int, torch.Tensor] = {}
        owed: list[list[Owed]] = [[] for _ in own]

        def pass_over(copy: TrainingCopy, index: int) -> Gradients:
            part, rows = own[index], None
            numbers = self._rows(part)
            if projected is not None:
                rows = projected.detach().index_select(0, numbers).requires_grad_()
                kept[index] = rows
            states, targets = self._encode(copy, part, batch, rows, step)
            predicted = self._predict(copy, states, targets, rows, owed[index])
            measures = torch.stack(predicted) / batch.pieces
            loss = measures[0]
            if batch.further is not None:
                more = batch.further(states, numbers)
                measures, loss = torch.cat([measures, more.to(measures.dtype)]), loss + more[0]
            told[index] = measures.detach()
            others = [] if rows is None else [rows]
            return passes.gradients(context.scaler.scale(loss), None, *others)

        def together() -> None:
            try:
                passes.add(pass_over, len(own), lambda index: self._output.take(owed[index]))
                self._output.end()
            finally:
                # logits of an attempt that failed would take the room of the next one
                self._output.forget()

        passes.memory.together(together)
        none = torch.zeros(2 if batch.further is None else 4, device=context.device)
        measures = context.processes.sum(sum((told[index] for index in range(len(own))), none))
        if projected is None:
            return measures, None
        gradient = torch.zeros_like(projected, requires_grad=False)
        for index, part in enumerate(own):
            of_part = kept[index].grad
            assert of_part is not None
            gradient.index_copy_(0, self._rows(part), of_part.to(gradient.dtype))
        # on the device, unlike what `get_scale` returns
        scale = context.scaler.scale(torch.ones((), device=context.device))
        return measures, context.processes.sum(gradient) / scale

    def conditioned(
        self, batch: MaskedBatch, step: int
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Do as `backward`, as a part of a loss over what the projected vectors were made of.

        Returns the loss twice, for a sum that is taken back to the projected vectors and to be
        logged, and the share of pieces that were right.
        """
        (masked, right), gradient = self.backward(batch, step)
        assert batch.projected is not None and gradient is not None
        # has the value of the loss, and the gradients that the passes found
        known = (batch.projected * gradient).sum()
        return known - known.detach() + masked, masked, right

    def loss(self, batch: MaskedBatch) -> torch.Tensor:
        """Return the mean cross-entropy of all labelled pieces, in every process.

        Where memory does not suffice, smaller parts are tried.
        """
        passes, projected = self._passes, batch.projected

        @torch.no_grad()
        def loss_of(copy: TrainingCopy, part: Part) -> torch.Tensor:
            rows = None if projected is None else projected.index_select(0, self._rows(part))
            states, targets = self._encode(copy, part, batch, rows, 0)
            return self._predict(copy, states, targets, rows, [])[0]

        def attempt() -> torch.Tensor:
            own = passes.plan(batch.lengths)
            losses = [torch.zeros((), device=passes.context.device)]
            passes.memory.together(lambda: losses.extend(passes.in_order(loss_of, own)))
            total = sum(losses[1:], losses[0])
            return passes.context.processes.sum(total) / batch.pieces

        return passes.memory.until_it_fits(attempt, trains=False)

    def _rows(self, part: Part) -> torch.Tensor:
        return to_device(torch.tensor(part.rows), self._passes.context.device)

    def _encode(
        self,
        copy: TrainingCopy,
        part: Part,
        batch: MaskedBatch,
        rows: torch.Tensor | None,
        step: int,
    ) -> tuple[torch.Tensor, Targets]:
        """Return last hidden states [rows of the part, M, D] and the targets there."""
        passes, device = self._passes, self._passes.context.device
        width = part.micro_batch.width - batch.number
        own = [batch.inputs[row] for row in part.rows]
        padded = pad_token_ids(own, self._padding, width)
        input_ids, mask = (to_device(tensor, device) for tensor in padded)
        # other masks than those of the passes that give vectors
        passes.begin(copy, part, step, -1 - part.number)
        full = all(len(row) == width for row in own)
        given = {"input_ids": input_ids, "attention_mask": None if full else mask}
        if batch.segments is not None:
            types, _ = pad_token_ids([batch.segments[row] for row in part.rows], 0, width)
            given["token_type_ids"] = to_device(types, device)
        positions, (numbers, ids) = batch.targets(part)
        positions, numbers, ids = (
            to_device(own_part, device) for own_part in (positions, numbers, ids)
        )
        beside = self._beside.get(copy)

        def states() -> torch.Tensor:
            if beside is None or rows is None:
                return copy.encoder(**given).last_hidden_state
            # it takes no token types
            assert batch.segments is None
            return beside.encode(input_ids, given["attention_mask"], rows)

        if beside is not None:
            positions = positions + beside.first_token(batch.number)
        with copy.precision():
            return self._chosen[copy].of(positions, states), (numbers, ids)

    def _predict(
        self,
        copy: TrainingCopy,
        states: torch.Tensor,
        targets: Targets,
        rows: torch.Tensor | None,
        owed: list[Owed],
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the summed cross-entropy of the pieces to predict and how many were right."""
        numbers, truth = targets
        chosen = states.flatten(0, 1).index_select(0, numbers)
        if self._skip is not None and rows is not None:
            of_row = numbers.div(states.shape[1], rounding_mode="floor")
            beside = rows.flatten(1).index_select(0, of_row).to(chosen.dtype)
            with self._passes.context.autocast():
                chosen = self._skip(torch.cat([chosen, beside], dim=1))
        with copy.precision():
            return self._output.loss(copy.whole, self._layers[copy], chosen, truth, owed)
