"""Strings under static word vectors: each is the mean of its words, cut at white space."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from workflow_scripts.errors import UserError

# What stands for a word that the file lacks: the mean of the vectors of its character n-grams, as
# in fastText; the mean vector of the file's most frequent words, which keeps cosines defined.
Oov = Literal["subwords", "mean", "error"]
# Files are ordered by frequency; words further down are rare, and many are misspelt.
MEAN_OF_WORDS = 10_000
_SHOWN = 3


@dataclass(frozen=True)
class WordVectors:
    """What a file has to say of the words asked for; vectors are float32 [dimension].

    `known` holds words of the file, `composed` others of which it has character n-grams; `mean` is
    of its first `MEAN_OF_WORDS` words, `words` their number, `repeated` counts lines passed over.
    """

    known: dict[str, np.ndarray]
    composed: dict[str, np.ndarray]
    mean: np.ndarray
    words: int
    repeated: int = 0


def words_to_seek(strings: Sequence[str]) -> set[str]:
    """Return all words of the strings, as they are written and lower-cased."""
    words = {word for string in strings for word in string.split()}
    return words | {word.lower() for word in words}


def embed_strings(
    strings: Sequence[str], vectors: WordVectors, oov: str, file_name: str
) -> tuple[np.ndarray, dict[str, int]]:
    """Return float32 [strings, dimension], and how many of the different words were found how.

    A word is sought as it is written, then lower-cased, then by `oov`; with `subwords`, one too
    short to have n-grams has the mean vector. `file_name` is for messages.
    """
    blank = next((number for number, string in enumerate(strings, 1) if not string.split()), None)
    if blank is not None:
        raise UserError(f"string {blank}", "has no words", "read the data set again")
    words = sorted({word for string in strings for word in string.split()})
    word_vectors: dict[str, np.ndarray] = {}
    counts = dict.fromkeys(("as_written", "lower_cased", "from_subwords", "mean_vector"), 0)
    missing: list[str] = []
    for word in words:
        if word in vectors.known:
            how, word_vectors[word] = "as_written", vectors.known[word]
        elif word.lower() in vectors.known:
            how, word_vectors[word] = "lower_cased", vectors.known[word.lower()]
        elif oov == "subwords" and word in vectors.composed:
            how, word_vectors[word] = "from_subwords", vectors.composed[word]
        else:
            how = "mean_vector"
            missing.append(word)
        counts[how] += 1
    if oov == "error" and missing:
        shown = ", ".join(map(repr, missing[:_SHOWN])) + ", ..." * (len(missing) > _SHOWN)
        raise UserError(
            file_name,
            f"has no vector of {len(missing)} of {len(words)} words ({shown})",
            "let oov be `mean` or remove them",
        )
    result = np.empty((len(strings), len(vectors.mean)), dtype=np.float32)
    for row, string in enumerate(strings):
        # In float64, and the same for a string of one word as the vector of the file.
        of_words = [word_vectors.get(part, vectors.mean) for part in string.split()]
        result[row] = np.mean(of_words, 0, np.float64)
    unknown = set(missing)
    of_unknown = sum(unknown.issuperset(string.split()) for string in strings)
    return result, counts | {"words": len(words), "strings_of_mean_vectors": of_unknown}
