"""Spearman's correlation of predicted with gold scores."""

import numpy as np

from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.weighted_metrics import Metric, group_items, quotient


def metric(evidence: Predictions) -> Metric:
    """Return the correlation of two rows of n values; NaN where all of one are equal."""
    sides = group_items(evidence.predicted), group_items(evidence.gold)

    def spearman(counts: np.ndarray) -> np.ndarray:
        squares, deviations = [], []
        for side in sides:
            group_counts = side.counts(counts)
            deviation = _doubled_deviations(group_counts)
            squares.append(np.einsum("rg,rg,rg->r", group_counts, deviation, deviation))
            deviations.append(deviation[:, side.group])
        products = np.einsum("rn,rn,rn->r", counts, *deviations)
        return quotient(products, np.sqrt(squares[0] * squares[1]))

    return spearman


def _doubled_deviations(group_counts: np.ndarray) -> np.ndarray:
    """Return twice the mean rank of each group less that of all, [resamples, groups].

    Doubled, all are whole numbers, which keeps sums of them exact.
    """
    up_to = np.cumsum(group_counts, axis=1)
    return 2 * up_to - group_counts - up_to[:, -1:]
