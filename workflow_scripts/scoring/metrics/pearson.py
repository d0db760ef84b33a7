"""Pearson's correlation of predicted with gold scores."""

import numpy as np

from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.weighted_metrics import Metric, quotient


def metric(evidence: Predictions) -> Metric:
    """Return the correlation of two rows of n values; NaN where all of one are equal."""
    sides = [np.asarray(side, dtype=np.float64) for side in (evidence.predicted, evidence.gold)]
    # what rounding leaves of a value's deviation from a mean that is that value
    nothing = [8 * np.finfo(np.float64).eps * np.abs(side).max(initial=0) for side in sides]

    def pearson(counts: np.ndarray) -> np.ndarray:
        number = counts.sum(axis=1, keepdims=True)
        deviations = [side - counts @ side[:, None] / number for side in sides]
        products = np.einsum("rn,rn,rn->r", counts, *deviations)
        squares = [np.einsum("rn,rn,rn->r", counts, own, own) for own in deviations]
        for own, least in zip(squares, nothing, strict=True):
            own[own <= number[:, 0] * least**2] = 0
        return quotient(products, np.sqrt(squares[0] * squares[1]))

    return pearson
