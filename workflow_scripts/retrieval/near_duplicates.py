"""Near-duplicates among vectors: pairs of rows that are near neighbours, best first."""

from typing import NamedTuple

import numpy as np

from workflow_scripts.retrieval.rankings import as_written
from workflow_scripts.retrieval.vector_search import nearest_others

# Rows whose neighbours are held at once; only pairs from the threshold on are kept.
ROWS_AT_ONCE = 1 << 15


class NearPairs(NamedTuple):
    """Unordered pairs of rows: `first` < `second` (int64) and `scores` (float64), best first.

    `full_rows` counts the rows with as many neighbours from the threshold on as were looked for:
    they may have more.
    """

    first: np.ndarray
    second: np.ndarray
    scores: np.ndarray
    full_rows: int


def near_duplicates(
    vectors: np.ndarray, k: int, threshold: float, *, threads: int = 1
) -> NearPairs:
    """Return the pairs of which one is among the k nearest others of the other, each once.

    `vectors` [n, dimension], which may stay on disk, are compared by inner product, and pairs that
    are written as below `threshold` are left out. Of equal neighbours the lower row leads, and so
    of equal pairs the lower rows.
    """
    count, full_rows = len(vectors), 0
    # a pair as one number, the lower row first
    pairs, scores = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    k = min(k, count - 1)
    for start in range(0, count if k else 0, ROWS_AT_ONCE):
        rows = slice(start, min(start + ROWS_AT_ONCE, count))
        near, products = nearest_others(vectors, k, rows, threads=threads)
        owners, similar = np.arange(count)[rows, None], as_written(products) >= threshold
        if k < count - 1:
            full_rows += int(similar[:, -1].sum())
        both = np.minimum(near, owners) * count + np.maximum(near, owners)
        pairs.append(both[similar])
        scores.append(products[similar])
    unique, places = np.unique(np.concatenate(pairs), return_index=True)
    best = np.concatenate(scores)[places]
    # stable: of equal scores the lower rows stay in front
    order = np.argsort(-best, kind="stable")
    return NearPairs(*np.divmod(unique[order], max(count, 1)), best[order], full_rows)
