"""Masked language modelling, next sentence prediction (Devlin et al. 2019, section 3.1)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.prediction import load_masked_lm
from workflow_scripts.tuning.corpus_strings import require_batch
from workflow_scripts.tuning.devices import to_device
from workflow_scripts.tuning.masked_passes import MaskedBatch, MaskedPasses
from workflow_scripts.tuning.model_objective import ModelObjective
from workflow_scripts.tuning.neighbours import Masking, Sequences
from workflow_scripts.tuning.objective import Step, TrainingContext
from workflow_scripts.tuning.running_text import RunningText

# First numbers of the seeds of independent random streams.
_TEXT, _MASKS = 1, 3


class MlmObjective(ModelObjective):
    """A batch is sequences of the text by their numbers, or those that are the A of pairs A B.

    `choices` are those of method mlm.
    """

    def __init__(
        self, loaded: LoadedModel, corpus: RunningText, choices: Any, context: TrainingContext
    ) -> None:
        config, own, settings = loaded.model.config, {}, choices.training_settings
        if choices.next_sentence:
            size = config.hidden_size
            own["pooler"] = fresh_linear(size, size, context.seed)
            own["next_sentence"] = fresh_linear(size, 2, context.seed)
            # halves of [CLS] A [SEP] B [SEP], with two marks each as long as they are alone
            settings = replace(settings, max_length=(settings.max_length + 1) // 2)
        whole = load_masked_lm(loaded, context.seed)
        # each pass goes forth and back at once, so a cache would save nothing more
        super().__init__(loaded, choices, context, own, whole, cached=True)
        tokenizer, path = loaded.tokenizer, corpus.path
        self._text = text = Sequences(tokenizer, corpus.documents, choices.inputs, settings)
        self._numbers, what = np.arange(len(text)), "sequences"
        if choices.next_sentence:
            self._numbers, what = text.followed, "pairs of neighbours"
        require_batch(path, len(self._numbers), what, choices.batch_size)
        self.steps = choices.number_of_steps(len(self._numbers))
        if choices.next_sentence and text.document[0] == text.document[-1]:
            raise UserError(
                path,
                "a single document, so no other to draw from",
                "put blank lines between documents or set next_sentence: false",
            )
        self._masking = Masking(tokenizer, choices.masked_share, choices.masked_count)
        self._segments = choices.next_sentence and getattr(config, "type_vocab_size", 0) > 1
        self._masked = MaskedPasses(whole, tokenizer.pad_token_id, self._passes)

    def batches(self) -> Iterator[np.ndarray]:
        return (self._numbers[own] for own in self._draw(len(self._numbers), _TEXT))

    def step(self, number: int, batch: np.ndarray) -> Step:
        generator = np.random.default_rng([self._context.seed, _MASKS, number])
        sequences, segments, further = [self._text[row] for row in batch], None, None
        names = ["masked_loss", "masked_accuracy"]
        if self._choices.next_sentence:
            seconds, drawn = self.draw_seconds(batch, generator)
            # without their [CLS]
            others = [self._text[row][1:] for row in seconds]
            pairs = list(zip(sequences, others, strict=True))
            sequences = [np.concatenate(pair) for pair in pairs]
            if self._segments:
                segments = [np.repeat([0, 1], list(map(len, pair))) for pair in pairs]
            is_next = to_device(torch.from_numpy(drawn.astype(np.int64)), self._context.device)
            names += ["next_sentence_loss", "next_sentence_accuracy"]

            def further(states: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
                return self._next_sentence(states, is_next[rows]) / len(is_next)

        inputs, labels = self._masking.of(sequences, generator)
        masked = MaskedBatch(inputs, labels, None, segments, further)
        backward = self._masked.backward
        totals, _ = self._passes.memory.until_it_fits(lambda: backward(masked, number))
        measures = dict(zip(names, totals.unbind(), strict=True))
        loss = sum(measure for name, measure in measures.items() if name.endswith("loss"))
        tokens = sum(map(len, sequences))
        return Step({"loss": loss, **measures}, len(sequences), tokens)

    def draw_seconds(
        self, firsts: np.ndarray, generator: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the B of each A, and whether it is drawn from another document, as half are."""
        document = self._text.document
        drawn = generator.random(len(firsts)) < 0.5
        own = document[firsts]
        begin, end = (np.searchsorted(document, own, side) for side in ("left", "right"))
        # of all sequences but those of the document of A
        others = generator.integers(len(document) - (end - begin))
        others += (end - begin) * (others >= begin)
        return np.where(drawn, others, firsts + 1), drawn

    def _next_sentence(self, states: torch.Tensor, drawn: torch.Tensor) -> torch.Tensor:
        """Return the summed cross-entropy of states [B, T, D] and how many were right, [2]."""
        with self._context.autocast():
            pooled = self._own["pooler"](states[:, 0]).tanh()
            logits = self._own["next_sentence"](pooled)
        logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
        right = (logits.detach().argmax(dim=1) == drawn).sum()
        loss = functional.cross_entropy(logits, drawn, reduction="sum")
        return torch.stack([loss, right.to(loss.dtype)])
