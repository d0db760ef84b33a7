"""The two views of each string of a batch, as token ids."""

import random
from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.tuning.methods.mirror import SpanMasking
from workflow_scripts.tuning.span_masking import make_views, token_units

TokenIds = list[int]


class Views:
    """Views of strings, tokenised once, paired with themselves or with their partners."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        strings: Sequence[str],
        partners: Sequence[str] | None,
        masking: SpanMasking | None,
        max_length: int,
        seed: int,
    ) -> None:
        self._tokenizer, self._max_length = tokenizer, max_length
        self._masking, self._seed = masking, seed
        self._texts = (strings, strings if partners is None else partners)
        firsts = tokenize_strings(tokenizer, strings, max_length)
        seconds = firsts if partners is None else tokenize_strings(tokenizer, partners, max_length)
        self._ids = (firsts, seconds)

    def of_batch(self, batch: Sequence[int], step: int) -> list[TokenIds]:
        """Return token ids of first views, then of second; spans hang on seed and step alone."""
        ids = [side[index] for side in self._ids for index in batch]
        if self._masking is None:
            return ids
        first, second = ([texts[index] for index in batch] for texts in self._texts)
        token, generator = self._tokenizer.mask_token, random.Random(f"{self._seed} masking {step}")
        finding = (token or "", token_units(self._tokenizer), generator)
        one, other = make_views(first, self._masking, *finding, partners=second)
        after = one + other
        changed = [row for row, text in enumerate(first + second) if text != after[row]]
        new = [after[row] for row in changed]
        new_ids = tokenize_strings(self._tokenizer, new, self._max_length)
        for row, token_ids in zip(changed, new_ids, strict=True):
            ids[row] = token_ids
        return ids
