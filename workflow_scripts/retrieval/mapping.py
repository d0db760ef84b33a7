"""Linear maps between the vector spaces of two languages, learnt from a dictionary.

All in float64. Row i of a source matrix and row i of a target matrix are one dictionary entry.
Vectors are rows and maps are applied from the right: `x @ mapping.source`.
"""

from typing import Literal, NamedTuple

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.retrieval.vector_search import lengths_of

MappingKind = Literal["orthogonal", "supervised"]
_FEWEST_ENTRIES = 2
# Length below which the difference of two unit vectors given in float32 says nothing.
_FLOAT32_NOISE = 1e-6


class Mapping(NamedTuple):
    """Maps of both languages into one space: `source` and `target`, [dimension, dimension] each."""

    source: np.ndarray
    target: np.ndarray


def centre_on_vocabulary(
    vocabulary: np.ndarray, *others: np.ndarray, name: str
) -> tuple[np.ndarray, ...]:
    """Return vocabulary and others at unit length, centred, and at unit length again.

    The mean is that of the vocabulary for all (Artetxe et al. 2018, AAAI, step 0). `UserError`, by
    the language's `name`, for a vector that is zero before or after: the encoder has collapsed.
    """
    scaled = [normalise(vectors, name, dtype=np.float64) for vectors in (vocabulary, *others)]
    mean = scaled[0].mean(axis=0)
    for side, moved in enumerate(scaled):
        # in place: a vocabulary of 200,000 words has 480 MB
        moved -= mean
        # What float32 vectors leave besides their mean is rounding noise, not a direction.
        moved[lengths_of(moved) < _FLOAT32_NOISE] = 0.0
        scaled[side] = normalise(moved, f"{name}, centred", dtype=np.float64)
    return tuple(scaled)


def learn_orthogonal(source: np.ndarray, target: np.ndarray) -> Mapping:
    """Return the orthogonal Procrustes map: the rotation W that makes |source W - target| least.

    W = U V' with U S V' the singular value decomposition of source' target (Schoenemann 1966;
    Artetxe et al. 2016); both are [entries, dimension]. Directions that the dictionary does not
    span are mapped to zero: any rotation of them would fit as well and add noise. Raises
    `UserError` for fewer than two entries or matrices of unequal shape.
    """
    source, target = _check_entries(source, target)
    left, strengths, right = np.linalg.svd(source.T @ target)
    kept = strengths > _smallest(strengths, len(source))
    return Mapping(left[:, kept] @ right[kept], np.eye(target.shape[1]))


def learn_supervised(
    source: np.ndarray, target: np.ndarray, regularisation: float = 0.0
) -> Mapping:
    """Return the maps of both languages by the multi-step framework of Artetxe et al. (2018, AAAI).

    Both are [entries, dimension], as `centre_on_vocabulary` leaves them. The steps, on both sides:

    1. whitening on the dictionary: X1 = X C^(-1/2), C = X'X of the dictionary's rows;
    2. orthogonal map: X2 = X1 U, Z2 = Z1 V, with U S V' the decomposition of X1'Z1;
    3. re-weighting by the square root of the singular values, X3 = X2 S^(1/2), Z3 = Z2 S^(1/2);
    4. de-whitening each side with itself: X4 = X3 U' C_X^(1/2) U, Z4 = Z3 V' C_Z^(1/2) V.

    Where C has no C^(-1/2) the pseudo-inverse maps directions outside the dictionary's span to
    zero. With few more entries than dimensions whitening fits noise: `regularisation` r > 0 (a
    difference from the paper) uses C + r mean(diag C) I instead. Errors as `learn_orthogonal`.
    """
    source, target = _check_entries(source, target)
    whiten_source, colour_source = _whitening(source, regularisation)
    whiten_target, colour_target = _whitening(target, regularisation)
    left, strengths, right = np.linalg.svd((source @ whiten_source).T @ (target @ whiten_target))
    # The root would lift singular values that are rounding noise (1e-16) to 1e-8.
    strengths = np.where(strengths > _smallest(strengths, len(source)), strengths, 0.0)
    weights = np.sqrt(strengths)
    return Mapping(
        (whiten_source @ left) * weights @ (left.T @ colour_source @ left),
        (whiten_target @ right.T) * weights @ (right @ colour_target @ right.T),
    )


def _check_entries(source: np.ndarray, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    source, target = (np.asarray(side, dtype=np.float64) for side in (source, target))
    if source.shape != target.shape:
        raise UserError(
            None,
            f"dictionary of {source.shape} source and {target.shape} target vectors",
            "embed both languages with encoders of the same dimension",
        )
    if len(source) < _FEWEST_ENTRIES:
        raise UserError(
            None,
            f"a dictionary of {len(source)} entries",
            f"a map needs at least {_FEWEST_ENTRIES}: enlarge the training dictionary",
        )
    return source, target


def _smallest(singular_values: np.ndarray, entries: int) -> float:
    """Return the size below which a singular value is rounding noise."""
    largest = singular_values.max(initial=0.0)
    return float(largest * max(entries, len(singular_values)) * np.finfo(np.float64).eps)


def _whitening(vectors: np.ndarray, regularisation: float) -> tuple[np.ndarray, np.ndarray]:
    """Return C^(-1/2) and C^(1/2), symmetric, of C = X'X + r mean(diag X'X) I."""
    dimension = vectors.shape[1]
    # All axes, also those outside the span; never the full matrix on the side of the entries.
    _, singular_values, axes = np.linalg.svd(vectors, full_matrices=len(vectors) < dimension)
    deviations = np.zeros(dimension)
    deviations[: len(singular_values)] = singular_values
    kept = deviations > _smallest(deviations, len(vectors))
    # X'X has the eigenvalues s^2, and their sum is its trace.
    deviations = np.sqrt(deviations**2 + regularisation * np.mean(deviations**2))
    if regularisation == 0:
        axes, deviations = axes[kept], deviations[kept]
    return (axes.T / deviations) @ axes, (axes.T * deviations) @ axes
