"""Strings to token ids, batches of similar length, and token ids to padded batches."""

from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

# Strings that the Rust tokenizer takes at once: enough for its threads; what it gives is large.
STRINGS_AT_ONCE = 10_000


def tokenize_strings(
    tokenizer: PreTrainedTokenizerBase, strings: Sequence[str], max_length: int
) -> list[list[int]]:
    """Return the token ids of each string, special tokens included, at most `max_length` each.

    A string that gives no token at all becomes the unknown token, so that it has a vector.
    """
    if not strings:
        return []
    strings = list(strings)
    options = {"truncation": True, "max_length": max_length}
    if tokenizer.is_fast:
        # The call sets truncation of the Rust tokenizer, which is then asked itself: building
        # the result of a call takes transformers longer than the tokens took.
        tokenizer(strings[:1], **options)
        encode, size = tokenizer.backend_tokenizer.encode_batch_fast, STRINGS_AT_ONCE
        parts = (strings[start : start + size] for start in range(0, len(strings), size))
        token_ids = [encoding.ids for part in parts for encoding in encode(part)]
    else:
        token_ids = tokenizer(strings, **options)["input_ids"]
    unknown = tokenizer.unk_token_id
    fallback = [tokenizer.pad_token_id if unknown is None else unknown]
    return [ids or fallback for ids in token_ids]


def plan_batches(lengths: Sequence[int], token_budget: int) -> Iterator[list[int]]:
    """Yield the indices of `lengths`, shortest first, within `token_budget` padded positions."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        # Sorted, so the newcomer is the longest.
        if batch and (len(batch) + 1) * lengths[index] > token_budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def pad_token_ids(
    token_ids: Sequence[Sequence[int]], pad_token_id: int, length: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids and attention mask, int64 [B, T], padded on the right; T is `length` or enough."""
    lengths = np.fromiter(map(len, token_ids), dtype=np.int64, count=len(token_ids))
    width = lengths.max() if length is None else length
    real = np.arange(width) < lengths[:, None]
    input_ids = np.full(real.shape, pad_token_id, dtype=np.int64)
    # Row by row, as the ids stand one after the other.
    input_ids[real] = np.fromiter(chain.from_iterable(token_ids), np.int64, lengths.sum())
    return torch.from_numpy(input_ids), torch.from_numpy(real.astype(np.int64))
