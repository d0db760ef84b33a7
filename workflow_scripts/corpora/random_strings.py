"""Strings without meaning, of letters and digits drawn at random (paper Table 10, Appendix C)."""

import random
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

ALPHABET = string.ascii_lowercase + string.digits


@dataclass(frozen=True)
class StringShape:
    """How long random strings are: characters of a word, and words of a string, both inclusive."""

    min_length: int
    max_length: int
    min_words: int = 1
    max_words: int = 1

    def count(self) -> int:
        """Return how many different strings have this shape."""
        lengths = range(self.min_length, self.max_length + 1)
        words = sum(len(ALPHABET) ** length for length in lengths)
        return sum(words**number for number in range(self.min_words, self.max_words + 1))


def random_strings(shape: StringShape, seed: int) -> Iterator[str]:
    """Yield strings of a shape without end, the same ones for the same seed; they may repeat.

    Uniformly drawn are the number of words, the length of each word, and each character among
    lower-case English letters and digits. Words are joined by a space.
    """
    generator = random.Random(seed)

    def word() -> str:
        length = generator.randint(shape.min_length, shape.max_length)
        return "".join(generator.choices(ALPHABET, k=length))

    while True:
        number = generator.randint(shape.min_words, shape.max_words)
        yield " ".join([word() for _ in range(number)])


def different(strings: Iterable[str]) -> Iterator[str]:
    """Yield the strings that were not yielded before."""
    seen: set[str] = set()
    for text in strings:
        if text not in seen:
            seen.add(text)
            yield text
