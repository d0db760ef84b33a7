"""Similarity tasks: the cosine of each pair, and Spearman's correlation with the gold scores."""

from collections.abc import Sequence

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.counted_metrics import spearman_metric, value_of


def cosines_of_pairs(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the cosines of row i of `left` and row i of `right`, [n, dimension] each: float64 [n].

    Raises `UserError` naming the pair where a vector is zero or not finite.
    """
    left = np.asarray(left, dtype=np.float64)
    right = np.asarray(right, dtype=np.float64)
    products = np.einsum("nd,nd->n", left, right)
    squares = np.einsum("nd,nd->n", left, left) * np.einsum("nd,nd->n", right, right)
    wrong = ~(np.isfinite(squares) & (squares > 0))
    if wrong.any():
        raise UserError(
            f"pair {int(np.flatnonzero(wrong)[0])}: a vector is zero or not finite, so its cosine "
            "is undefined; check the encoder"
        )
    return products / np.sqrt(squares)


def spearman(first: Sequence[float] | np.ndarray, second: Sequence[float] | np.ndarray) -> float:
    """Return Spearman's rank correlation, in -1..1, ties sharing the mean of their ranks.

    Raises `UserError` where it is undefined: fewer than two values, all values of one side equal,
    or a value that is not finite.
    """
    first = np.asarray(first, dtype=np.float64)
    second = np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"expected two rows of equal length, got {first.shape} and {second.shape}")
    if len(first) < 2:
        raise UserError(f"Spearman's correlation of {len(first)} pairs; it needs two or more")
    for values, side in ((first, "predicted"), (second, "gold")):
        if not np.isfinite(values).all():
            raise UserError(
                f"{side} score {int(np.flatnonzero(~np.isfinite(values))[0])} is not finite; "
                "check the encoder and the dataset"
            )
        if (values == values[0]).all():
            raise UserError(
                f"all {side} scores are {values[0]:g}, so that Spearman's correlation is "
                "undefined; check the encoder and the dataset"
            )
    return value_of(spearman_metric(first, second), len(first))
