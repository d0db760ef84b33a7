"""Strings under static word vectors: which words are looked up, and what stands for missing ones.

A string is the mean of the vectors of its words, which are what stands between white space. A word
is sought as it is written, then lower-cased.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workflow_scripts.errors import UserError

# What stands for a word that the file lacks: `subwords`, the mean of the vectors of its character
# n-grams, as fastText does; `mean`, the mean vector of the file's most frequent words, which says
# nothing of the word but keeps cosines defined; `error`, nothing.
OOV_CHOICES = ("subwords", "mean", "error")

# How many words, the first of the file, the mean vector is taken of. Files are ordered by
# frequency; words further down are rare, and many are misspelt.
MEAN_OF_WORDS = 10_000

_SHOWN = 3


@dataclass(frozen=True)
class WordVectors:
    """What a file of word vectors has to say of the words asked for.

    `known` maps those of the file to float32 [dimension]; `composed` those that it lacks but has
    character n-grams of. `mean` is the mean vector, float32 [dimension], of the first
    `MEAN_OF_WORDS` words of the file, `words` the number of all its words, and `repeated` counts
    the lines of words asked for that were passed over because an earlier line has the word.
    """

    known: dict[str, np.ndarray]
    composed: dict[str, np.ndarray]
    mean: np.ndarray
    words: int
    repeated: int = 0


@dataclass(frozen=True)
class LookupCounts:
    """Of the different words of the strings: how each was found; and strings of unknown words only.

    `words` is the sum of `as_written`, `lower_cased`, `from_subwords` and `mean_vector`.
    """

    words: int
    as_written: int
    lower_cased: int
    from_subwords: int
    mean_vector: int
    strings_of_mean_vectors: int


def words_to_seek(strings: Sequence[str]) -> set[str]:
    """Return all words of the strings, as they are written and lower-cased."""
    words = {word for string in strings for word in string.split()}
    return words | {word.lower() for word in words}


def _check_none_missing(missing: list[str], words: int, file_name: str, remedy: str) -> None:
    if missing:
        shown = ", ".join(map(repr, missing[:_SHOWN]))
        more = ", ..." if len(missing) > _SHOWN else ""
        raise UserError(
            f"{file_name}: has no vector of {len(missing)} of {words} words ({shown}{more}); "
            f"{remedy}"
        )


def embed_strings(
    strings: Sequence[str], vectors: WordVectors, oov: str, file_name: str
) -> tuple[np.ndarray, LookupCounts]:
    """Return float32 [strings, dimension], and how the words were found.

    `oov` is one of `OOV_CHOICES`; with `subwords`, a word too short to have n-grams has the mean
    vector. Raises `UserError` for a string without words and, with `error`, for a missing word;
    `file_name` is for messages.
    """
    blank = next((number for number, string in enumerate(strings, 1) if not string.split()), None)
    if blank is not None:
        raise UserError(f"string {blank} has no words; remake the suite")
    words = sorted({word for string in strings for word in string.split()})
    found: dict[str, np.ndarray] = {}
    lower_cased = from_subwords = 0
    missing: list[str] = []
    for word in words:
        if word in vectors.known:
            found[word] = vectors.known[word]
        elif word.lower() in vectors.known:
            found[word] = vectors.known[word.lower()]
            lower_cased += 1
        elif oov == "subwords" and word in vectors.composed:
            found[word] = vectors.composed[word]
            from_subwords += 1
        else:
            missing.append(word)
    if oov == "error":
        _check_none_missing(missing, len(words), file_name, "let oov be `mean` or remove them")
    unknown = set(missing)
    result = np.empty((len(strings), len(vectors.mean)), dtype=np.float32)
    of_unknown = 0
    for row, string in enumerate(strings):
        parts = string.split()
        of_unknown += unknown.issuperset(parts)
        # In float64, and the same for a string of one word as the vector of the file.
        result[row] = np.mean([found.get(part, vectors.mean) for part in parts], 0, np.float64)
    counts = LookupCounts(
        words=len(words),
        as_written=len(found) - lower_cased - from_subwords,
        lower_cased=lower_cased,
        from_subwords=from_subwords,
        mean_vector=len(missing),
        strings_of_mean_vectors=of_unknown,
    )
    return result, counts
