"""Bilingual dictionaries of XLing-Eval (Glavas et al. 2019), with words to search among.

`yacle.train.freq.<size>.<pair>.tsv` and `yacle.test.freq.2k.<pair>.tsv` hold one translation per
row, source<TAB>target, without header. A source may have several rows: any of its targets counts.
"""

from pathlib import Path
from typing import ClassVar, Literal

from workflow_scripts.configuration.blocks import Count, Field, Text
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.frequent_words import most_frequent_words, read_word_list
from workflow_scripts.datasets.items import LexiconSet
from workflow_scripts.datasets.rows import require_strings
from workflow_scripts.datasets.strings import normalise_whitespace, unique_in_order
from workflow_scripts.delimited import Layout, read_rows

_PAIR = Layout((1, 2), "a row of word<TAB>translation")


class Entry(DatasetEntry):
    ITEMS: ClassVar = LexiconSet

    whitespace: Literal["collapsed"] = Field("collapsed", description="Strings are matched.")
    source: Text = Field(description="Language of the words to translate.")
    target: Text = Field(description="Language of the translations.")
    path: Text = Field(description="Folder of the pair's files.")
    train: Text = Field("5k", description="Size of the training dictionary, as in its file's name.")
    test: Text = Field("2k", description="Size of the test dictionary, as in its file's name.")
    # the paper does not say how many it took
    vocabulary_size: Count = Field(
        1000, description="Frequent words of each language to search among, besides the test words."
    )
    source_words: Text | None = Field(
        None, description="List of words to use instead of wordfreq's."
    )
    target_words: Text | None = Field(None, description="The same for the other language.")

    def list_files(self, root: Path) -> list[Path]:
        folder, pair = root / self.path, f"{self.source}-{self.target}"
        lists = [self.source_words, self.target_words]
        return [
            folder / f"yacle.train.freq.{self.train}.{pair}.tsv",
            folder / f"yacle.test.freq.{self.test}.{pair}.tsv",
            *(root / path for path in lists if path is not None),
        ]

    def read(self, root: Path) -> LexiconSet:
        """Return the dictionary of a pair; rows are kept as they stand, repeated sources included.

        A vocabulary is the most frequent words followed by the dictionary's own (training, then
        test) that are not among them, so that every gold translation can be found.
        """
        train, test = map(_read_translations, self.list_files(root)[:2])

        def vocabulary(side: int, language: str, words: str | None) -> list[str]:
            frequent, size = [], self.vocabulary_size
            if words is not None:
                listed = map(normalise_whitespace, read_word_list(root / words))
                frequent = unique_in_order(listed)[:size]
            elif size:
                frequent = most_frequent_words(language, size)
            return unique_in_order([*frequent, *(pair[side] for pair in [*train, *test])])

        source = vocabulary(0, self.source, self.source_words)
        target = vocabulary(1, self.target, self.target_words)
        return LexiconSet(self.source, self.target, train, test, source, target)


def _read_translations(path: Path) -> list[tuple[str, str]]:
    translations = []
    for line, (word, translation) in read_rows(path, _PAIR):
        require_strings([word, translation], "a word", path, line)
        translations.append((normalise_whitespace(word), normalise_whitespace(translation)))
    return translations
