"""Cross-domain similarity local scaling (CSLS; Lample et al. 2018, section 2.3), with FAISS.

CSLS(x, y) = 2 cos(x, y) - r_T(x) - r_S(y), where r_T(x) is the mean cosine of x to its 10 nearest
target words and r_S(y) that of y to its 10 nearest source words: words that are near to everything
(hubs) are pushed away.
"""

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.vector_search import search_top

NEIGHBOURS = 10


def neighbourhood_means(
    vectors: np.ndarray, others: np.ndarray, neighbours: int = NEIGHBOURS, *, threads: int = 1
) -> np.ndarray:
    """Return the mean cosine of each of n vectors to its nearest `others`, all of unit length."""
    if not 1 <= neighbours <= len(others):
        raise UserError(
            f"CSLS: {neighbours} neighbours of a vocabulary of {len(others)} words; "
            "enlarge the vocabulary or give fewer neighbours"
        )
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
    which r_S is taken, and `targets` [m, dimension]; all of unit length. Of equals the lower row
    leads. Since r_T(x) is a constant for a query, CSLS ranks as the inner product of (x, 1) with
    (2y, -r_S(y)) does: exact search with one more dimension. Float32 rounds r_S(y) by 1e-7.
    """
    backward = neighbourhood_means(targets, sources, neighbours, threads=threads)
    forward = neighbourhood_means(queries, targets, neighbours, threads=threads)
    longer_queries = np.hstack([queries, np.ones((len(queries), 1))])
    longer_targets = np.hstack([2 * targets, -backward[:, None]])
    rows, products = search_top(longer_queries, longer_targets, k, threads=threads)
    return rows, products - forward[:, None]
