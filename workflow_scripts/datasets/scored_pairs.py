"""Pairs of strings with a human score: what the readers of similarity sets share."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple

from workflow_scripts.datasets.entry import TextEntry
from workflow_scripts.datasets.items import SimilaritySet
from workflow_scripts.datasets.rows import require_strings, unequal_lengths
from workflow_scripts.delimited import Layout, Row, malformed, read_rows
from workflow_scripts.files import parse_number, read_lines

STS_BENCHMARK = Layout(
    (6, 7, 5, 2), "an STS Benchmark row of genre, file, year, number, score, sentence, sentence"
)


class ScoredRow(NamedTuple):
    """A pair as its files have it; `gold_path` is the file of the score where that is another."""

    line: int
    path: Path
    left: str
    right: str
    gold: str
    subset: str
    gold_path: Path | None = None


def parse_gold(text: str, lowest: float, highest: float, path: Path, line: int) -> float:
    """Return the score written in `text`; `UserError` unless it is a number in [lowest, highest].

    The bounds may be infinite, scores not.
    """
    score = parse_number(text)
    if score is None or not lowest <= score <= highest:
        bounded = math.isfinite(lowest) or math.isfinite(highest)
        expected = f"a score from {lowest:g} to {highest:g}" if bounded else "a number"
        raise malformed(path, line, f"expected {expected}, found {text!r}")
    return score


def scored_pairs(
    rows: Iterable[ScoredRow], lowest: float, highest: float, what: str = "a sentence"
) -> SimilaritySet:
    """Return the pairs of rows, none blank and scored in [lowest, highest]; `what` strings are."""
    pairs = SimilaritySet()
    for row in rows:
        require_strings([row.left, row.right], what, row.path, row.line)
        gold = parse_gold(row.gold, lowest, highest, row.gold_path or row.path, row.line)
        pairs.add(row.left, row.right, gold, row.subset)
    return pairs


def read_with_gold_file(
    path: Path, gold_path: Path, subset: str, surplus: bool = False
) -> Iterator[ScoredRow]:
    """Yield the pairs of a file of sentence<TAB>sentence, scored line by line by another file.

    With `surplus` the first may continue after the last score.
    """
    rows = list(read_rows(path, Layout((1, 2), "a row of sentence<TAB>sentence")))
    scores = read_lines(gold_path)
    if len(rows) < len(scores) or (len(rows) > len(scores) and not surplus):
        raise unequal_lengths(path, len(rows), gold_path, len(scores))
    for (line, (left, right)), gold in zip(rows, scores, strict=False):
        yield ScoredRow(line, path, left, right, gold, subset, gold_path)


class ScoredColumns(TextEntry):
    """A file with the columns left string, right string, score and, perhaps, subset.

    Scores are within the scale; `STRINGS` is what errors call a string.
    """

    ITEMS: ClassVar = SimilaritySet
    LAYOUT: ClassVar[Layout]
    SCALE: ClassVar = (0.0, 5.0)
    STRINGS: ClassVar = "a sentence"

    def layout(self) -> Layout:
        return self.LAYOUT

    def scale(self) -> tuple[float, float]:
        return self.SCALE

    def rows(self, path: Path) -> Iterator[Row]:
        return read_rows(path, self.layout())

    def subset(self, path: Path) -> str:
        """Return the subset of all pairs where no column has it."""
        return path.name.partition(".")[0]

    def read(self, root: Path) -> SimilaritySet:
        [path] = self.list_files(root)
        return scored_pairs(self._scored_rows(path), *self.scale(), self.STRINGS)

    def _scored_rows(self, path: Path) -> Iterator[ScoredRow]:
        for line, row in self.rows(path):
            left, right, gold, subset = [*row, self.subset(path)][:4]
            yield ScoredRow(line, path, left, right, gold, subset)
