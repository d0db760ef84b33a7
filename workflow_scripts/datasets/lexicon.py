"""Bilingual dictionaries of XLing-Eval (Glavas et al. 2019), with words to search among.

`yacle.train.freq.<size>.<pair>.tsv` and `yacle.test.freq.2k.<pair>.tsv` hold one translation per
row, source<TAB>target, without header. A source may have several rows: any of its targets counts.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.corpora.frequent_words import most_frequent_words, read_word_list
from workflow_scripts.datasets.items import LexiconSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.datasets.strings import normalise_whitespace, unique_in_order
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows

OPTIONS = {
    "source": Option((str,)),
    "target": Option((str,)),
    "path": Option((str,)),
    "train": Option((str,), "5k"),
    "test": Option((str,), "2k"),
    # How many of the most frequent words of each language to search among, besides the
    # dictionary's own; the paper does not say how many it took.
    "vocabulary_size": Option((int,), 1000),
    # Lists of words by frequency, one per line; without one the wordfreq package is asked.
    "source_words": Option((str,), None),
    "target_words": Option((str,), None),
}


def _dictionary_path(root: Path, options: Mapping[str, Any], split: str) -> Path:
    pair = f"{options['source']}-{options['target']}"
    return root / options["path"] / f"yacle.{split}.freq.{options[split]}.{pair}.tsv"


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the training and test dictionary, and the word lists where there are any."""
    lists = [options["source_words"], options["target_words"]]
    return [
        _dictionary_path(root, options, "train"),
        _dictionary_path(root, options, "test"),
        *(root / path for path in lists if path is not None),
    ]


def _read_translations(path: Path) -> list[tuple[str, str]]:
    translations = []
    for line, fields in read_rows(path, 2, "a row of word<TAB>translation"):
        require_strings(fields[:2], "a word", path, line)
        translations.append((normalise_whitespace(fields[0]), normalise_whitespace(fields[1])))
    return translations


def _frequent_words(root: Path, options: Mapping[str, Any], side: str) -> list[str]:
    size = options["vocabulary_size"]
    if size < 0:
        raise UserError(f"option 'vocabulary_size' cannot be {size}; give 0 or more")
    if size == 0:
        return []
    path = options[f"{side}_words"]
    if path is not None:
        return unique_in_order(read_word_list(root / path))[:size]
    return most_frequent_words(options[side], size)


def read(root: Path, options: Mapping[str, Any]) -> LexiconSet:
    """Return the dictionary of a pair; rows are kept as they stand, repeated sources included.

    A vocabulary is the most frequent words followed by the dictionary's own (training, then test)
    that are not among them, so that every gold translation can be found. Raises `UserError` for a
    malformed row and for a language without a word list.
    """
    train = _read_translations(_dictionary_path(root, options, "train"))
    test = _read_translations(_dictionary_path(root, options, "test"))
    vocabularies = [
        unique_in_order(
            [*_frequent_words(root, options, side), *(pair[i] for pair in [*train, *test])]
        )
        for i, side in enumerate(("source", "target"))
    ]
    return LexiconSet(options["source"], options["target"], train, test, *vocabularies)
