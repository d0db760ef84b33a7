"""Scaling vectors to unit length, so that inner products are cosines."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import DTypeLike

from workflow_scripts.errors import UserError

# Rows scaled at once: keeps the float64 copy small beside a dictionary of 10^5 names.
_ROWS_AT_ONCE = 8192


def normalise(
    vectors: np.ndarray,
    name: str,
    row_names: Sequence[int] | None = None,
    dtype: DTypeLike = np.float32,
    remedy: str = "check the encoder that made it",
) -> np.ndarray:
    """Return the rows of `vectors` [n, dimension] scaled to unit length, computed in float64.

    `name` (whose rows these are), `row_names` (what to call row i; default: i) and `remedy` (what
    to do) go into messages. Raises `UserError` naming the first row that is zero or not
    finite: it has no direction.
    """
    vectors = np.asarray(vectors)
    scaled = np.empty(vectors.shape, dtype=dtype)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = vectors[start : start + _ROWS_AT_ONCE].astype(np.float64)
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        wrong = ~(np.isfinite(lengths) & (lengths > 0))
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            what = "a zero vector" if lengths[first] == 0 else "not finite"
            called = start + first if row_names is None else row_names[start + first]
            raise UserError(
                f"{name}: row {called} is {what} and cannot be scaled to unit length; {remedy}"
            )
        scaled[start : start + len(rows)] = rows / lengths[:, None]
    return scaled
