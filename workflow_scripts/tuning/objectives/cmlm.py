"""Conditional masked language modelling (Yang et al. 2021, sections 2 and 4)."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import repeat
from typing import Any

import numpy as np
import torch

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.torch_setup import fresh_linear
from workflow_scripts.language_modelling.prediction import load_masked_lm
from workflow_scripts.tuning.corpus_strings import Corpus, require_batch
from workflow_scripts.tuning.losses import retrieval_loss
from workflow_scripts.tuning.masked_passes import MaskedBatch, MaskedPasses
from workflow_scripts.tuning.model_objective import ModelObjective
from workflow_scripts.tuning.neighbours import Masking, Sequences
from workflow_scripts.tuning.objective import Step, TrainingContext
from workflow_scripts.tuning.running_text import RunningText
from workflow_scripts.tuning.string_objective import Inputs, inputs_of
from workflow_scripts.tuning.vectors_beside import VectorsBeside

# First numbers of the seeds of independent random streams.
_TEXT, _BITEXT, _MASKS, _HELD_OUT = 1, 2, 3, 4
# pairs of text, and of bitext where there is any, by their numbers
Batch = tuple[np.ndarray, np.ndarray | None]


class CmlmObjective(ModelObjective):
    """The batches and gradients of CMLM, with or without bitext retrieval.

    `choices` are those of method cmlm, and say which corpora there are.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        text: RunningText,
        bitext: Corpus | None,
        held_out: RunningText | None,
        choices: Any,
        context: TrainingContext,
    ) -> None:
        size, tokenizer = loaded.model.config.hidden_size, loaded.tokenizer
        shape = (choices.projection_width, choices.projection_layers)
        own = {"projections": Projections(size, choices.projections, *shape, context.seed)}
        if choices.conditioning == "skip":
            own["skip"] = fresh_linear((choices.projections + 1) * size, size, context.seed)
        if choices.vector_embeddings == "learned":
            own["places"] = torch.nn.Embedding.from_pretrained(
                torch.zeros(choices.projections, size), freeze=False
            )
        whole = load_masked_lm(loaded, context.seed)
        super().__init__(loaded, choices, context, own, whole)
        self._text = self._sequences(text)
        count = len(self._text.followed)
        require_batch(text.path, count, "pairs of neighbours", choices.batch_size)
        self.steps = choices.number_of_steps(count)
        self._bitext: Inputs | None = None
        self._translations = 0
        if bitext is not None:
            columns = (bitext.strings, bitext.partners)
            self._bitext = inputs_of(tokenizer, choices.training_settings, *columns)
            self._translations = len(bitext.strings)
        self._masking = Masking(tokenizer, choices.masked_share, choices.masked_count)
        beside = partial(VectorsBeside, place=choices.vector_position)
        padding = tokenizer.pad_token_id
        self._masked = MaskedPasses(whole, padding, self._passes, beside, own.get("skip"))
        self._held_out = None if held_out is None else self._sequences(held_out)

    def _sequences(self, text: RunningText) -> Sequences:
        inputs, settings = self._choices.inputs, self._choices.training_settings
        return Sequences(self._loaded.tokenizer, text.documents, inputs, settings)

    def batches(self) -> Iterator[Batch]:
        bitext, followed = self._choices.bitext, self._text.followed
        draws = self._draw(len(followed), _TEXT)
        others: Iterator[np.ndarray | None] = repeat(None)
        if bitext is not None and self._bitext is not None:
            others = self._draw(self._translations, _BITEXT, bitext.batch_size)
        return ((followed[own], other) for own, other in zip(draws, others, strict=False))

    def step(self, number: int, batch: Batch) -> Step:
        (pairs, translations), choices = batch, self._choices
        generator = np.random.default_rng([self._context.seed, _MASKS, number])
        swapped = generator.random(len(pairs)) < choices.swap
        firsts = [self._text[row] for row in pairs + swapped]
        seconds = [self._text[row] for row in pairs + ~swapped]
        inputs, labels = self._masking.of(seconds, generator)
        strings: list[Sequence[int] | np.ndarray] = list(firsts)
        if self._bitext is not None and translations is not None:
            strings += self._bitext(translations, number)
        measures: dict[str, torch.Tensor] = {}

        def loss_of(vectors: torch.Tensor) -> torch.Tensor:
            projected = self._project(vectors[: len(pairs)])
            seconds_masked = MaskedBatch(inputs, labels, projected)
            loss, masked, right = self._masked.conditioned(seconds_masked, number)
            measures.update(masked_loss=masked, masked_accuracy=right)
            if choices.bitext is not None:
                sources, targets = vectors[len(pairs) :].chunk(2)
                bitext_loss, hits = retrieval_loss(sources, targets, choices.bitext)
                measures.update(bitext_loss=bitext_loss.detach(), bitext_accuracy=hits)
                loss = loss + choices.bitext.weight * bitext_loss
            return loss

        loss, _ = self._gradients.compute(strings, number, loss_of)
        watched = choices.held_out
        if watched is not None and (number % watched.every == 0 or number == self.steps):
            measures |= self.held_out_losses()
        tokens = sum(map(len, strings)) + sum(map(len, seconds))
        return Step({"loss": loss, **measures}, len(strings) + len(seconds), tokens)

    def _project(self, vectors: torch.Tensor) -> torch.Tensor:
        """Return the vectors next to the tokens, [B, N, D], from sentence vectors [B, D]."""
        projected = self._own["projections"](vectors)
        if "places" in self._own:
            projected = projected + self._own["places"].weight
        return projected

    @torch.no_grad()
    def held_out_losses(self) -> dict[str, torch.Tensor]:
        """Return the masked loss on held-out text, with true neighbours and with others'."""
        text, watched = self._held_out, self._choices.held_out
        assert text is not None and watched is not None
        generator = np.random.default_rng([_HELD_OUT])
        pairs = generator.permutation(text.followed)[: watched.pairs]
        inputs, labels = self._masking.of([text[row] for row in pairs + 1], generator)
        self._passes.train(False)
        projected = self._project(self._gradients.vectors([text[row] for row in pairs]))
        true, shuffled = (
            self._masked.loss(MaskedBatch(inputs, labels, beside))
            for beside in (projected, projected.roll(1, dims=0))
        )
        self._passes.train(True)
        return {"held_out_loss": true, "held_out_loss_shuffled": shuffled}
