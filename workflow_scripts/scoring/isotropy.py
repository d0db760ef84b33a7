"""Isotropy of a set of vectors: isotropy score and mean-vector norm (paper, Tables 9 and 14).

Both are of the vectors as the encoder gives them, not scaled to unit length.
"""

import numpy as np

from workflow_scripts.errors import UserError

CONVENTIONS = ("is_eig", "is_paper")
# Directions at once: the products with all vectors are n times as many numbers.
_DIRECTIONS_AT_ONCE = 128


def mean_vector_norm(vectors: np.ndarray) -> float:
    """Return the length of the mean of vectors [n, dimension] (paper, appendix E, Eq. 3).

    Raises `UserError` for no vectors and for vectors that are not finite.
    """
    return float(np.linalg.norm(_float64(vectors).mean(axis=0)))


def isotropy_score(vectors: np.ndarray, convention: str) -> float:
    """Return the isotropy score of vectors [n, dimension], in 0..1 (paper, Eq. 2).

    IS = min Z(c) / max Z(c) over directions c, with Z(c) the sum of exp(c.v) over the vectors v
    (Mu and Viswanath 2018, section 2.3). 1 is perfectly isotropic. The directions are made of the
    eigenvectors of V'V, and the convention says how:

    - "is_eig": the eigenvectors, which are the columns of the matrix of eigenvectors;
    - "is_paper": the rows of that matrix. These are no eigenvectors, but give the level of the
      published scores, which those of "is_eig" lie orders of magnitude below.

    An eigenvector has no sign while Z does: here the component of largest absolute value (the
    first, among equals) is positive. The matrix is that of `numpy.linalg.eigh`, eigenvalues
    ascending, the columns so signed. The score of the columns is free of their order, that of the
    rows is not: their components stand in the order of the eigenvalues. Where an eigenvalue
    repeats, its eigenvectors are one basis of many. For columns this is without effect on the
    eigenvalue 0 (Z = n for all its directions); for rows it is not, so "is_paper" means something
    only for vectors that span the space, more of them than dimensions.

    Raises `UserError` for no vectors and for vectors that are not finite.
    """
    if convention not in CONVENTIONS:
        raise ValueError(f"convention {convention!r}; give one of {', '.join(CONVENTIONS)}")
    vectors = _float64(vectors)
    columns = signed_eigenvectors(vectors)
    logarithms = _log_partition(vectors, columns.T if convention == "is_eig" else columns)
    return float(np.exp(logarithms.min() - logarithms.max()))


def signed_eigenvectors(vectors: np.ndarray) -> np.ndarray:
    """Return the eigenvectors of V'V as columns, eigenvalues ascending, in float64.

    The component of largest absolute value of each (the first, among equals) is positive.
    """
    columns = np.linalg.eigh(vectors.T @ vectors)[1]
    largest = np.abs(columns).argmax(axis=0)
    return columns * np.sign(columns[largest, np.arange(len(columns))])


def _log_partition(vectors: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Return log Z of each direction, the rows of [number, dimension], without overflow."""
    logarithms = []
    for start in range(0, len(directions), _DIRECTIONS_AT_ONCE):
        products = vectors @ directions[start : start + _DIRECTIONS_AT_ONCE].T
        largest = products.max(axis=0)
        logarithms.append(largest + np.log(np.exp(products - largest).sum(axis=0)))
    return np.concatenate(logarithms)


def _float64(vectors: np.ndarray) -> np.ndarray:
    vectors = np.asarray(vectors, dtype=np.float64)
    if not len(vectors):
        raise UserError("isotropy of no vectors; give a data set with strings")
    if not np.isfinite(vectors).all():
        raise UserError("isotropy of vectors that are not finite; check the encoder")
    return vectors
