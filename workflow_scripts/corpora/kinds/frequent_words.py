"""The most frequent words of a language."""

from collections import Counter
from pathlib import Path

from workflow_scripts.configuration.blocks import Count, Field, Text
from workflow_scripts.corpora.block import SampledBlock, one_file
from workflow_scripts.datasets.frequent_words import most_frequent_words, read_word_list

RANDOM = False
list_files = one_file


class Options(SampledBlock):
    holds = "words"

    language: Text = Field(description="Of the words, as the wordfreq package calls it.")
    path: Text | None = Field(None, description="A list of words instead of wordfreq's.")
    skip: Count = Field(0, description="Words passed over before the `size` that are taken.")

    def packages(self) -> list[str]:
        return ["wordfreq"] if self.path is None else []


def strings(root: Path, options: Options, seed: int, dropped: Counter[str]) -> list[str]:
    if options.path is not None:
        return read_word_list(root / options.path)
    number = None if options.size == "all" else options.skip + options.size
    return most_frequent_words(options.language, number)
