"""Strings without meaning, of letters and digits drawn at random (paper Table 10, Appendix C)."""

import random
import string
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from pydantic import ValidationInfo, field_validator

from workflow_scripts.configuration.blocks import Field, WholeNumber, mistake
from workflow_scripts.corpora.block import CorpusBlock

ALPHABET = string.ascii_lowercase + string.digits


def ranges_of(min_length: int, max_length: int, words: int | list[int]) -> tuple[range, range]:
    """Return how many characters a word may have, and how many words a string."""
    fewest, most = words if isinstance(words, list) else (words, words)
    return range(min_length, max_length + 1), range(fewest, most + 1)


def number_of_strings(lengths: range, words: range) -> int:
    """Return how many different strings there are."""
    different_words = sum(len(ALPHABET) ** length for length in lengths)
    return sum(different_words**number for number in words)


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
            possible = number_of_strings(*ranges_of(*(info.data[key] for key in keys)))
            if not possible or (value > possible and info.data.get("deduplicate")):
                raise mistake(
                    f"there are only {possible} different strings of this shape; raise max_length "
                    "or words, lower size, or set deduplicate: false"
                )
        return value

    def list_files(self, root: Path) -> list[Path]:
        return []

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> Iterator[str]:
        lengths, words = ranges_of(self.min_length, self.max_length, self.words)
        drawn = random_strings(lengths, words, seed)
        # ends: a block that asks for more strings than there are was refused
        return islice(different(drawn) if self.deduplicate else drawn, self.size)


def random_strings(lengths: range, words: range, seed: int) -> Iterator[str]:
    """Yield strings without end, the same ones for the same seed; they may repeat.

    Uniformly drawn are the number of words, the length of each word, and each character among
    lower-case English letters and digits. Words are joined by a space.
    """
    generator = random.Random(seed)

    def word() -> str:
        return "".join(generator.choices(ALPHABET, k=generator.choice(lengths)))

    while True:
        number = generator.choice(words)
        yield " ".join([word() for _ in range(number)])


def different(strings: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for text in strings:
        if text not in seen:
            seen.add(text)
            yield text
