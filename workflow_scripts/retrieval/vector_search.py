"""Exact nearest neighbours by inner product, with FAISS."""

import mmap

import faiss
import numpy as np
from threadpoolctl import threadpool_limits

from workflow_scripts.errors import UserError

# Neighbours fetched beyond k. A tie or near-tie at the border that is wider than this costs the
# query a second, wider search.
_MARGIN = 16
# Width of the widest of these searches. Where it does not settle a query, very many targets are
# equal or nearly so, and the query is compared with all different ones.
_WIDEST = 1024
# Queries that are searched at once.
_BATCH = 4096
# Products held at once in that comparison.
_PRODUCTS_AT_ONCE = 1 << 22
# Bytes of the targets that `search_blocks` takes at once.
BLOCK_BYTES = 1 << 28
# Inner products computed at once when candidates are scored again (times dimension * 16 bytes).
_PAIRS_AT_ONCE = 1 << 11


def check_k(k: int, number: int, targets: str = "targets", where: str | None = None) -> None:
    """Raise `UserError` for a k over the number of what is searched, called `targets`."""
    if not 1 <= k <= number:
        problem = f"k = {k} neighbours of {number} {targets}"
        raise UserError(where, problem, f"give a k from 1 to {number}")


def search_top(
    queries: np.ndarray, targets: np.ndarray, k: int, *, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (int64) and inner products (float64), both [n, k], of each query's best targets.

    `queries` [n, dimension] and `targets` [m, dimension] are taken as float32; of equals the lower
    row leads. The answer is exact, whatever threads, batches or BLAS: FAISS (`IndexFlatIP`)
    breaks ties in no fixed order and rounds, so it makes a short list, which is scored again in
    float64 and widened until its worst is below the k-th best by more than float32 can err. A
    list that very many ties fill is not widened further: see `_compare_with_all`. Raises
    `UserError` if k is not in 1..m.
    """
    queries, targets = (np.ascontiguousarray(m, dtype=np.float32) for m in (queries, targets))
    check_k(k, len(targets))
    faiss.omp_set_num_threads(threads)
    # Less their mean the targets rank as before, since each product of a query falls by the same,
    # but vectors that all lie in one direction (encoders before tuning) err far less in float32.
    mean, centred = targets.mean(axis=0, dtype=np.float64), np.empty_like(targets)
    np.subtract(targets, mean, out=centred, casting="same_kind")
    index = faiss.IndexFlatIP(targets.shape[1])
    index.add(centred)
    # |computed - true| <= dimension * 2^-24 * |query| * |target| for any order of summation
    # (Higham 2002, section 3.1), one more for the subtraction; and two products are compared.
    error = 2 * (targets.shape[1] + 1) * 2.0**-24 * lengths_of(centred).max(initial=0.0)
    del centred
    widths = [min(k + _MARGIN, len(targets))]
    while widths[-1] < min(_WIDEST, len(targets)):
        widths.append(min(widths[-1] * 4, _WIDEST, len(targets)))
    # equal queries, as among near-duplicates, are searched once
    firsts, copies = _different_rows(queries)
    queries = queries[firsts] if len(firsts) < len(queries) else queries
    rows = np.empty((len(queries), k), dtype=np.int64)
    products = np.empty((len(queries), k), dtype=np.float64)
    crowded = []
    for start in range(0, len(queries), _BATCH):
        batch = queries[start : start + _BATCH]
        pending = np.arange(len(batch))
        slack = error * lengths_of(batch)
        for width in widths:
            near, candidates = index.search(batch[pending], width)
            near = near.astype(np.float64)
            settled = (near[:, k - 1] - near[:, -1] > slack[pending]) | (width == len(targets))
            done = pending[settled]
            rows[start + done], products[start + done] = best_of_candidates(
                batch[done], targets, candidates[settled], k
            )
            pending = pending[~settled]
            if not len(pending):
                break
        crowded.append(start + pending)
    del index
    if len(left := np.concatenate(crowded or [np.empty(0, np.int64)])):
        rows[left], products[left] = _compare_with_all(queries[left], targets, k, threads)
    if len(rows) < len(copies):
        rows, products = rows[copies], products[copies]
    return rows, products


def _different_rows(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the first of each set of equal rows, ascending, and for each row which set it is in.

    Rows are equal if their bytes are; `matrix` is contiguous.
    """
    whole = np.dtype((np.void, matrix.itemsize * matrix.shape[1]))
    rows = matrix.view(whole)[:, 0]
    _, firsts, groups = np.unique(rows, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    numbers = np.empty_like(order)
    numbers[order] = np.arange(len(order))
    return firsts[order], numbers[groups]


def _compare_with_all(
    queries: np.ndarray, targets: np.ndarray, k: int, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `search_top` does, from products with every different target.

    For queries whose nearest targets are very many equal or nearly equal ones; memory is bounded.
    Equal targets have equal products: one is computed for all of them, and of them only the k
    lowest rows can be among the best.
    """
    firsts, groups = _different_rows(targets)
    different = targets[firsts].astype(np.float64)
    # the rows of one group after those of the other, each in ascending order
    by_group, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
    starts, sizes = np.cumsum(sizes) - sizes, np.minimum(sizes, k)
    # as in `search_top`, here of float64 and of the sums of `_row_products` as well
    error = 4 * (queries.shape[1] + 2) * 2.0**-53 * lengths_of(different).max()
    last = max(0, len(different) - k)
    rows = np.empty((len(queries), k), dtype=np.int64)
    products = np.empty((len(queries), k))
    step = max(1, _PRODUCTS_AT_ONCE // len(targets))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        with threadpool_limits(threads, user_api="blas"):
            rounded = some.astype(np.float64) @ different.T
        least = np.partition(rounded, last, axis=1)[:, last] - error * lengths_of(some)
        owners, near = np.nonzero(rounded >= least[:, None])
        exact = _row_products(some, targets, owners, firsts[near])
        taken = sizes[near]
        owners, exact = np.repeat(owners, taken), np.repeat(exact, taken)
        copies = np.arange(len(owners)) - np.repeat(np.cumsum(taken) - taken, taken)
        own = by_group[np.repeat(starts[near], taken) + copies]
        order = np.lexsort((own, -exact, owners))
        counts = np.bincount(owners)
        best = order[(np.cumsum(counts) - counts)[:, None] + np.arange(k)]
        rows[start : start + step], products[start : start + step] = own[best], exact[best]
    return rows, products


def search_blocks(
    queries: np.ndarray,
    targets: np.ndarray,
    k: int,
    *,
    threads: int = 1,
    among: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `search_top` does, for `targets` [m, dimension] that stay on disk.

    They may be of half precision, which is exact in float32; a block of them is in memory at once.
    `among` are the rows, ascending, of those that are searched alone.
    """
    size = max(1, BLOCK_BYTES // (4 * targets.shape[1]))
    number = len(targets) if among is None else len(among)
    if among is None and number <= size:
        return search_top(queries, targets, k, threads=threads)
    check_k(k, number)
    rows: np.ndarray = np.empty((len(queries), 0), dtype=np.int64)
    products: np.ndarray = np.empty((len(queries), 0))
    for start in range(0, number, size):
        if among is None:
            loaded = _rows_of(targets, start, start + size)
        else:
            loaded = targets[among[start : start + size]]
        own, products_of_part = search_top(queries, loaded, min(k, len(loaded)), threads=threads)
        own = own + start if among is None else among[start + own]
        both = np.hstack([rows, own]), np.hstack([products, products_of_part])
        rows, products = best_columns(*both, k)
    return rows, products


def _rows_of(targets: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Return rows of `targets`; those of a file in a mapping of their own.

    Pages that were read count as the process's memory until their mapping goes.
    """
    if not isinstance(targets, np.memmap) or not isinstance(targets.base, mmap.mmap):
        return targets[start:stop]
    if not targets.flags.c_contiguous:
        return targets[start:stop]
    shape = (min(stop, len(targets)) - start, targets.shape[1])
    offset = targets.offset + start * targets.strides[0]
    return np.memmap(targets.filename, targets.dtype, "r", offset, shape)


def nearest_others(
    pool: np.ndarray, k: int, rows: slice = slice(None), *, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return for `rows` of a pool [n, dimension] their k nearest others and the products, [r, k].

    By inner product, as in `search_blocks`: the pool may stay on disk. Raises `UserError` for a
    pool of k rows or fewer.
    """
    if len(pool) <= k:
        problem = f"{len(pool)} strings are too few for {k} neighbours of each among them"
        raise UserError(None, problem, "give more")
    near, products = search_blocks(pool[rows], pool, k + 1, threads=threads)
    own = near == np.arange(len(pool))[rows, None]
    # a row with so many copies that it is not among its own neighbours
    own[~own.any(axis=1), -1] = True
    return near[~own].reshape(-1, k), products[~own].reshape(-1, k)


def lengths_of(matrix: np.ndarray) -> np.ndarray:
    """Return the Euclidean lengths of the rows, float64 [n]."""
    return np.sqrt(np.einsum("nd,nd->n", matrix, matrix, dtype=np.float64))


def best_of_candidates(
    queries: np.ndarray, targets: np.ndarray, candidates: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best k of each query's `candidates` [n, c], rows of `targets`, as `search_top`."""
    owners = np.repeat(np.arange(len(candidates)), candidates.shape[1])
    products = _row_products(queries, targets, owners, candidates.reshape(-1))
    products = products.reshape(candidates.shape)
    return best_columns(candidates, products, k)


def best_columns(rows: np.ndarray, products: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the k best of `rows` and their `products`, [n, c] each; of equals the lower row."""
    order = np.lexsort((rows, -products), axis=1)[:, :k]
    return np.take_along_axis(rows, order, axis=1), np.take_along_axis(products, order, axis=1)


def _row_products(
    queries: np.ndarray, targets: np.ndarray, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """Return the products, float64 [n], of the rows `left` of queries with `right` of targets."""
    products = np.empty(len(left), dtype=np.float64)
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        own = queries[left[part]].astype(np.float64)
        others = targets[right[part]].astype(np.float64)
        # Not a matrix product: each sum runs over one row in one order, so that equal vectors
        # get exactly equal products.
        products[part] = np.einsum("pd,pd->p", own, others)
    return products
