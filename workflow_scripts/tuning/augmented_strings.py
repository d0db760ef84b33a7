"""What Mirror tuning encodes (paper sections 2 and 3): both strings of the pairs of a batch."""

import random
from collections.abc import Iterator, Sequence

import numpy as np
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.tuning.span_masking import SpanMasking, augment_pairs, token_units


def draw_batches(
    count: int, batch_size: int, epochs: int, generator: random.Random
) -> Iterator[np.ndarray]:
    """Yield the string indices of each step: reshuffled each epoch, incomplete batch dropped."""
    for _ in range(epochs):
        order = list(range(count))
        generator.shuffle(order)
        for start in range(0, count - batch_size + 1, batch_size):
            yield np.array(order[start : start + batch_size])


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

    def of_batch(self, batch: np.ndarray, step: int) -> list[list[int]]:
        """Return ids of first strings, then of second; spans depend on seed and step alone."""
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
