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
    """Return the mean cosine of each vector [n, dimension] to its nearest `others`, float64 [n].

    All rows must have unit length. Raises `UserError` if there are fewer others than neighbours.
    """
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
    """Return the k targets of largest CSLS for each query, best first.

    `queries` [n, dimension] are mapped source words, `sources` [s, dimension] the whole mapped
    source vocabulary (over which r_S is taken, whether a word is queried or not) and `targets`
    [m, dimension] the target vocabulary; all rows of unit length. Returns rows of the targets
    (int64) and CSLS values (float64), both [n, k]; equal values rank by row, the lower first.

    For one query r_T(x) is a constant, so the ranking by CSLS is the ranking by the inner product
    of (x, 1) with (2y, -r_S(y)): exact search over vectors of one more dimension, in batches,
    without the whole matrix of similarities. Float32 rounds r_S(y) by 1e-7 at most.
    """
    backward = neighbourhood_means(targets, sources, neighbours, threads=threads)
    forward = neighbourhood_means(queries, targets, neighbours, threads=threads)
    rows, products = search_top(
        np.hstack([queries, np.ones((len(queries), 1))]),
        np.hstack([2 * targets, -backward[:, None]]),
        k,
        threads=threads,
    )
    return rows, products - forward[:, None]
