"""The strings that are tuned on and embedded, read from a data root by the project's readers."""

import random
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from workflow_scripts.corpora.frequent_words import most_frequent_words
from workflow_scripts.datasets.dictionaries import read_dictionary
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_rows, write_text

# The corpora that the authors released.
WORDS = "mirror-corpus/en_words_top_10k.txt"
SENTENCES = "mirror-corpus/stsbenchmark_train_10k_sents_random_sampled.txt"
# Roots without them have wordfreq's words and the sentences of the STS Benchmark.
STS_TRAINING = "sts-benchmark/sts-train.csv"
NAMES = "bel-dictionaries/medic_06Jul2012.txt.gz"
TASKS = ("words", "phrases", "sentences")
_FIRST_SENTENCE = 5


@dataclass(frozen=True)
class BenchmarkStrings:
    """Strings of one kind and where they are from, in words for the report."""

    strings: list[str]
    source: str


def read_strings(root: Path, task: str, count: int) -> BenchmarkStrings:
    """Return at most `count` strings of a task: "words", "phrases" or "sentences".

    Words are the most frequent ones and sentences the first of their file; phrases are unique
    names of the disease dictionary MEDIC, drawn at random with a fixed seed. Raises `UserError`
    for a root without the file.
    """
    if task == "phrases":
        names, _ = read_dictionary([root / NAMES], "medic", lower_case=False)
        unique = unique_in_order(names)
        random.Random(0).shuffle(unique)
        return BenchmarkStrings(unique[:count], "from the disease dictionary MEDIC")
    if task == "words":
        if (root / WORDS).is_file():
            return BenchmarkStrings(_read_corpus(root / WORDS, count), f"`{Path(WORDS).name}`")
        return BenchmarkStrings(
            most_frequent_words("en", count), "the most frequent English words of wordfreq"
        )
    if (root / SENTENCES).is_file():
        return BenchmarkStrings(_read_corpus(root / SENTENCES, count), f"`{Path(SENTENCES).name}`")
    if not (root / STS_TRAINING).is_file():
        raise UserError(
            f"{root / SENTENCES}: no such file, nor {STS_TRAINING} beside it; give another --data"
        )
    rows = read_rows(root / STS_TRAINING, 7, "a row of the STS Benchmark")
    sentences = [
        text for _, fields in rows for text in fields[_FIRST_SENTENCE : _FIRST_SENTENCE + 2]
    ]
    return BenchmarkStrings(sentences[:count], "the training sentences of the STS Benchmark")


def _read_corpus(path: Path, count: int) -> list[str]:
    return [text for line in read_lines(path) if (text := line.strip())][:count]


def draw_strings(strings: list[str], count: int, seed: int) -> list[str]:
    """Return `count` of the strings at random, all again and again where there are fewer.

    A part of a list of words by frequency would be of short ones, hence the drawing.
    """
    order = list(strings)
    random.Random(seed).shuffle(order)
    return list(islice(cycle(order), count))


def write_strings(path: Path, strings: list[str]) -> None:
    """Write the strings, one a line."""
    write_text(path, "".join(text + "\n" for text in strings))
