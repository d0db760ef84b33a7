"""The area under the ROC curve of scores against labels of 0 and 1; equal scores count one half."""

import numpy as np

from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.weighted_metrics import Metric, group_items, quotient


def metric(evidence: Predictions) -> Metric | None:
    """Return the area of n scores; NaN on a resample of one label, None of other gold scores."""
    groups = group_items(evidence.predicted)
    labels = np.asarray(evidence.gold, dtype=np.float64)
    if not np.isin(labels, (0, 1)).all():
        return None

    def area(counts: np.ndarray) -> np.ndarray:
        positive = groups.counts(counts * labels)
        negative = groups.counts(counts * (1 - labels))
        # Twice the number of negatives below a group, those of the group counting once.
        below = 2 * np.cumsum(negative, axis=1) - negative
        pairs = positive.sum(axis=1) * negative.sum(axis=1)
        return quotient(np.einsum("rg,rg->r", positive, below), 2 * pairs)

    return area
