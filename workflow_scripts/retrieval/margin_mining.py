"""Translations mined from two lists of sentences, by margin (Artetxe and Schwenk 2019, section 3).

A cosine a = cos(x, y) is set against the neighbourhood b, which is half of the mean cosine of x to
its k nearest targets plus half of that of y to its k nearest sources: sentences that are near to
everything are not translations of anything. The ratio a / b is what the paper recommends.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.vector_search import search_blocks

Margin = Literal["ratio", "distance", "absolute"]
MARGINS: tuple[str, ...] = get_args(Margin)
NEIGHBOURS = 4


class MinedPairs(NamedTuple):
    """Rows of `sources` and `targets` (int64) and `scores` (float64), best first."""

    sources: np.ndarray
    targets: np.ndarray
    scores: np.ndarray


def margin_scores(cosines: np.ndarray, neighbourhoods: np.ndarray, margin: str) -> np.ndarray:
    """Return the margin of cosines to the neighbourhoods of their pairs, of the same shape."""
    if margin == "absolute":
        return cosines
    if margin == "distance":
        return cosines - neighbourhoods
    if neighbourhoods.min(initial=1.0) <= 0:
        raise UserError(
            "margin ratio",
            f"the nearest sentences of a pair have a mean cosine of {neighbourhoods.min():.3f}, "
            "and a ratio needs one above 0",
            "use --margin distance",
        )
    return cosines / neighbourhoods


def check_neighbours(k: int, source_count: int, target_count: int) -> None:
    if not 1 <= k <= min(source_count, target_count):
        raise UserError(
            "margin",
            f"{k} neighbours of {source_count} and {target_count} sentences",
            "give a lower k or more sentences",
        )


def mine_pairs(
    sources: np.ndarray,
    targets: np.ndarray,
    k: int = NEIGHBOURS,
    margin: str = "ratio",
    *,
    threads: int = 1,
) -> MinedPairs:
    """Return pairs of rows of `sources` [n, dimension] and `targets` [m, dimension], one to one.

    All are of unit length and may stay on disk. Candidates are the best of each source's k nearest
    targets and the best of each target's k nearest sources; they are taken greedily, a row at most
    once (the paper's "max. score"). Of equal scores the lower rows lead. Raises `UserError` if a
    side has fewer than k rows.
    """
    check_neighbours(k, len(sources), len(targets))
    near_targets, forward = _by_row(*search_blocks(sources, targets, k, threads=threads))
    near_sources, backward = _by_row(*search_blocks(targets, sources, k, threads=threads))
    of_source, of_target = forward.mean(axis=1), backward.mean(axis=1)
    candidates = (
        (near_targets, forward, (of_source[:, None] + of_target[near_targets]) / 2),
        (near_sources, backward, (of_source[near_sources] + of_target[:, None]) / 2),
    )
    best_both_ways = []
    for near, cosines, neighbourhoods in candidates:
        scores = margin_scores(cosines, neighbourhoods, margin)
        best = scores.argmax(axis=1)[:, None]
        best_both_ways.append(
            [np.take_along_axis(part, best, axis=1)[:, 0] for part in (near, scores)]
        )
    (best_targets, forward_scores), (best_sources, backward_scores) = best_both_ways
    pairs = MinedPairs(
        np.concatenate([np.arange(len(sources)), best_sources]),
        np.concatenate([best_targets, np.arange(len(targets))]),
        np.concatenate([forward_scores, backward_scores]),
    )
    kept = _one_to_one(pairs, len(sources), len(targets))
    return MinedPairs(*(part[kept] for part in pairs))


def _by_row(rows: np.ndarray, products: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the neighbours in the order of their rows, so that the first of equals is lowest."""
    order = rows.argsort(axis=1)
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(products, order, axis=1)


def _one_to_one(pairs: MinedPairs, source_count: int, target_count: int) -> list[int]:
    """Return which pairs are taken, best first, if none may share a row with a better one."""
    free_sources, free_targets = [True] * source_count, [True] * target_count
    rows, columns, kept = pairs.sources.tolist(), pairs.targets.tolist(), []
    for number in np.lexsort((pairs.targets, pairs.sources, -pairs.scores)).tolist():
        row, column = rows[number], columns[number]
        if free_sources[row] and free_targets[column]:
            free_sources[row] = free_targets[column] = False
            kept.append(number)
    return kept
