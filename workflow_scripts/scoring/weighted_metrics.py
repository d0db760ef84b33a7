"""Metrics as functions of how often each item counts: one pass for any number of resamples.

A bootstrap resample of n items is the number of times that each of them was drawn. Sorted values
stay sorted whatever those counts are, so the ranks of a resample follow from cumulative counts:
O(n) a resample, without sorting.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

# Counts [resamples, n], float64 and whole, to the metric on each resample, float64 [resamples];
# NaN where it is undefined there.
Metric = Callable[[np.ndarray], np.ndarray]


class _Groups(NamedTuple):
    """Items put into groups of equal value, from the least value to the largest."""

    order: np.ndarray  # the items by value
    starts: np.ndarray  # the positions in it at which groups begin
    group: np.ndarray  # [n], the group of each item

    def counts(self, counts: np.ndarray) -> np.ndarray:
        return np.add.reduceat(counts[:, self.order], self.starts, axis=1)


def _group(values: np.ndarray) -> _Groups:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return _Groups(np.argsort(group, kind="stable"), np.cumsum(sizes) - sizes, group)


def _doubled_deviations(group_counts: np.ndarray) -> np.ndarray:
    """Return twice the mean rank of each group less that of all, [resamples, groups].

    Doubled, all are whole numbers, which keeps sums of them exact.
    """
    up_to = np.cumsum(group_counts, axis=1)
    return 2 * up_to - group_counts - up_to[:, -1:]


def spearman_metric(first: np.ndarray, second: np.ndarray) -> Metric:
    """Return Spearman's correlation of two rows of n values; NaN where all of one are equal."""
    sides = _group(first), _group(second)

    def metric(counts: np.ndarray) -> np.ndarray:
        squares, deviations = [], []
        for side in sides:
            group_counts = side.counts(counts)
            deviation = _doubled_deviations(group_counts)
            squares.append(np.einsum("rg,rg,rg->r", group_counts, deviation, deviation))
            deviations.append(deviation[:, side.group])
        products = np.einsum("rn,rn,rn->r", counts, *deviations)
        return _quotient(products, np.sqrt(squares[0] * squares[1]))

    return metric


def pearson_metric(first: np.ndarray, second: np.ndarray) -> Metric:
    """Return Pearson's correlation of two rows of n values; NaN where all of one are equal."""
    sides = [np.asarray(side, dtype=np.float64) for side in (first, second)]
    # what rounding leaves of a value's deviation from a mean that is that value
    nothing = [8 * np.finfo(np.float64).eps * np.abs(side).max(initial=0) for side in sides]

    def metric(counts: np.ndarray) -> np.ndarray:
        number = counts.sum(axis=1, keepdims=True)
        deviations = [side - counts @ side[:, None] / number for side in sides]
        products = np.einsum("rn,rn,rn->r", counts, *deviations)
        squares = [np.einsum("rn,rn,rn->r", counts, own, own) for own in deviations]
        for own, least in zip(squares, nothing, strict=True):
            own[own <= number[:, 0] * least**2] = 0
        return _quotient(products, np.sqrt(squares[0] * squares[1]))

    return metric


def accuracy_metric(hits: Sequence[bool] | np.ndarray) -> Metric:
    """Return the share of hits among n items."""
    numbers = np.asarray(hits, dtype=np.float64)

    def metric(counts: np.ndarray) -> np.ndarray:
        return counts @ numbers / counts.sum(axis=1)

    return metric


def auc_metric(scores: np.ndarray, labels: np.ndarray) -> Metric:
    """Return the area under the ROC curve of n scores against labels of 0 and 1.

    Equal scores count one half; NaN on a resample of one label.
    """
    groups = _group(scores)
    labels = np.asarray(labels, dtype=np.float64)

    def metric(counts: np.ndarray) -> np.ndarray:
        positive = groups.counts(counts * labels)
        negative = groups.counts(counts * (1 - labels))
        # Twice the number of negatives below a group, those of the group counting once.
        below = 2 * np.cumsum(negative, axis=1) - negative
        pairs = positive.sum(axis=1) * negative.sum(axis=1)
        return _quotient(np.einsum("rg,rg->r", positive, below), 2 * pairs)

    return metric


def value_of(metric: Metric, n: int) -> float:
    """Return a metric on the n items themselves, each counting once."""
    return float(metric(np.ones((1, n)))[0])


def _quotient(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    undefined = np.full_like(numerators, np.nan)
    return np.divide(numerators, denominators, out=undefined, where=denominators > 0)
