"""Nearest strings and pairs of strings by their vectors, and the rows that commands write."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from workflow_scripts.embedding.vector_shards import Quantization
from workflow_scripts.retrieval.margin_mining import NEIGHBOURS, Margin, MinedPairs, mine_pairs
from workflow_scripts.retrieval.numbered_lines import NumberedLines
from workflow_scripts.retrieval.quantization import QuantizedIndex
from workflow_scripts.retrieval.rankings import as_written
from workflow_scripts.retrieval.vector_search import search_blocks

# Pairs that are made rows of the output at once.
PAIRS_AT_ONCE = 1 << 16
NEAREST = ("query", "rank", "line", "score", "string")
PAIR = ("score", "line", "other_line", "string", "other")


class Nearest(NamedTuple):
    """Neighbours of queries, best first: `rows` of the strings and `scores`, [queries, k] each.

    The first `counts` [queries] of each query reach the threshold. `recall` is the share of the
    nearest that an approximate search finds, on a sample of the queries.
    """

    rows: np.ndarray
    scores: np.ndarray
    counts: np.ndarray
    recall: float | None = None

    def recall_line(self, quantization: str) -> str:
        """Return how many of the nearest were found, as a line."""
        return f"{quantization}: recall@{self.rows.shape[1]} {self.recall:.4f} on a sample"


def find_nearest(
    queries: np.ndarray,
    strings: np.ndarray,
    k: int = 10,
    threshold: float | None = None,
    *,
    threads: int = 1,
    quantization: Quantization | None = None,
) -> Nearest:
    """Return the `k` nearest of `strings` [n, dimension] to each of `queries` [m, dimension].

    By inner product, exact; of equals the lower row leads. Where there are fewer than k strings, it
    is all of them. With `quantization` codes find them and the vectors score them.
    """
    k, recall = min(k, len(strings)), None
    if quantization is None:
        rows, scores = search_blocks(queries, strings, k, threads=threads)
    else:
        index = QuantizedIndex(strings, quantization, threads=threads)
        rows, scores = index.search(queries, k)
        recall = index.recall(queries, k)
    counts = (as_written(scores) >= _least(threshold)).sum(axis=1)
    return Nearest(rows, scores, counts, recall)


def find_translations(
    sources: np.ndarray,
    targets: np.ndarray,
    k: int = NEIGHBOURS,
    margin: Margin = "ratio",
    threshold: float | None = None,
    *,
    threads: int = 1,
) -> MinedPairs:
    """Return the pairs of `mine_pairs` whose score is written as `threshold` at least."""
    pairs = mine_pairs(sources, targets, k, margin, threads=threads)
    kept = as_written(pairs.scores) >= _least(threshold)
    return MinedPairs(*(part[kept] for part in pairs))


def nearest_rows(
    queries: NumberedLines, strings: NumberedLines, best: Nearest
) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the output, for each line of queries in its turn."""
    for query, count in zip(queries.order, best.counts[queries.order].tolist(), strict=True):
        rows, scores = best.rows[query, :count].tolist(), best.scores[query, :count].tolist()
        for rank, (row, score) in enumerate(zip(rows, scores, strict=True), start=1):
            neighbour = (strings.numbers[row], score, strings.strings[row])
            yield queries.strings[query], rank, *neighbour


def pair_rows(
    left: NumberedLines,
    right: NumberedLines,
    rows: np.ndarray,
    others: np.ndarray,
    scores: np.ndarray,
) -> Iterator[tuple[Any, ...]]:
    # as Python's numbers all pairs of many equal strings would take gigabytes
    for start in range(0, len(rows), PAIRS_AT_ONCE):
        part = slice(start, start + PAIRS_AT_ONCE)
        pairs = zip(rows[part].tolist(), others[part].tolist(), scores[part].tolist(), strict=True)
        for row, other, score in pairs:
            numbers = left.numbers[row], right.numbers[other]
            yield score, *numbers, left.strings[row], right.strings[other]


def _least(threshold: float | None) -> float:
    return -math.inf if threshold is None else threshold
