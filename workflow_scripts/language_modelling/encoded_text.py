"""Sentences as the ids of their pieces, a few bytes each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_SENTENCES_AT_ONCE = 20_000


@dataclass(frozen=True)
class EncodedText:
    """Sentences as `ids`, int32 [tokens], without special tokens, and where each ends in them."""

    ids: np.ndarray
    ends: np.ndarray

    def sentences(self) -> list[np.ndarray]:
        return np.split(self.ids, self.ends[:-1])


def encode_sentences(tokenizer: "PreTrainedTokenizerFast", sentences: Sequence[str]) -> EncodedText:
    """Return the ids of sentences, uncut and without special tokens."""
    tokenizer.backend_tokenizer.no_truncation()
    encode, size = tokenizer.backend_tokenizer.encode_batch_fast, _SENTENCES_AT_ONCE
    parts = (list(sentences[n : n + size]) for n in range(0, len(sentences), size))
    encodings = (encoding for part in parts for encoding in encode(part, add_special_tokens=False))
    ids = [np.array(encoding.ids, dtype=np.int32) for encoding in encodings]
    ends = np.cumsum([len(sentence) for sentence in ids], dtype=np.int64)
    return EncodedText(np.concatenate(ids), ends)
