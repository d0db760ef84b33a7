"""Mirror tuning (paper sections 2 and 3): strings paired with themselves, InfoNCE."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.architectures import first_position_only
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.batch_gradients import BatchGradients
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.dropout import drophead, seeded_dropout
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.losses import alignment, nt_xent_loss, uniformity
from workflow_scripts.tuning.methods.mirror import Choices, SpanMasking
from workflow_scripts.tuning.micro_batches import Passes, sparse_embedding_gradients
from workflow_scripts.tuning.objective import Objective, Step, TrainingContext
from workflow_scripts.tuning.recipe import TRAINING_KEYS
from workflow_scripts.tuning.span_masking import augment_pairs, token_units


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
        own_mask = masking is not None and masking.mask_token == "tokenizer"
        if own_mask and tokenizer.mask_token is None:
            raise UserError(
                "span_masking.mask_token",
                "the tokenizer has no mask token",
                "give `literal`, or another model",
            )
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


class MirrorObjective(Objective):
    """The batches and gradients of Mirror tuning."""

    def __init__(
        self, loaded: LoadedModel, corpus: Corpus, choices: Choices, context: TrainingContext
    ) -> None:
        settings = choices.training_settings
        loaded.check_settings(settings, TRAINING_KEYS)
        self.trained, self._choices, self._seed = loaded.model, choices, context.seed
        self._count = len(corpus.strings)
        self.steps = choices.epochs * (self._count // choices.batch_size)
        texts, masking = (corpus.strings, corpus.partners), choices.span_masking
        self._augmented = AugmentedStrings(
            loaded.tokenizer, *texts, masking, settings, context.seed
        )
        self._masks = DropoutMasks(context.seed, context.device)
        passes = Passes(self.trained, self._masks, context, choices.gradient_cache)
        paired = choices.controlled_dropout
        self._gradients = BatchGradients(loaded, settings, passes, paired)

    @contextmanager
    def settings(self) -> Iterator[None]:
        model, choices = self.trained, self._choices
        with (
            seeded_dropout(model, choices.dropout, self._masks),
            drophead(model, choices.drophead, self._masks),
            first_position_only(model, choices.pooling in ("cls", "pooler")),
            sparse_embedding_gradients(model),
        ):
            yield

    def batches(self) -> Iterator[list[int]]:
        shuffling = random.Random(f"{self._seed} shuffling")
        choices = self._choices
        return draw_batches(self._count, choices.batch_size, choices.epochs, shuffling)

    def step(self, number: int, batch: list[int]) -> Step:
        token_ids = self._augmented.of_batch(batch, number)
        loss, vectors = self._gradients.compute(token_ids, number, self._loss)
        first, second = vectors[: len(batch)], vectors[len(batch) :]
        spread = {"alignment": alignment(first, second), "uniformity": uniformity(first)}
        return Step({"loss": loss, **spread}, len(batch), sum(map(len, token_ids)))

    def _loss(self, vectors: torch.Tensor) -> torch.Tensor:
        choices = self._choices
        firsts, seconds = vectors.chunk(2)
        return nt_xent_loss(firsts, seconds, choices.temperature, choices.loss_denominator)
