"""Mirror tuning (paper sections 2 and 3): strings paired with themselves, InfoNCE."""

import random
from collections.abc import Iterator, Sequence

import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.tuning.batch_gradients import TokenIds
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.losses import alignment, nt_xent_loss, uniformity
from workflow_scripts.tuning.methods.mirror import Choices, SpanMasking
from workflow_scripts.tuning.objective import TrainingContext
from workflow_scripts.tuning.span_masking import augment_pairs, token_units
from workflow_scripts.tuning.vector_objective import Measures, VectorObjective


def draw_batches(
    count: int, batch_size: int, epochs: int, generator: random.Random
) -> Iterator[list[int]]:
    """Yield the string indices of each step: shuffled anew each epoch, incomplete batch dropped."""
    for _ in range(epochs):
        order = list(range(count))
        generator.shuffle(order)
        for start in range(0, count - batch_size + 1, batch_size):
            yield order[start : start + batch_size]


class AugmentedStrings:
    """Pairs of strings, each with itself or with its partner, tokenised once."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        strings: Sequence[str],
        partners: Sequence[str] | None,
        masking: SpanMasking | None,
        settings: EncoderSettings,
        seed: int,
    ) -> None:
        if masking is not None:
            masking.check_tokenizer(tokenizer)
        self._tokenizer, self._settings = tokenizer, settings
        self._masking, self._seed = masking, seed
        self._texts = (strings, strings if partners is None else partners)
        firsts = tokenize_strings(tokenizer, strings, settings)
        seconds = firsts if partners is None else tokenize_strings(tokenizer, partners, settings)
        self._ids = (firsts, seconds)

    def of_batch(self, batch: Sequence[int], step: int) -> list[list[int]]:
        """Return token ids of first strings, then of second; spans hang on seed and step alone."""
        ids = [side[index] for side in self._ids for index in batch]
        if self._masking is None:
            return ids
        first, second = ([texts[index] for index in batch] for texts in self._texts)
        token, generator = self._tokenizer.mask_token, random.Random(f"{self._seed} masking {step}")
        finding = (token or "", token_units(self._tokenizer), generator)
        left, right = augment_pairs(first, self._masking, *finding, partners=second)
        after = left + right
        changed = [row for row, text in enumerate(first + second) if text != after[row]]
        new = [after[row] for row in changed]
        new_ids = tokenize_strings(self._tokenizer, new, self._settings)
        for row, token_ids in zip(changed, new_ids, strict=True):
            ids[row] = token_ids
        return ids


class Objective(VectorObjective):
    """The batches and the loss of Mirror tuning."""

    vectors_a_string = 2

    def __init__(
        self, loaded: LoadedModel, corpus: Corpus, choices: Choices, context: TrainingContext
    ) -> None:
        cached, paired = choices.gradient_cache, choices.controlled_dropout
        super().__init__(loaded, choices, context, cached=cached, paired=paired)
        self._count = len(corpus.strings)
        self.steps = choices.epochs * (self._count // choices.batch_size)
        self._augmented = AugmentedStrings(
            loaded.tokenizer,
            corpus.strings,
            corpus.partners,
            choices.span_masking,
            choices.training_settings,
            context.seed,
        )

    def batches(self) -> Iterator[list[int]]:
        shuffling = random.Random(f"{self._context.seed} shuffling")
        choices = self._choices
        return draw_batches(self._count, choices.batch_size, choices.epochs, shuffling)

    def strings(self, batch: list[int], number: int) -> TokenIds:
        return self._augmented.of_batch(batch, number)

    def loss(
        self, vectors: torch.Tensor, batch: list[int], number: int
    ) -> tuple[torch.Tensor, Measures]:
        choices = self._choices
        first, second = vectors.chunk(2)
        loss = nt_xent_loss(first, second, choices.temperature, choices.loss_denominator)
        return loss, {"alignment": alignment(first, second), "uniformity": uniformity(first)}
