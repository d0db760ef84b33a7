"""The directions that vectors of a language share, and vectors without them (CMLM, section 5.2).

Numpy alone: scoring uses it too.
"""

import numpy as np

from workflow_scripts.errors import UserError

# Rows in float64 at once.
_ROWS_AT_ONCE = 8192
# Eigenvalues this much smaller than the largest are the rounding of float32 vectors.
_ROUNDING = 1e-12


def principal_components(vectors: np.ndarray, count: int = 1) -> np.ndarray:
    """Return the first `count` right singular vectors of vectors [N, D], float64 [count, D].

    Rows are strings of one language, not centred, as in the paper. The components have unit length
    and are at right angles; their signs say nothing. Computed from the Gram matrix [D, D]: N may be
    large. Raises `UserError` where the vectors have no more than `count` directions.
    """
    dimension = vectors.shape[1]
    gram = np.zeros((dimension, dimension))
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = np.asarray(vectors[start : start + _ROWS_AT_ONCE], dtype=np.float64)
        gram += rows.T @ rows
    values, columns = np.linalg.eigh(gram)  # ascending
    if count >= dimension or values[-count - 1] <= _ROUNDING * values[-1]:
        raise UserError(
            None,
            f"nothing is left of {len(vectors)} vectors of dimension {dimension} without "
            f"their first {count} components: they span no further directions",
            "remove fewer, give more strings, or check the encoder",
        )
    return columns.T[: -count - 1 : -1]


def remove_components(vectors: np.ndarray, components: np.ndarray) -> None:
    """Subtract from vectors [N, D], in place, their parts along components [count, D].

    e' = e - (e . c) c for each unit vector c, in float64, rounded to the type of `vectors`.
    """
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = np.asarray(vectors[start : start + _ROWS_AT_ONCE], dtype=np.float64)
        vectors[start : start + _ROWS_AT_ONCE] = rows - rows @ components.T @ components
