"""Gradients of masked language modelling over a batch, with vectors beside or not."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch.nn import functional
from transformers import PreTrainedModel

from workflow_scripts.embedding.token_batches import pad_token_ids
from workflow_scripts.language_modelling.masking import IGNORED
from workflow_scripts.language_modelling.prediction import predict_pieces
from workflow_scripts.tuning.slices import Gradients, Part, Passes
from workflow_scripts.tuning.vectors_beside import VectorsBeside

# Of hidden states [B, T, D] and rows of the batch, what these add to a further loss of the whole
# batch and to the share that is right, [2].
FurtherLoss = Callable[[torch.Tensor, tuple[int, ...]], torch.Tensor]


class MaskedPasses:
    """Passes over masked sequences, each forth and back at once: one slice a worker is kept.

    `skip`, if there is one, maps a token's state with its sequence's vectors [P, (N + 1) * D] to
    [P, D] before pieces are predicted (CMLM, section 5.1).
    """

    def __init__(
        self,
        whole: PreTrainedModel,
        padding: int,
        passes: Passes,
        beside: VectorsBeside | None = None,
        skip: torch.nn.Module | None = None,
    ) -> None:
        self._whole, self._padding, self._passes = whole, padding, passes
        self._beside, self._skip = beside, skip

    def backward(
        self,
        inputs: Sequence[np.ndarray],
        labels: Sequence[np.ndarray],
        step: int,
        views: torch.Tensor | None = None,
        segments: Sequence[np.ndarray] | None = None,
        further: FurtherLoss | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Add the gradients of the mean cross-entropy (nats) of all labelled pieces.

        `inputs` and `labels` are ids by sequence and `segments`, if there are any, their token
        types; `views` [B, N, D] go beside them. Returns the loss and the share of pieces that were
        right, those of `further` behind, and the gradient by the views, unscaled. To be called
        within `Passes.until_it_fits`.
        """
        passes, means = self._passes, self._passes.means
        number = 0 if views is None else views.shape[1]
        pieces = sum(int((row != IGNORED).sum()) for row in labels)
        own = passes.plan([number + len(ids) for ids in inputs])
        kept: list[torch.Tensor | None] = [None] * len(own)
        told: list[torch.Tensor | None] = [None] * len(own)

        def pass_over(index: int) -> Gradients:
            part, rows = own[index], None
            if views is not None:
                kept[index] = rows = views.detach()[list(part.rows)].requires_grad_()
            chosen = [labels[row] for row in part.rows]
            types = None if segments is None else [segments[row] for row in part.rows]
            ids = [inputs[row] for row in part.rows]
            states = self._encode(part, ids, rows, step, types)
            found = torch.stack(self._predict(states, chosen, rows)) / max(pieces, 1)
            loss = found[0]
            if further is not None:
                more = further(states, part.rows)
                found, loss = torch.cat([found, more.to(found.dtype)]), loss + more[0]
            told[index] = found.detach()
            others = () if rows is None else (rows,)
            return passes.gradients(means.scaler.scale(loss), None, *others)

        passes.together(lambda: passes.add(pass_over, len(own)))
        none = torch.zeros(2 if further is None else 4, device=means.device)
        measures = means.processes.sum(sum(told, none))
        if views is None:
            return measures, None
        gradient = torch.zeros_like(views, requires_grad=False)
        for part, rows in zip(own, kept, strict=True):
            gradient[list(part.rows)] = rows.grad.to(gradient.dtype)
        return measures, means.processes.sum(gradient) / means.scaler.get_scale()

    def loss(
        self,
        inputs: Sequence[np.ndarray],
        labels: Sequence[np.ndarray],
        views: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return the mean cross-entropy of all labelled pieces, in every process."""
        number = 0 if views is None else views.shape[1]
        passes = self._passes

        @torch.no_grad()
        def loss_of(part: Part) -> torch.Tensor:
            rows = None if views is None else views[list(part.rows)]
            states = self._encode(part, [inputs[row] for row in part.rows], rows, 0)
            return self._predict(states, [labels[row] for row in part.rows], rows)[0]

        own = passes.plan([number + len(ids) for ids in inputs])
        zero = torch.zeros((), device=passes.means.device)
        total = sum(passes.means.workers.in_order(loss_of, own), zero)
        pieces = sum(int((row != IGNORED).sum()) for row in labels)
        return passes.means.processes.sum(total) / max(pieces, 1)

    def _encode(
        self,
        part: Part,
        ids: list[np.ndarray],
        rows: torch.Tensor | None,
        step: int,
        types: list[np.ndarray] | None = None,
    ) -> torch.Tensor:
        """Return the last hidden states [rows of the part, T, D] of the tokens."""
        passes, device = self._passes, self._passes.means.device
        width = part.slice.width - (0 if rows is None else rows.shape[1])
        padded = pad_token_ids(ids, self._padding, width)
        input_ids, mask = (tensor.to(device, non_blocking=True) for tensor in padded)
        # other masks than those of the passes that give vectors
        passes.start_masks(part, step, -1 - part.number)
        full = all(len(row) == width for row in ids)
        given = {"input_ids": input_ids, "attention_mask": None if full else mask}
        if types is not None:
            segments, _ = pad_token_ids(types, 0, width)
            given["token_type_ids"] = segments.to(device, non_blocking=True)
        with passes.means.autocast():
            if rows is None:
                return self._whole.base_model(**given).last_hidden_state
            assert self._beside is not None
            return self._beside.encode(*given.values(), rows)

    def _predict(
        self, states: torch.Tensor, labels: list[np.ndarray], rows: torch.Tensor | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the summed cross-entropy of the labelled pieces and how many were right."""
        wanted, _ = pad_token_ids(labels, IGNORED, states.shape[1])
        wanted = wanted.to(states.device, non_blocking=True)
        place = wanted != IGNORED
        truth, chosen = wanted[place], states[place]
        with self._passes.means.autocast():
            if self._skip is not None and rows is not None:
                beside = rows.flatten(1)[place.nonzero()[:, 0]].to(chosen.dtype)
                chosen = self._skip(torch.cat([chosen, beside], dim=1))
            logits = predict_pieces(self._whole, chosen)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        hits = (logits.detach().argmax(dim=1) == truth).sum().to(logits.dtype)
        return functional.cross_entropy(logits, truth, reduction="sum"), hits
