"""Words translated by the vectors of two languages and a small dictionary, as commands do it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.datasets.strings import unique_in_order
from workflow_scripts.datasets.word_pairs import Pair
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.csls import NEIGHBOURS
from workflow_scripts.retrieval.mapping import MappingKind
from workflow_scripts.retrieval.translations import LexiconSide, Retrieval, rank_translations
from workflow_scripts.scoring.measurement import Measurement, bootstrap_scores
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.ranked_accuracy import measure_translations
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score

# The accuracies that are printed are at 1 and at this.
_LARGEST_K = 5
_SHOWN = 3


class Translation(NamedTuple):
    """A target word for a word, the first of `rank` 1."""

    word: str
    rank: int
    translation: str
    score: float


COLUMNS = Translation._fields


class Words(NamedTuple):
    """Words of a language that have a vector: row `rows[word]` of `vectors`."""

    vectors: np.ndarray  # float32 [words, dimension]
    rows: dict[str, int]
    origin: str  # their model or file, in messages

    @classmethod
    def in_order(cls, vectors: np.ndarray, words: Sequence[str], origin: str) -> "Words":
        """Return different words with their vectors, [words, dimension]."""
        return cls(vectors, {word: row for row, word in enumerate(words)}, origin)

    def side(self, name: str, **parts: Sequence[str]) -> LexiconSide:
        """Return the side of a lexicon whose parts are of these words."""
        numbers = {part: [self.rows[word] for word in words] for part, words in parts.items()}
        return LexiconSide(self.vectors, f"{name} words of {self.origin}", **numbers)


class Lexicon(NamedTuple):
    """A vocabulary of each side, training pairs, held-out pairs, and words to translate."""

    vocabularies: list[list[str]]
    train: list[Pair]
    test: list[Pair]
    words: list[str]

    def strings(self, column: int) -> list[str]:
        """Return the different words of a side (0: source) that need a vector."""
        own = [*self.vocabularies[column], *(pair[column] for pair in self.train)]
        if column == 0:
            own += [*self.words, *(pair[0] for pair in self.test)]
        return unique_in_order(own)


@dataclass(frozen=True)
class MapOptions:
    """How the map is learnt, and how words are ranked.

    Args:
        k: translations per word
        mapping: how the map is learnt
        regularisation: regularisation of the supervised map's whitening (default: 0,
            as published)
        retrieval: how words are ranked
        neighbours: neighbourhood size of CSLS
    """

    k: int = 5
    mapping: MappingKind = "supervised"
    regularisation: float = 0.0
    retrieval: Retrieval = "csls"
    neighbours: int = NEIGHBOURS


def without_held_out(train: Sequence[Pair], test: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of `train` whose source word is none of `test`, whatever their case.

    Static vectors and uncased encoders take words that differ in case for one.
    """
    held_out = {source.lower() for source, _ in test}
    return [pair for pair in train if pair[0].lower() not in held_out]


def embed_lexicon(
    lexicon: Lexicon, embed: Callable[[int, list[str]], Words], shared: bool = False
) -> list[Words]:
    """Return the words of both sides, by what `embed` makes of a side's number and its words.

    Where both have one encoder, which is `shared`, it runs a string once. Raises `UserError` for
    vectors of different dimensions.
    """
    strings = [lexicon.strings(column) for column in (0, 1)]
    if shared:
        return [embed(0, unique_in_order([*strings[0], *strings[1]]))] * 2
    sides = [embed(column, words) for column, words in enumerate(strings)]
    widths = [side.vectors.shape[1] for side in sides]
    if widths[0] != widths[1]:
        problem = f"source vectors of {widths[0]} dimensions and target vectors of {widths[1]}"
        raise UserError(None, problem, "give two encoders, or two files, with the same dimensions")
    return sides


def leave_out_unknown(
    lexicon: Lexicon, sides: Sequence[Words], dictionary: str
) -> tuple[Lexicon, list[str]]:
    """Return the part of a lexicon that has vectors, and a line on each part that has none.

    `dictionary` is what errors call its pairs. Raises `UserError` if no pair to learn from or no
    word to translate is left.
    """
    notes = []

    def known(words: list[str], side: int, what: str) -> list[str]:
        rows = sides[side].rows
        missing = [word for word in words if word not in rows]
        if missing:
            shown = ", ".join(f"{word:.40}" for word in missing[:_SHOWN])
            shown += ", ..." * (len(missing) > _SHOWN)
            counts = f"{len(missing)} of {len(words)} {what}"
            notes.append(f"no vectors of {counts} ({shown}); left out")
        return [word for word in words if word in rows]

    vocabularies = [
        known(words, side, f"words of the {SIDES[side]} vocabulary")
        for side, words in enumerate(lexicon.vocabularies)
    ]
    source, target = (side.rows for side in sides)
    train = [pair for pair in lexicon.train if pair[0] in source and pair[1] in target]
    if not train:
        problem = "no training pair has vectors in both languages"
        remedy = "check that source and target are not swapped, or enlarge the dictionary"
        raise UserError(dictionary, problem, remedy)
    if left_out := len(lexicon.train) - len(train):
        counts = f"{left_out} of {len(lexicon.train)} training pairs"
        notes.append(f"{dictionary}: no vectors of {counts}; left out")
    words = known(lexicon.words, 0, "words to translate")
    if not words:
        problem = f"none of the {len(lexicon.words)} words to translate has a vector"
        raise UserError(sides[0].origin, problem, "give the vectors of that language")
    test = [pair for pair in lexicon.test if pair[0] in source]
    return Lexicon(vocabularies, train, test, words), notes


def translate_words(
    lexicon: Lexicon,
    sides: Sequence[Words],
    name: str,
    maps: MapOptions,
    *,
    threads: int = 1,
    dropped: int = 0,
) -> tuple[list[Translation], Measurement | None]:
    """Return the k best translations of each word, and what held-out pairs measure, if any.

    `sides` have vectors of all words of the lexicon, source first. `dropped` counts held-out words
    that have none; `name` is what errors call the dictionary. Errors as `rank_translations`.
    """
    source_words, target_words = lexicon.vocabularies
    queries = unique_in_order([*lexicon.words, *(source for source, _ in lexicon.test)])
    learnt = [[pair[column] for pair in lexicon.train] for column in (0, 1)]
    # As many as the accuracies need; fewer are returned.
    most = max(maps.k, min(_LARGEST_K, len(target_words))) if lexicon.test else maps.k
    ranked = rank_translations(
        sides[0].side(SIDES[0], vocabulary=source_words, train=learnt[0], test=queries),
        sides[1].side(SIDES[1], vocabulary=target_words, train=learnt[1]),
        *(name, most),
        mapping=maps.mapping,
        similarity=maps.retrieval,
        neighbours=maps.neighbours,
        regularisation=maps.regularisation,
        threads=threads,
    )
    tested = unique_in_order(source for source, _ in lexicon.test)
    numbers = {word: number for number, word in enumerate(tested)}
    rows, of_tested = [], []
    for row in ranked:
        word = queries[row.query]
        if row.rank <= maps.k and row.query < len(lexicon.words):
            rows.append(Translation(word, row.rank, target_words[row.target_row], row.score))
        if word in numbers:
            of_tested.append(row._replace(query=numbers[word]))
    if not tested:
        return rows, None
    # The scoring of the tables; words stand for the numbers that they have in a suite.
    entry: dict[str, Any] = {"test": lexicon.test, "target_vocabulary": target_words}
    entry["dropped"] = {"no vector": dropped} if dropped else {}
    return rows, measure_translations(name, entry, of_tested, metrics_of("lexicon"))


def scores_of(measured: Measurement) -> list[Score]:
    """Return the accuracies on held-out pairs, with their intervals."""
    return bootstrap_scores(EncoderIds("own", "own", "none", 0), [measured])[0]
