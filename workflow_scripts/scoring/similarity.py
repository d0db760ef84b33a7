"""The cosines of pairs of strings."""

from collections.abc import Sequence

import numpy as np

from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import gather_rows


def cosines_of_pairs(
    vectors: np.ndarray | StringVectors, left: Sequence[int], right: Sequence[int]
) -> np.ndarray:
    """Return the cosine of each pair of strings, by their rows of vectors: float64 [pairs].

    Raises `UserError` naming the pair where a vector is zero, the string where it is not finite.
    """
    lefts, rights = (gather_rows(vectors, s, "vectors").astype(np.float64) for s in (left, right))
    products = np.einsum("nd,nd->n", lefts, rights)
    squares = np.einsum("nd,nd->n", lefts, lefts) * np.einsum("nd,nd->n", rights, rights)
    wrong = ~(np.isfinite(squares) & (squares > 0))
    if wrong.any():
        raise UserError(
            f"pair {int(np.flatnonzero(wrong)[0])}",
            "a vector is zero or not finite, so its cosine is undefined",
            "check the encoder",
        )
    cosines = products / np.sqrt(squares)
    # Vectors of one direction, as of an encoder that collapsed: what their cosines differ by is the
    # rounding of float32, which would be ranked like anything else.
    if len(cosines) and np.ptp(cosines) <= 4 * np.finfo(np.float32).eps:
        cosines[:] = cosines[0]
    return cosines
