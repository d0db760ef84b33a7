"""Text as piece ids: one flat array a language, and the pieces of sequences drawn from it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from transformers import PreTrainedTokenizerFast

_LINES_AT_ONCE = 20_000


@dataclass(frozen=True)
class EncodedText:
    """Sentences as ids without special tokens.

    `ids` is int32 [number of tokens]; sentence n is ids[ends[n - 1]:ends[n]] (from 0 for n = 0),
    so `ends` is int64 [number of sentences].
    """

    ids: np.ndarray
    ends: np.ndarray

    def __len__(self) -> int:
        return len(self.ends)


def encode_lines(tokenizer: PreTrainedTokenizerFast, lines: Sequence[str]) -> EncodedText:
    """Encode each line without special tokens and without a limit of length."""
    backend = tokenizer.backend_tokenizer
    parts: list[np.ndarray] = []
    lengths: list[int] = []
    for start in range(0, len(lines), _LINES_AT_ONCE):
        batch = backend.encode_batch(
            list(lines[start : start + _LINES_AT_ONCE]), add_special_tokens=False
        )
        for encoding in batch:
            ids = np.array(encoding.ids, dtype=np.int32)
            parts.append(ids)
            lengths.append(len(ids))
    flat = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    return EncodedText(flat, np.cumsum(lengths, dtype=np.int64))


def cut_spans(text: EncodedText, longest: int, pack: bool) -> np.ndarray:
    """Return int64 [number of sequences, 2], the start and end of sequences of 1 to `longest` ids.

    Without `pack` each sequence is one sentence, or a part of a sentence that is longer than that;
    with it, neighbouring sentences are joined as long as they fit whole.
    """
    spans: list[tuple[int, int]] = []
    start = sentence_start = 0
    for end in text.ends.tolist():
        if not pack or end - start > longest:
            if sentence_start > start:
                spans.append((start, sentence_start))
            start = sentence_start
            while end - start > longest:
                spans.append((start, start + longest))
                start += longest
            if not pack and end > start:
                spans.append((start, end))
                start = end
        sentence_start = end
    if sentence_start > start:
        spans.append((start, sentence_start))
    return np.array(spans, dtype=np.int64).reshape(-1, 2)
