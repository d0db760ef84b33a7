"""Nearest neighbours between two sides of a bitext: those of translations are each other's row."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from workflow_scripts.embedding.principal_components import principal_components, remove_components
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.scoring.evidence import Evidence

# Rows of cosines at once: 40 MB with 10,000 sentences on the other side.
_ROWS_AT_ONCE = 512


def nearest_both_ways(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the row of `right` [m, D] nearest to each of `left` [n, D], and the other way round.

    Both sides have unit length; int64 [n] and [m]. Exact; of equals the lower row leads.
    """
    to_right = np.empty(len(left), dtype=np.int64)
    to_left = np.zeros(len(right), dtype=np.int64)
    best = np.full(len(right), -np.inf)
    for start in range(0, len(left), _ROWS_AT_ONCE):
        cosines = left[start : start + _ROWS_AT_ONCE] @ right.T
        to_right[start : start + len(cosines)] = cosines.argmax(axis=1)
        rows = cosines.argmax(axis=0)
        largest = np.take_along_axis(cosines, rows[None], axis=0)[0]
        better = largest > best
        to_left[better], best[better] = start + rows[better], largest[better]
    return to_right, to_left


def first_rows(vectors: np.ndarray) -> np.ndarray:
    """Return for each row of vectors [n, D] the first row that is equal to it, int64 [n]."""
    seen: dict[bytes, int] = {}
    rows = (seen.setdefault(row.tobytes(), number) for number, row in enumerate(vectors))
    return np.fromiter(rows, dtype=np.int64, count=len(vectors))


@dataclass(frozen=True, kw_only=True)
class Bitext(Evidence):
    """Two sides of n rows, row i of each the translation of the other's; the right is English.

    Of equal vectors the first counts as found, since a product of matrices may round equal rows
    unlike. So a translation that stands in an earlier row too is a miss, as where LASER and XTREME
    compare rows, not texts.
    """

    sides: Sequence[np.ndarray]  # float64 [n, dimension] each, not scaled
    strings: Sequence[Sequence[int]]  # of each row

    @property
    def gold(self) -> np.ndarray:
        """The row that is right for each."""
        return np.arange(self.n)

    @property
    def predicted(self) -> np.ndarray:
        """The row of English that is nearest to each of the left."""
        return self.nearest[0]

    @cached_property
    def nearest(self) -> tuple[np.ndarray, np.ndarray]:
        """The row nearest to each of the left and of the right, by cosine, int64 [n] each."""
        return self._nearest(self.sides)

    @cached_property
    def nearest_pcr(self) -> tuple[np.ndarray, np.ndarray]:
        """The same of sides without their own first principal component."""
        sides = [side.copy() for side in self.sides]
        for side in sides:
            remove_components(side, principal_components(side))
        return self._nearest(sides)

    def _nearest(self, sides: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        left, right = (
            normalise(side, "vectors", rows, np.float64)
            for side, rows in zip(sides, self.strings, strict=True)
        )
        first_left, first_right = map(first_rows, self.sides)
        to_right, to_left = nearest_both_ways(left, right)
        return first_right[to_right], first_left[to_left]
