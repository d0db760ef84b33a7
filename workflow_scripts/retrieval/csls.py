"""Cross-domain similarity local scaling (CSLS; Lample et al. 2018, section 2.3), exact.

CSLS(x, y) = 2 cos(x, y) - r_T(x) - r_S(y), where r_T(x) is the mean cosine of x to its 10 nearest
target words and r_S(y) that of y to its 10 nearest source words: words that are near to everything
(hubs) are pushed away.
"""

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.shortlists import Shortlist, product_error, shortlists_of_both
from workflow_scripts.retrieval.vector_search import (
    best_columns,
    best_of_candidates,
    check_k,
    lengths_of,
    search_top,
)

NEIGHBOURS = 10
# Length of the short lists of queries and of targets beyond what is asked of them: a longer one
# proves more rankings.
_BEYOND, _BEYOND_BACK = 32, 8
# Queries that are ranked at once; those that are searched at once among targets that are not
# listed, and so many of these.
_BATCH = 4096
_WIDENED = 1024
_UNLISTED = 1 << 15


def neighbourhood_means(
    vectors: np.ndarray, others: np.ndarray, neighbours: int = NEIGHBOURS, *, threads: int = 1
) -> np.ndarray:
    """Return the mean cosine of each of n vectors to its nearest `others`, all of unit length."""
    _check_neighbours(neighbours, others)
    return search_top(vectors, others, neighbours, threads=threads)[1].mean(axis=1)


def rank_by_csls(
    queries: np.ndarray,
    sources: np.ndarray,
    targets: np.ndarray,
    k: int,
    *,
    neighbours: int = NEIGHBOURS,
    threads: int = 1,
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (int64) and CSLS (float64), both [n, k], of the best targets of each query.

    `queries` [n, dimension] are mapped source words, `sources` the whole mapped vocabulary, over
    which r_S is taken, and `targets` [m, dimension]; all of unit length, taken as float32. Of
    equals the lower row leads. Float32 rounds r_S(y) by 1e-7.

    The targets nearest to a query by cosine are short-listed. CSLS of another one is at most twice
    the last listed cosine less r_T(x) and its own r_S. Those that could so reach the k-th best of
    the list are few, the words with the least r_S, and are searched as well. Since r_T(x) is a
    constant for a query, CSLS ranks there as the inner product of (x, 1) with (2y, -r_S(y)) does.
    Queries that are the vocabulary itself cost one pass over all pairs for the short lists of both
    sides; others a search among the targets, and the targets' among the sources for r_S.
    """
    queries, sources, targets = (
        np.ascontiguousarray(matrix, dtype=np.float32) for matrix in (queries, sources, targets)
    )
    _check_neighbours(neighbours, sources)
    _check_neighbours(neighbours, targets)
    check_k(k, len(targets))
    width = min(max(k, neighbours) + _BEYOND, len(targets))
    if np.array_equal(queries, sources):
        back = min(neighbours + _BEYOND_BACK, len(sources))
        near, of_targets = shortlists_of_both(queries, targets, width, back, threads=threads)
        assert of_targets is not None
        backward = _proven_means(targets, sources, of_targets, neighbours, threads)
    else:
        near, _ = shortlists_of_both(queries, targets, width, 0, threads=threads)
        backward = neighbourhood_means(targets, sources, neighbours, threads=threads)
    forward = _proven_means(queries, targets, near, neighbours, threads)
    rows, products = _proven_ranking(
        queries, targets, near, backward.astype(np.float32), k, threads
    )
    return rows, products - forward[:, None]


def _check_neighbours(neighbours: int, others: np.ndarray) -> None:
    if not 1 <= neighbours <= len(others):
        raise UserError(
            "CSLS",
            f"{neighbours} neighbours of a vocabulary of {len(others)} words",
            "enlarge the vocabulary or give fewer neighbours",
        )


def _errors(vectors: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return how far products of a short list may be from the true ones, float64 [n]."""
    return product_error(vectors.shape[1], lengths_of(vectors), lengths_of(others).max())


def _proven_means(
    vectors: np.ndarray, others: np.ndarray, near: Shortlist, neighbours: int, threads: int
) -> np.ndarray:
    """Return `neighbourhood_means`, from the short list of each of n vectors where it proves them.

    It does where its products fall by more than two errors beyond the neighbours.
    """
    means = np.empty(len(vectors))
    fall = near.products[:, neighbours - 1].astype(np.float64) - near.products[:, -1]
    proven = (fall > 2 * _errors(vectors, others)) | (near.rows.shape[1] == len(others))
    done, left = np.flatnonzero(proven), np.flatnonzero(~proven)
    for start in range(0, len(done), _BATCH):
        some = done[start : start + _BATCH]
        _, products = best_of_candidates(vectors[some], others, near.rows[some], neighbours)
        means[some] = products.mean(axis=1)
    if len(left):
        means[left] = neighbourhood_means(vectors[left], others, neighbours, threads=threads)
    return means


def _proven_ranking(
    queries: np.ndarray,
    targets: np.ndarray,
    near: Shortlist,
    backward: np.ndarray,
    k: int,
    threads: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and 2 cos - r_S, both [n, k], of the best targets of each query."""
    longer_targets = np.empty((len(targets), targets.shape[1] + 1), dtype=np.float32)
    np.multiply(targets, 2, out=longer_targets[:, :-1])
    np.negative(backward, out=longer_targets[:, -1])
    rows = np.empty((len(queries), k), dtype=np.int64)
    products = np.empty((len(queries), k), dtype=np.float64)
    for start in range(0, len(queries), _BATCH):
        batch = slice(start, start + _BATCH)
        some = _with_one(queries[batch])
        rows[batch], products[batch] = best_of_candidates(some, longer_targets, near.rows[batch], k)
    if near.rows.shape[1] == len(targets):
        return rows, products
    # What is not listed is less than the last that is, so that only a target with so small an r_S
    # can be among the best.
    most = 2 * near.products[:, -1].astype(np.float64) - products[:, -1]
    most += 2 * _errors(queries, targets)
    lonely = np.argsort(backward, kind="stable")
    possible = np.searchsorted(backward[lonely], most, side="right")
    pending = np.flatnonzero(possible)
    pending = pending[np.argsort(possible[pending], kind="stable")]
    for start in range(0, len(pending), _WIDENED):
        some = pending[start : start + _WIDENED]
        # by row, as ties rank
        others = np.sort(lonely[: possible[some[-1]]])
        longer = _with_one(queries[some])
        for first in range(0, len(others), _UNLISTED):
            part = others[first : first + _UNLISTED]
            few = min(k, len(part))
            nearest, of_found = search_top(longer, longer_targets[part], few, threads=threads)
            rows[some], products[some] = _merged(
                np.hstack([rows[some], part[nearest]]), np.hstack([products[some], of_found]), k
            )
    return rows, products


def _with_one(queries: np.ndarray) -> np.ndarray:
    return np.hstack([queries, np.ones((len(queries), 1), dtype=np.float32)])


def _merged(rows: np.ndarray, products: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best different rows of each line [n, more than k] and their products."""
    order = np.argsort(rows, axis=1, kind="stable")
    rows, products = (np.take_along_axis(part, order, axis=1) for part in (rows, products))
    products[:, 1:][rows[:, 1:] == rows[:, :-1]] = -np.inf
    return best_columns(rows, products, k)
