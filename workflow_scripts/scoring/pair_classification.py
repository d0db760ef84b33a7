"""Pair classification: the cosine of each pair against a label of 0 or 1, as AUC and ROC curve."""

from collections.abc import Sequence

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.counted_metrics import auc_metric, value_of


def area_under_curve(scores: Sequence[float] | np.ndarray, labels: Sequence[int]) -> float:
    """Return the area under the ROC curve, in 0..1, equal scores counting one half.

    `scores` and `labels` (1 = positive) have one entry a pair. Raises `UserError` where it is
    undefined: a score that is not finite, a label other than 0 and 1, labels of one kind.
    """
    scores, labels = _checked(scores, labels)
    return value_of(auc_metric(scores, labels), len(scores))


def roc_curve(
    scores: Sequence[float] | np.ndarray, labels: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return false- and true-positive rates, float64 [distinct scores + 1] each, from 0 to 1.

    Point i counts as positive the pairs with one of the i largest distinct scores, so the first is
    (0, 0) and the last (1, 1). Raises `UserError` as `area_under_curve`.
    """
    scores, labels = _checked(scores, labels)
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    # A threshold lies below the last of equal scores.
    last = np.append(np.flatnonzero(ordered[1:] != ordered[:-1]), len(ordered) - 1)
    true = np.cumsum(labels[order])[last]
    false = 1 + last - true
    return np.append(0, false) / false[-1], np.append(0, true) / true[-1]


def _checked(
    scores: Sequence[float] | np.ndarray, labels: Sequence[int]
) -> tuple[np.ndarray, np.ndarray]:
    scores = np.asarray(scores, dtype=np.float64)
    labels = np.asarray(labels)
    if scores.shape != labels.shape or scores.ndim != 1:
        raise ValueError(
            f"expected two rows of equal length, got {scores.shape} and {labels.shape}"
        )
    if not np.isfinite(scores).all():
        first = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise UserError(f"score {first} is not finite; check the encoder")
    wrong = ~np.isin(labels, (0, 1))
    if wrong.any():
        first = int(np.flatnonzero(wrong)[0])
        raise UserError(
            f"label {first} is {labels[first]}, not 0 or 1; remake items.json with read_suite"
        )
    labels = labels.astype(np.int64)
    positive = int(labels.sum())
    if not 0 < positive < len(labels):
        raise UserError(
            f"{positive} of {len(labels)} pairs have label 1, so that the ROC curve is undefined; "
            "it needs pairs of both labels: check the data set"
        )
    return scores, labels
