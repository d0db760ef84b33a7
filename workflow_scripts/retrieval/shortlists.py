"""Short lists of the largest inner products, of both sides in one pass over all pairs.

A block of products serves its rows and its columns alike, where exact search one way and then the
other would compute every product twice. Products are float32, in the order of the matrix product's
own sums; what takes a short list scores it again and proves it by `product_error`.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

# Rows of either side in one block of products: 4 MB, which stay in a processor's cache.
_BLOCK = 1024
# Places for each short list while it is gathered, as a multiple of its width: more cost memory,
# fewer make it be cut back more often.
_ROOM = 4


class Shortlist(NamedTuple):
    """For each of n vectors the `width` others with the largest products, falling."""

    rows: np.ndarray  # of the others, int32 [n, width]
    products: np.ndarray  # float32 [n, width]


class _Gathered:
    """The largest products of each of `owners` vectors with `others` that come block by block."""

    def __init__(self, owners: int, others: int, width: int) -> None:
        self._width, self._room = width, min(_ROOM * width, others)
        self._products = np.full((owners, self._room), -np.inf, dtype=np.float32)
        self._rows = np.zeros((owners, self._room), dtype=np.int32)
        self._filled = np.zeros(owners, dtype=np.int64)
        # What a product must exceed: `width` others have as much. Of equals those that came first
        # stay.
        self._floor = np.full(owners, -np.inf, dtype=np.float32)

    def add(self, products: np.ndarray, first_owner: int, first_other: int) -> None:
        """Take in a block of products [owners, others], whose corner is so placed."""
        owners = slice(first_owner, first_owner + len(products))
        if not self._filled[owners].any():
            is_crowded = np.ones(len(products), dtype=bool)
        else:
            is_crowded = self._add_few(products, owners, first_other)
        crowded = np.flatnonzero(is_crowded)
        if not len(crowded):
            return
        # All or most of the block exceeds the floor: cut it to `width` before it is taken in.
        own = np.ascontiguousarray(products[crowded])
        columns = _largest(own, self._width)
        crowded += first_owner
        self._cut(crowded)
        places = np.arange(columns.shape[1]) + self._filled[crowded][:, None]
        self._products[crowded[:, None], places] = np.take_along_axis(own, columns, axis=1)
        self._rows[crowded[:, None], places] = columns + first_other
        self._filled[crowded] += columns.shape[1]
        self._cut(crowded)

    def _add_few(self, products: np.ndarray, part: slice, first_other: int) -> np.ndarray:
        """Take in what exceeds the floor; return which owners have more of that than room."""
        above = products > self._floor[part, None]
        # along the memory of the block, whichever side is its rows
        if above.flags.c_contiguous:
            owners, others = np.divmod(np.flatnonzero(above), above.shape[1])
        else:
            others, owners = np.divmod(np.flatnonzero(above.T), above.shape[0])
            order = np.argsort(owners, kind="stable")
            owners, others = owners[order], others[order]
        counts = np.bincount(owners, minlength=len(products))
        crowded = counts > self._room - self._width
        if crowded.any():
            kept = ~crowded[owners]
            owners, others, counts = owners[kept], others[kept], np.where(crowded, 0, counts)
        full = self._filled[part] + counts > self._room
        if full.any():
            self._cut(part.start + np.flatnonzero(full))
        before = np.cumsum(counts) - counts
        places = self._filled[part][owners] + np.arange(len(owners)) - before[owners]
        self._products[part][owners, places] = products[owners, others]
        self._rows[part][owners, places] = others + first_other
        self._filled[part] += counts
        return crowded

    def _cut(self, owners: np.ndarray) -> None:
        """Keep the `width` largest of those owners that have so many; the least is their floor."""
        owners = owners[self._filled[owners] >= self._width]
        if not len(owners):
            return
        products = self._products[owners]
        places = _largest(products, self._width)
        rows = np.take_along_axis(self._rows[owners], places, axis=1)
        products = np.take_along_axis(products, places, axis=1)
        self._products[owners] = -np.inf
        self._products[owners, : self._width] = products
        self._rows[owners, : self._width] = rows
        self._filled[owners] = self._width
        self._floor[owners] = products.min(axis=1)

    def shortlist(self) -> Shortlist:
        """Return what is left; each owner must have been shown `width` others or more."""
        self._cut(np.arange(len(self._filled)))
        products, rows = self._products[:, : self._width], self._rows[:, : self._width]
        order = np.argsort(-products, axis=1)
        ordered = (np.take_along_axis(part, order, axis=1) for part in (rows, products))
        return Shortlist(*ordered)


def shortlists_of_both(
    left: np.ndarray, right: np.ndarray, left_width: int, right_width: int, *, threads: int = 1
) -> tuple[Shortlist, Shortlist | None]:
    """Return the short list of each row of `left` [n, D] among `right` [m, D], and the other way.

    Both are float32 and contiguous; `left_width` is 1..m and `right_width` 1..n, or 0: then the
    second is None and costs nothing. Further memory is that of blocks, one for each
    thread, and four times the second result while it is gathered. Which of equal products is the
    last of a list may depend on the threads.
    """
    rows = np.empty((len(left), left_width), dtype=np.int32)
    products = np.empty((len(left), left_width), dtype=np.float32)
    of_right = _Gathered(len(right), len(left), right_width) if right_width else None
    turns = [Lock() for _ in range(0, len(right), _BLOCK)]

    def gather(start: int) -> None:
        some = left[start : start + _BLOCK]
        of_left = _Gathered(len(some), len(right), left_width)
        for turn, first in zip(turns, range(0, len(right), _BLOCK), strict=True):
            tile = some @ right[first : first + _BLOCK].T
            of_left.add(tile, 0, first)
            if of_right is not None:
                with turn:
                    of_right.add(tile.T, first, start)
        shortlist = of_left.shortlist()
        rows[start : start + len(some)] = shortlist.rows
        products[start : start + len(some)] = shortlist.products

    # Blocks to each thread, not threads to each product: what is between the products is as long.
    with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(gather, range(0, len(left), _BLOCK)):
            pass
    return Shortlist(rows, products), None if of_right is None else of_right.shortlist()


def _largest(products: np.ndarray, width: int) -> np.ndarray:
    """Return where the `width` largest of each row are (all, if it has no more), in any order."""
    count = products.shape[1]
    if width >= count:
        return np.broadcast_to(np.arange(count), products.shape)
    return np.argpartition(products, count - width, axis=1)[:, count - width :]


def product_error(dimension: int, lengths: np.ndarray, longest: float) -> np.ndarray:
    """Return how far a product of a short list may be from the true one, float64 [n].

    |computed - true| <= dimension * 2^-24 * |x| * |y| for any order of summation (Higham 2002,
    section 3.1); two more for terms of second order and what float64 rounds.
    """
    return (dimension + 2) * 2.0**-24 * longest * lengths
