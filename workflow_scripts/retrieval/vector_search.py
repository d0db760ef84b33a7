"""Exact nearest neighbours by inner product, with FAISS."""

import mmap

import faiss
import numpy as np

from workflow_scripts.errors import UserError

# Neighbours fetched beyond k. A tie or near-tie at the border that is wider than this costs the
# query a second, wider search.
_MARGIN = 16
# Bytes of the targets that `search_blocks` takes at once.
BLOCK_BYTES = 1 << 28
# Inner products computed at once when candidates are scored again (times dimension * 16 bytes).
_PAIRS_AT_ONCE = 1 << 11


def search_top(
    queries: np.ndarray, targets: np.ndarray, k: int, *, threads: int = 1, batch_size: int = 4096
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows (int64) and inner products (float64), both [n, k], of each query's best targets.

    `queries` [n, dimension] and `targets` [m, dimension] are taken as float32; of equals the lower
    row leads. The answer is exact, whatever threads, batch size or BLAS: FAISS (`IndexFlatIP`)
    breaks ties in no fixed order and rounds, so it makes a short list, which is scored again in
    float64 and widened until its worst lies below the k-th best by more than float32 can err.
    Raises `UserError` if k is not in 1..m.
    """
    queries, targets = (np.ascontiguousarray(m, dtype=np.float32) for m in (queries, targets))
    if not 1 <= k <= len(targets):
        raise UserError(f"k = {k} neighbours of {len(targets)} targets; give a k from 1 to that")
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
    rows = np.empty((len(queries), k), dtype=np.int64)
    products = np.empty((len(queries), k), dtype=np.float64)
    for start in range(0, len(queries), batch_size):
        block = queries[start : start + batch_size]
        pending = np.arange(len(block))
        slack = error * lengths_of(block)
        width = min(k + _MARGIN, len(targets))
        while len(pending):
            near, candidates = index.search(block[pending], width)
            near = near.astype(np.float64)
            settled = (near[:, k - 1] - near[:, -1] > slack[pending]) | (width == len(targets))
            done = pending[settled]
            rows[start + done], products[start + done] = best_of_candidates(
                block[done], targets, candidates[settled], k
            )
            pending = pending[~settled]
            width = min(width * 4, len(targets))
    return rows, products


def search_blocks(
    queries: np.ndarray, targets: np.ndarray, k: int, *, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return what `search_top` does, for `targets` [m, dimension] that stay on disk.

    They may be of half precision, which is exact in float32; a block of them is in memory at once.
    """
    size = max(1, BLOCK_BYTES // (4 * targets.shape[1]))
    if len(targets) <= size:
        return search_top(queries, targets, k, threads=threads)
    if not 1 <= k <= len(targets):
        raise UserError(f"k = {k} neighbours of {len(targets)} targets; give a k from 1 to that")
    rows = np.empty((len(queries), 0), dtype=np.int64)
    products = np.empty((len(queries), 0))
    for start in range(0, len(targets), size):
        block = _rows_of(targets, start, start + size)
        own, found = search_top(queries, block, min(k, len(block)), threads=threads)
        rows, products = np.hstack([rows, own + start]), np.hstack([products, found])
        # those of earlier blocks stand first, so that of equals the lower row leads
        order = np.argsort(-products, axis=1, kind="stable")[:, :k]
        rows, products = (np.take_along_axis(one, order, axis=1) for one in (rows, products))
    return rows, products


def _rows_of(targets: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Return rows of `targets`; those of a file in a mapping of their own.

    Pages that were read count as the process's memory until their mapping goes.
    """
    whole = isinstance(targets, np.memmap) and isinstance(targets.base, mmap.mmap)
    if not whole or not targets.flags.c_contiguous:
        return targets[start:stop]
    shape = (min(stop, len(targets)) - start, targets.shape[1])
    place = targets.offset + start * targets.strides[0]
    return np.memmap(targets.filename, targets.dtype, "r", place, shape)


def nearest_others(
    pool: np.ndarray, k: int, rows: slice = slice(None), *, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return for `rows` of a pool [n, dimension] their k nearest others and the products, [r, k].

    By inner product, as in `search_blocks`: the pool may stay on disk. Raises `UserError` for a
    pool of k rows or fewer.
    """
    if len(pool) <= k:
        raise UserError(
            f"{len(pool)} strings are too few for {k} neighbours of each among them; give more"
        )
    near, products = search_blocks(pool[rows], pool, k + 1, threads=threads)
    own = near == np.arange(len(pool))[rows, None]
    # a row with so many copies that it is not among its own neighbours
    own[~own.any(axis=1), -1] = True
    near, products = (found[~own].reshape(len(near), k) for found in (near, products))
    return near, products


def lengths_of(matrix: np.ndarray) -> np.ndarray:
    """Return the Euclidean lengths of the rows, float64 [n]."""
    return np.sqrt(np.einsum("nd,nd->n", matrix, matrix, dtype=np.float64))


def best_of_candidates(
    queries: np.ndarray, targets: np.ndarray, candidates: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the best k of each query's `candidates` [n, c], rows of `targets`, as `search_top`."""
    width = candidates.shape[1]
    flat = candidates.reshape(-1)
    products = np.empty(len(flat), dtype=np.float64)
    for start in range(0, len(flat), _PAIRS_AT_ONCE):
        stop = min(start + _PAIRS_AT_ONCE, len(flat))
        left = queries[np.arange(start, stop) // width].astype(np.float64)
        right = targets[flat[start:stop]].astype(np.float64)
        # Not a matrix product: each sum runs over one row in one order, so that equal vectors
        # get exactly equal products.
        products[start:stop] = np.einsum("pd,pd->p", left, right)
    products = products.reshape(candidates.shape)
    order = np.lexsort((candidates, -products), axis=1)[:, :k]
    rows, products = (np.take_along_axis(found, order, axis=1) for found in (candidates, products))
    return rows, products
