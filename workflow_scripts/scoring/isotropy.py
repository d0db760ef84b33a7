"""Isotropy score (paper, Tables 9 and 14) of vectors not scaled."""

import numpy as np

# Directions at once: the products with all vectors are n times as many numbers.
_DIRECTIONS_AT_ONCE = 128


def isotropy_score(vectors: np.ndarray, convention: str) -> float:
    """Return the isotropy score of vectors [n, dimension], in 0..1 (paper, Eq. 2).

    IS = min Z(c) / max Z(c) over directions c, with Z(c) the sum of exp(c.v) over the vectors v
    (Mu and Viswanath 2018, section 2.3). 1 is perfectly isotropic. The directions are made of the
    eigenvectors of V'V, and the convention says how:

    - "is_eig": the eigenvectors, which are the columns of the matrix of eigenvectors;
    - "is_paper": the rows of that matrix. These are not eigenvectors, but yield scores at the
      level of the published ones; those of "is_eig" are orders of magnitude lower.

    An eigenvector has no sign while Z does: here the component of largest absolute value (the
    first, among equals) is positive. Eigenvalues ascend, which counts for rows. Where one repeats,
    its eigenvectors are one basis of many: without effect on columns of the eigenvalue 0 (Z = n),
    but "is_paper" means something only for vectors that span the space.
    """
    vectors = np.asarray(vectors, dtype=np.float64)
    columns = signed_eigenvectors(vectors)
    logarithms = _log_partition(vectors, columns.T if convention == "is_eig" else columns)
    return float(np.exp(logarithms.min() - logarithms.max()))


def signed_eigenvectors(vectors: np.ndarray) -> np.ndarray:
    """Return the eigenvectors of V'V as columns, eigenvalues ascending, signed as above."""
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
