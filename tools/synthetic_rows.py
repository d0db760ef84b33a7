"""Rows of data sets that the bundled sample data lacks, made in the formats of the real files."""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from workflow_scripts.datasets.frequent_words import most_frequent_words
from workflow_scripts.files import stream_lines

SAMPLE_DATA = Path(__file__).resolve().parents[1] / "resources" / "sample_data"


class Sizes(NamedTuple):
    """Rows of made files, and the shape of word vectors."""

    rows: int  # of lists of words and sentences
    names: int  # of the UMLS
    pairs: int  # of SNLI
    dimension: int
    words: int
    buckets: int


# the second: the UMLS has 16 million rows and fastText 2 million words and buckets, which would
# take 60 GB; here they are large enough for what grows with them to show
SIZES = {
    "small": Sizes(1000, 3000, 1000, 20, 2000, 500),
    "full": Sizes(10_000, 4_000_000, 550_000, 300, 200_000, 200_000),
}


class Material(NamedTuple):
    """What synthetic files are made from: a data root or the sample data, and their sizes."""

    data: Path | None
    sizes: Sizes

    def file(self, path: str) -> Path | None:
        """Return the file at a path below the data root or the sample data.

        None if neither has it.
        """
        roots = [root for root in (self.data, SAMPLE_DATA) if root is not None]
        return next((root / path for root in roots if (root / path).is_file()), None)

    def rows(self, path: str) -> list[list[str]]:
        return [line.split("\t") for line in stream_lines(self.file(path))]


_LANGUAGES = {"english": "en", "spanish": "es", "french": "fr", "polish": "pl", "russian": "ru"}
_LANGUAGES |= {"arabic": "ar", "chinese": "zh", "italian": "it", "turkish": "tr", "hebrew": "he"}
_LANGUAGES |= {"finnish": "fi", "estonian": "et"}

Lines = Iterable[str]


def _cycle(strings: list[str], number: int) -> Iterator[str]:
    """Yield `number` different strings: those given, then the same with the number of the round."""
    for place in range(number):
        turn, index = divmod(place, len(strings))
        yield strings[index] + (f" {turn}" if turn else "")


def words_of(language: str, number: int) -> Lines:
    if language == "et":  # of which the package has no list
        return islice(stream_lines(SAMPLE_DATA / "most-common-words" / "estonian.txt"), number)
    return most_frequent_words(language, number)


def _sentences(path: str, of: Material) -> Lines:
    column = {"arabic": 1, "russian": 2}.get(Path(path).name.split("_")[0])
    if column is None:
        rows = [row[5] for row in of.rows("sts-benchmark/sts-train.csv")]
    else:
        pair = {1: "ar-en", 2: "en-ru"}[column]
        rows = [row[column] for row in of.rows(f"wikimatrix/WikiMatrix.{pair}.tsv")]
    return _cycle(rows, of.sizes.rows)


def _mrconso(path: str, of: Material) -> Lines:
    """Yield rows of 18 columns, every tenth in another language or suppressed."""
    names = list(stream_lines(SAMPLE_DATA / "names" / "biomedical_names.txt"))
    for place, name in enumerate(_cycle(names, of.sizes.names)):
        language = "SPA" if place % 20 == 7 else "ENG"
        flag = "O" if place % 20 == 3 else "N"
        number = f"{place:08d}"
        row = [f"C{place // 3:07d}", language, "P", f"L{number}", "PF", f"S{number}", "Y"]
        row += [f"A{number}", "", "", f"D{number}", "MSH", "PT", f"D{number}", name]
        row += ["0", flag, "256"]
        yield "|".join(row) + "|"


def _ctd(path: str, of: Material) -> Lines:
    """Yield the names of MeSH as chemicals of CTD, each with a synonym."""
    yield "# ChemicalName\tChemicalID\tCasRN\tDefinition\tParentIDs\tTreeNumbers\tParent\tSynonyms"
    for identity, name in of.rows("mesh-2015/terms.tsv")[1:]:
        yield "\t".join([name, f"MESH:{identity}", "", "", "", "", "", f"{name} salt"])


def _snli(path: str, of: Material) -> Lines:
    rows = of.rows("nli/en.tsv")[1:]
    for place in range(of.sizes.pairs):
        premise, hypothesis, label = rows[place % len(rows)]
        row = {"gold_label": label, "sentence1": f"{premise} {place}", "sentence2": hypothesis}
        yield json.dumps(row | {"pairID": f"{place}", "annotator_labels": [label]})


def _sts13(path: str, of: Material) -> Lines:
    """Yield the pairs of a subset with their scores, which the sample data has in two files."""
    folder, subset = path.rpartition("/")[0], Path(path).name.removesuffix(".test.tsv")
    scores, pairs = (of.rows(f"{folder}/STS.{part}.{subset}.txt") for part in ("gs", "input"))
    return ("\t".join([*score, *pair]) for score, pair in zip(scores, pairs, strict=True))


_SICK = "sick/semeval2014/SICK_test_annotated.txt"


def _jsick(path: str, of: Material) -> Lines:
    names = ["pair_ID", "sentence_A", "sentence_B", "entailment_label", "relatedness_score"]
    yield "\t".join([names[0], *(f"{one}_{tag}" for tag in ("En", "Ja") for one in names[1:])])
    # the sample data's training part is too small to train on
    for number, first, second, score, label in of.rows(_SICK)[1:]:
        same = [first, second, label.lower(), score]
        yield "\t".join([number, *same, *same])


def _sick_nl(path: str, of: Material) -> Lines:
    yield "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set"
    for part in ("TRAIN", "TRIAL", "TEST"):
        for number, first, second, score, label in of.rows(_SICK)[1:]:
            yield "\t".join([number, first, second, label, score, part])


def _hotels(path: str, of: Material) -> Lines:
    labels = ["strong_negative", "negative", "mixed", "positive", "strong_positive"]
    texts = [row[1] for row in of.rows("sentiment-umsab/english-train.tsv")]
    return (f"{labels[place % 5]}\t{text}" for place, text in enumerate(texts))


def _hotels_ja(path: str, of: Material) -> Lines:
    parts = ["train", "train", "dev", "test"]
    texts = [row[1] for row in of.rows("sentiment-umsab/english-train.tsv")]
    for place, text in enumerate(texts):
        yield f"pn{place}\t{place % 3 - 1}\t{text}\t{{}}\t{parts[place // 3 % 4]}"


def _uci(path: str, of: Material) -> Lines:
    texts = [row[1] for row in of.rows("sentiment-umsab/english-train.tsv")]
    return (f"{text}\t{place % 2}" for place, text in enumerate(texts))


def _qqp(path: str, of: Material) -> Lines:
    header, *rows = of.rows("qqp/quora_duplicate_questions.tsv")
    yield "\t".join(header)
    for place in range(of.sizes.rows):
        _, _, _, first, second, label = rows[place % len(rows)]
        numbers = [f"{place}", f"{2 * place}", f"{2 * place + 1}"]
        yield "\t".join([*numbers, f"{first} {place}", second, label])


def _unread(path: str, of: Material) -> Lines:
    """Return the text of what comes along and no job reads."""
    return ["A stand-in."]


def _glove(path: str, of: Material) -> Lines:
    """Yield frequent words with drawn numbers, without a first line, and one word with a blank."""
    draw = random.Random(33)
    for word in [",", ". .", *words_of("en", of.sizes.words)]:
        numbers = [f"{draw.uniform(-1, 1):.5f}" for _ in range(of.sizes.dimension)]
        yield " ".join([word, *numbers])


MADE: dict[str, Callable[[str, Material], Lines]] = {
    "most-common-words/*": lambda path, of: words_of(_LANGUAGES[Path(path).stem], of.sizes.rows),
    "mirror-corpus/??_words_*": lambda path, of: words_of(Path(path).name[:2], of.sizes.rows),
    "mirror-corpus/*": _sentences,
    "umls/MRCONSO.RRF": _mrconso,
    "semeval-sts-original/STS13-en-test/*.test.tsv": _sts13,
    "bel-dictionaries/CTD_chemicals.tsv.gz": _ctd,
    "snli/*": _snli,
    "glove/*": _glove,
    "qqp/quora_duplicate_questions.tsv": _qqp,
    "jsick/*": _jsick,
    "sick-nl/*": _sick_nl,
    "sentiment-hotel/*": _hotels,
    "sentiment-ja-hotel/*": _hotels_ja,
    "sentiment-en-uci/*": _uci,
    **dict.fromkeys(["*[Rr][Ee][Aa][Dd][Mm][Ee]*", "*LICENSE*"], _unread),
    **dict.fromkeys(["sick/SICK.txt.gz", "*/STS.gs.ALL.txt"], _unread),
}
