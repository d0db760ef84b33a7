"""The most frequent words of a language."""

from collections import Counter
from pathlib import Path

from workflow_scripts.configuration.blocks import Count, Field, Text
from workflow_scripts.corpora.block import SampledBlock
from workflow_scripts.datasets.frequent_words import most_frequent_words, read_word_list


class Options(SampledBlock):
    holds = "words"
    random = False

    language: Text = Field(description="Language of the words, as the wordfreq package names it.")
    path: Text | None = Field(None, description="A list of words instead of wordfreq's.")
    skip: Count = Field(0, description="Words to skip before taking `size` words.")

    def packages(self) -> list[str]:
        return ["wordfreq"] if self.path is None else []

    def strings(self, root: Path, seed: int, dropped: Counter[str]) -> list[str]:
        if self.path is not None:
            return read_word_list(root / self.path)
        number = None if self.size == "all" else self.skip + self.size
        return most_frequent_words(self.language, number)
