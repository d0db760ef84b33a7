"""The two views of each string of a batch, as token ids."""

import random
from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.token_batches import tokenize_strings
from workflow_scripts.tuning.recipes import SpanMasking
from workflow_scripts.tuning.span_masking import make_views

TokenIds = list[int]


class Views:
    """Views of strings, paired with themselves or, in supervised pairs, with their partners.

    Strings are tokenised once; of the masked ones, which are new at each step, only those that a
    span was cut out of are tokenised again.
    """

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerBase,
        strings: Sequence[str],
        partners: Sequence[str] | None,
        masking: SpanMasking | None,
        max_length: int,
        seed: int,
    ) -> None:
        self._tokenizer = tokenizer
        self._max_length = max_length
        self._masking = masking
        self._seed = seed
        self._texts = (list(strings), list(strings if partners is None else partners))
        firsts = tokenize_strings(tokenizer, strings, max_length)
        seconds = firsts if partners is None else tokenize_strings(tokenizer, partners, max_length)
        self._ids = (firsts, seconds)

    def of_batch(self, batch: Sequence[int], step: int) -> list[TokenIds]:
        """Return the token ids of the first views of a batch of strings, then of the second.

        Spans are drawn anew at each step, the same ones for the same seed and step.
        """
        plain = [[texts[index] for index in batch] for texts in self._texts]
        ids = [side[index] for side in self._ids for index in batch]
        if self._masking is None:
            return ids
        masked = make_views(
            plain[0],
            self._masking,
            self._tokenizer.mask_token or "",
            self._token_units,
            random.Random(f"{self._seed} masking {step}"),
            partners=plain[1],
        )
        before, after = plain[0] + plain[1], masked[0] + masked[1]
        changed = [row for row, text in enumerate(after) if text != before[row]]
        new_ids = tokenize_strings(
            self._tokenizer, [after[row] for row in changed], self._max_length
        )
        for row, token_ids in zip(changed, new_ids, strict=True):
            ids[row] = token_ids
        return ids

    def _token_units(self, text: str) -> list[tuple[int, int]]:
        encoded = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        return encoded["offset_mapping"]
