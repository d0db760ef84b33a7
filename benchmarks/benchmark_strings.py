"""The strings that are tuned on and embedded, read from a data root by the project's readers."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from workflow_scripts.corpora.kinds import text
from workflow_scripts.datasets.dictionaries import read_dictionary
from workflow_scripts.datasets.frequent_words import most_frequent_words
from workflow_scripts.datasets.scored_pairs import STS_BENCHMARK
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.delimited import read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

# The corpora that the authors released.
WORDS = "mirror-corpus/en_words_top_10k.txt"
SENTENCES = "mirror-corpus/stsbenchmark_train_10k_sents_random_sampled.txt"
# Roots without them have wordfreq's words and the sentences of the STS Benchmark.
STS = "sts-benchmark/sts-{split}.csv"
# Articles of Wikipedia, which `read_neighbours` has a substitute for.
ARTICLES = "text-en-wikipedia"
NAMES = "bel-dictionaries/medic_06Jul2012.txt.gz"


def read_strings(root: Path, kind: str, count: int) -> tuple[list[str], str]:
    """Return at most `count` words, phrases or sentences, and where they are from, for the report.

    Phrases are unique names of MEDIC, drawn with a fixed seed. Raises `UserError` for a root
    without the file.
    """
    if kind == "phrases":
        names = [name for name, _ in read_dictionary([root / NAMES], "medic")]
        unique = unique_in_order(names)
        random.Random(0).shuffle(unique)
        return unique[:count], "from the disease dictionary MEDIC"
    released = root / (WORDS if kind == "words" else SENTENCES)
    if released.is_file():
        strings = [text for line in read_lines(released) if (text := line.strip())]
        return strings[:count], f"`{released.name}`"
    if kind == "words":
        return most_frequent_words("en", count), "the most frequent English words of wordfreq"
    training = STS.format(split="train")
    if not (root / training).is_file():
        raise UserError(released, f"no such file, nor {training} next to it", "give another --data")
    sentences = texts_of(read_sts_pairs(root, "train"))
    return sentences[:count], "the training sentences of the STS Benchmark"


def read_neighbours(root: Path, joined: int, count: int) -> tuple[list[str], str]:
    """Return at most `count` pairs of neighbours, a line each side, and where they are from.

    Of each side so many sentences are `joined`. Roots without articles have pairs of the STS
    Benchmark in their place, which take as long.
    """
    if not (root / ARTICLES).is_dir():
        sentences, source = read_strings(root, "sentences", 2 * joined * count)
        documents, source = iter([sentences]), f"{source}, instead of articles"
    else:
        files = [{"reader": "wikiextractor", "files": [f"{ARTICLES}/**/wiki_*"]}]
        options = text.Options(kind="text", size="all", texts=files)
        documents, source = options.documents(root, 0, Counter()), "of Wikipedia's articles"
    sides = (
        [" ".join(document[start : start + joined]) for start in range(0, len(document), joined)]
        for document in documents
    )
    pairs = (
        f"{one}\n{other}\n"
        for document in sides
        for one, other in zip(document[::2], document[1::2], strict=False)
    )
    return list(islice(pairs, count)), source


def read_sts_pairs(root: Path, split: str) -> list[tuple[float, str, str]]:
    """Return (score, sentence, sentence) of the pairs of a split of the STS Benchmark."""
    rows = read_rows(root / STS.format(split=split), STS_BENCHMARK)
    return [(float(score), left, right) for _, (left, right, score, _) in rows]


def texts_of(pairs: Sequence[tuple[float, str, str]]) -> list[str]:
    """Return the sentences of pairs, left and right in turn."""
    return [text for _, *texts in pairs for text in texts]
