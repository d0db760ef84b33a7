"""The ROC curve of scores of pairs against labels of 0 and 1, and the area under it."""

from collections.abc import Sequence

import numpy as np

from workflow_scripts.scoring.counted_metrics import auc_metric, value_of


def area_under_curve(scores: Sequence[float] | np.ndarray, labels: Sequence[int]) -> float:
    """Return the area under the ROC curve, in 0..1, equal scores counting one half."""
    return value_of(auc_metric(np.asarray(scores), np.asarray(labels)), len(scores))


def roc_curve(
    scores: Sequence[float] | np.ndarray, labels: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return false- and true-positive rates, float64 [distinct scores + 1] each, from 0 to 1.

    Labels are 1 (positive) and 0. Point i takes pairs with one of the i largest distinct scores.
    """
    order = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    ordered = np.asarray(scores)[order]
    # A threshold lies below the last of equal scores.
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    true = np.cumsum(np.asarray(labels, dtype=np.int64)[order])[last]
    false = 1 + last - true
    return np.append(0, false) / false[-1], np.append(0, true) / true[-1]
