"""Strings without meaning, of letters and digits drawn at random (paper Table 10, Appendix C)."""

import random
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Field, WholeNumber, mistake
from workflow_scripts.corpora.block import CorpusBlock

ALPHABET = string.ascii_lowercase + string.digits


class Shape(NamedTuple):
    """How long strings are: characters of a word, and words of a string, both inclusive."""

    min_length: int
    max_length: int
    min_words: int = 1
    max_words: int = 1

    def number(self) -> int:
        """Return how many different strings have this shape."""
        lengths = range(self.min_length, self.max_length + 1)
        words = sum(len(ALPHABET) ** length for length in lengths)
        return sum(words**number for number in range(self.min_words, self.max_words + 1))


def shape_of(min_length: int, max_length: int, words: int | list[int]) -> Shape:
    return Shape(min_length, max_length, *(words if isinstance(words, list) else [words, words]))


class Options(CorpusBlock):
    holds = "words"
    random = True

    # The paper does not tell the lengths; with these, words are on average as long as the 10,000
    # English ones of the authors.
    min_length: WholeNumber = Field(2, description="Fewest letters and digits of a word.")
    max_length: WholeNumber = Field(12, description="Most letters and digits of a word.")
    words: WholeNumber | list[WholeNumber] = Field(
        1, description="Words per string: a number, or the smallest and the largest number."
    )
    size: WholeNumber = Field(description="How many strings.")

    @field_validator("words")
    @classmethod
    def _range(cls, value: int | list[int]) -> int | list[int]:
        if isinstance(value, list) and (len(value) != 2 or value[0] > value[1]):
            raise mistake("give a number, or the smallest and the largest one, such as [5, 15]")
        return value

    @field_validator("size")
    @classmethod
    def _possible(cls, value: int, info: ValidationInfo) -> int:
        keys = ("min_length", "max_length", "words")
        if info.data.keys() >= {*keys}:
            possible = shape_of(*(info.data[key] for key in keys)).number()
            if not possible or (value > possible and info.data.get("deduplicate")):
                raise mistake(
                    f"there are only {possible} different strings of this shape; raise max_length "
                    "or words, lower size, or set deduplicate: false"
                )
        return value

    def list_files(self, root: Path) -> list[Path]:
        return []

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        drawn = random_strings(shape_of(self.min_length, self.max_length, self.words), seed)
        # ends: a block that asks for more strings than there are was refused
        return islice(different(drawn) if self.deduplicate else drawn, self.size)


def random_strings(shape: Shape, seed: int) -> Iterator[str]:
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
    seen: set[str] = set()
    for text in strings:
        if text not in seen:
            seen.add(text)
            yield text
