"""Strings to token ids, batches of similar length, and token ids to padded batches."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedTokenizerBase

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.errors import UserError

# Strings and characters that the Rust tokenizer takes at once: enough for its threads; what it
# gives is large, about 500 bytes a character.
STRINGS_AT_ONCE = 10_000
CHARACTERS_AT_ONCE = 1_000_000
# Characters of a string that are read first, for each token that it may have; most have about 5.
_CHARACTERS_A_TOKEN = 32
_LAST_WHOLE_WORD = re.compile(r".*\S(?= )", re.DOTALL)


def tokenize_strings(
    tokenizer: PreTrainedTokenizerBase,
    strings: Sequence[str],
    settings: EncoderSettings,
    role: str = "default",
) -> list[list[int]]:
    """Return the token ids of each string, at most `max_length` each, special tokens included.

    `settings.texts` returns the texts to tokenise. All strings become token ids here, to tune on or
    to embed; running text does in `language_modelling.encoded_text`. A string without any token
    becomes the unknown token, so that it has a vector. Of a very long string only the first words
    are tokenised, or all of it if they do not fill `max_length`. Words between blanks are tokenised
    separately, so that the ids are those of the whole.
    """
    if not strings:
        return []
    max_length = settings.max_length
    strings = settings.texts(strings, role)
    characters = max_length * _CHARACTERS_A_TOKEN
    from_left = tokenizer.truncation_side == "right"
    starts = [_first_words(string, characters) if from_left else string for string in strings]
    token_ids = _token_ids(tokenizer, starts, max_length)
    pairs = enumerate(zip(token_ids, starts, strings, strict=True))
    short = [
        i for i, (ids, start, string) in pairs if len(ids) < max_length and len(start) < len(string)
    ]
    if short:
        whole = _token_ids(tokenizer, [strings[i] for i in short], max_length)
        for i, ids in zip(short, whole, strict=True):
            token_ids[i] = ids
    unknown = tokenizer.unk_token_id
    fallback = [tokenizer.pad_token_id if unknown is None else unknown]
    return [ids or fallback for ids in token_ids]


def tokenize_words(
    tokenizer: PreTrainedTokenizerBase, strings: Sequence[str], settings: EncoderSettings
) -> tuple[list[list[int]], list[list[int | None]]]:
    """Return the token ids of each string, as `tokenize_strings`, and the word of each token.

    Words are those of the tokenizer, by their numbers within the string; special tokens are of
    none. Raises `UserError` for a tokenizer written in Python, which does not tell.
    """
    token_ids = tokenize_strings(tokenizer, strings, settings)
    if not tokenizer.is_fast:
        problem = f"{type(tokenizer).__name__} does not report which tokens belong to one word"
        raise UserError("tokenizer", problem, "use a model with a tokenizer.json")
    tokenizer("", truncation=True, max_length=settings.max_length)
    # the fast form does not tell words
    encode = tokenizer.backend_tokenizer.encode_batch
    parts = _parts(list(settings.texts(strings)))
    return token_ids, [encoding.word_ids for part in parts for encoding in encode(part)]


def _first_words(string: str, characters: int) -> str:
    """Return the string up to the end of the last word before a blank that so many hold, if any."""
    if len(string) <= characters:
        return string
    words = _LAST_WHOLE_WORD.match(string, 0, characters)
    return words[0] if words else string


def _token_ids(
    tokenizer: PreTrainedTokenizerBase, strings: list[str], max_length: int
) -> list[list[int]]:
    options: dict[str, Any] = {"truncation": True, "max_length": max_length}
    try:
        if not tokenizer.is_fast:
            return tokenizer(strings, **options)["input_ids"]
        # The call sets truncation of the Rust tokenizer, which is then asked itself: building the
        # result of a call takes transformers longer than the tokens took.
        tokenizer("", **options)
        encode = tokenizer.backend_tokenizer.encode_batch_fast
        return [encoding.ids for part in _parts(strings) for encoding in encode(part)]
    except (KeyboardInterrupt, SystemExit):
        raise
    # the Rust tokenizer has no kind of its own, and its panics are no `Exception`
    except BaseException as error:
        raise UserError(
            None, f"the tokenizer does not take these strings ({error})", "fix it"
        ) from error


def _parts(strings: list[str]) -> Iterator[list[str]]:
    return cut_strings(strings, STRINGS_AT_ONCE, CHARACTERS_AT_ONCE)


def cut_strings(strings: Sequence[str], most: int, most_characters: int) -> Iterator[list[str]]:
    """Yield the strings in parts of at most so many, and so many characters unless it is one."""
    part: list[str] = []
    characters = 0
    for string in strings:
        if part and (len(part) == most or characters + len(string) > most_characters):
            yield part
            part, characters = [], 0
        part.append(string)
        characters += len(string)
    yield part


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


def plan_full_batches(
    lengths: Sequence[int], token_budget: int, padded_length: int | None = None
) -> Iterator[list[int]]:
    """Yield the indices of `lengths` in batches of one length, and for each length of one size.

    So that shapes depend on the length alone, the last batch of a length is filled up with its
    first index, again and again.
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for length, group in groupby(order, key=lengths.__getitem__):
        own, size = list(group), max(1, token_budget // (padded_length or length))
        for start in range(0, len(own), size):
            batch = own[start : start + size]
            yield batch + batch[:1] * (size - len(batch))


def pad_token_ids(
    token_ids: Sequence[Sequence[int] | np.ndarray], pad_token_id: int, length: int | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids and attention mask, int64 [B, T], padded on the right; T is `length` or enough."""
    lengths = np.fromiter(map(len, token_ids), dtype=np.int64, count=len(token_ids))
    width = lengths.max() if length is None else length
    real = np.arange(width) < lengths[:, None]
    input_ids = np.full(real.shape, pad_token_id, dtype=np.int64)
    # Row by row, as the ids stand one after the other.
    input_ids[real] = np.fromiter(chain.from_iterable(token_ids), np.int64, lengths.sum())
    return torch.from_numpy(input_ids), torch.from_numpy(real.astype(np.int64))
