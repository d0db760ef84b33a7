"""Strings to token ids, and token ids to padded batches."""

from collections.abc import Sequence

import torch
from transformers import PreTrainedTokenizerBase


def tokenize_strings(
    tokenizer: PreTrainedTokenizerBase, strings: Sequence[str], max_length: int
) -> list[list[int]]:
    """Return the token ids of each string, special tokens included, at most `max_length` each.

    A string that gives no token at all (an empty one, under a tokenizer without special tokens)
    becomes the unknown token, so that every string has a vector.
    """
    if not strings:
        return []
    token_ids = tokenizer(
        list(strings),
        truncation=True,
        max_length=max_length,
        return_attention_mask=False,
        return_token_type_ids=False,
    )["input_ids"]
    unknown = tokenizer.unk_token_id
    fallback = [tokenizer.pad_token_id if unknown is None else unknown]
    return [ids or fallback for ids in token_ids]


def pad_token_ids(
    token_ids: Sequence[Sequence[int]], pad_token_id: int, length: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return token ids [B, T] and attention mask [B, T], both int64, padded on the right.

    T is `length` where it is given, else the longest of the batch.
    """
    width = max(map(len, token_ids)) if length is None else length
    input_ids = torch.full((len(token_ids), width), pad_token_id, dtype=torch.long)
    attention_mask = torch.zeros((len(token_ids), width), dtype=torch.long)
    for row, ids in enumerate(token_ids):
        input_ids[row, : len(ids)] = torch.tensor(ids, dtype=torch.long)
        attention_mask[row, : len(ids)] = 1
    return input_ids, attention_mask
