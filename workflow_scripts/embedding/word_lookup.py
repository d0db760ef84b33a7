"""Strings under static word vectors: each is the mean of its words, cut at white space."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import punctuation
from typing import Literal

import numpy as np

from workflow_scripts.errors import UserError

# What stands for a word that the file lacks: the mean of the vectors of its character n-grams, as
# in fastText; the mean vector of the file's most frequent words, which keeps cosines defined. Or it
# is left out of the string's mean, once it was sought without punctuation at its ends, as
# sentence-transformers averages word vectors (WhitespaceTokenizer, but for its stop words).
Oov = Literal["subwords", "mean", "left_out", "error"]
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


def words_to_seek(strings: Sequence[str], oov: str = "mean") -> set[str]:
    """Return all forms of the words of the strings in which they are sought."""
    return {form for string in strings for word in string.split() for form in _forms(word, oov)}


def _forms(word: str, oov: str) -> list[str]:
    """Return a word as it is written and lower-cased, and where it may be left out also without
    punctuation at its ends, in the order in which they are sought.
    """
    bare = word.strip(punctuation) if oov == "left_out" else ""
    return [word, word.lower(), *([bare, bare.lower()] if bare else [])]


def embed_strings(
    strings: Sequence[str], vectors: WordVectors, oov: str, file_name: str
) -> tuple[np.ndarray, dict[str, int]]:
    """Return float32 [strings, dimension], and how many of the different words were found how.

    A word is sought as it is written, then lower-cased, then by `oov`; with `subwords`, one too
    short to have n-grams has the mean vector, as with `left_out` a string without any known word.
    `file_name` is for messages.
    """
    blank = next((number for number, string in enumerate(strings, 1) if not string.split()), None)
    if blank is not None:
        raise UserError(f"string {blank}", "has no words", "read the data set again")
    words = sorted({word for string in strings for word in string.split()})
    word_vectors: dict[str, np.ndarray] = {}
    missing_is = "left_out" if oov == "left_out" else "mean_vector"
    ways = ["as_written", "lower_cased", "from_subwords", missing_is]
    # looked up without punctuation
    ways += ["without_punctuation"] * (oov == "left_out")
    counts = dict.fromkeys(ways, 0)
    missing: list[str] = []
    for word in words:
        form = next((form for form in _forms(word, oov) if form in vectors.known), None)
        if form is not None:
            word_vectors[word] = vectors.known[form]
            how = {word.lower(): "lower_cased", word: "as_written"}.get(form, "without_punctuation")
        elif oov == "subwords" and word in vectors.composed:
            how, word_vectors[word] = "from_subwords", vectors.composed[word]
        else:
            how = missing_is
            missing.append(word)
        counts[how] += 1
    if oov == "error" and missing:
        shown = ", ".join(map(repr, missing[:_SHOWN])) + ", ..." * (len(missing) > _SHOWN)
        raise UserError(
            file_name,
            f"lacks vectors for {len(missing)} of {len(words)} words ({shown})",
            "set oov to `mean` or remove the words",
        )
    result = np.empty((len(strings), len(vectors.mean)), dtype=np.float32)
    for row, string in enumerate(strings):
        parts = string.split()
        if oov == "left_out":
            parts = [part for part in parts if part in word_vectors] or parts[:1]
        # In float64, and the same for a string of one word as the vector of the file.
        of_words = [word_vectors.get(part, vectors.mean) for part in parts]
        result[row] = np.mean(of_words, 0, np.float64)
    unknown = set(missing)
    of_unknown = sum(unknown.issuperset(string.split()) for string in strings)
    return result, counts | {"words": len(words), "strings_of_mean_vectors": of_unknown}
