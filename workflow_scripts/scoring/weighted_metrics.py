"""Metrics as functions of how often each item counts: one pass for any number of resamples.

A bootstrap resample of n items is the number of times that each of them was drawn. Sorted values
stay sorted whatever those counts are, so the ranks of a resample follow from cumulative counts:
O(n) a resample, without sorting.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

# Counts [resamples, n], float64 and whole, to the metric on each resample, float64 [resamples];
# NaN where it is undefined there.
Metric = Callable[[np.ndarray], np.ndarray]


class Groups(NamedTuple):
    """Items put into groups of equal value, from the least value to the largest."""

    order: np.ndarray  # the items by value
    starts: np.ndarray  # the positions in it at which groups begin
    group: np.ndarray  # [n], the group of each item

    def counts(self, counts: np.ndarray) -> np.ndarray:
        return np.add.reduceat(counts[:, self.order], self.starts, axis=1)


def group_items(values: Sequence[Any] | np.ndarray) -> Groups:
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    return Groups(np.argsort(group, kind="stable"), np.cumsum(sizes) - sizes, group)


def share_metric(hits: Sequence[bool] | np.ndarray) -> Metric:
    """Return the share of hits among n items."""
    numbers = np.asarray(hits, dtype=np.float64)

    def metric(counts: np.ndarray) -> np.ndarray:
        return counts @ numbers / counts.sum(axis=1)

    return metric


def value_of(metric: Metric, n: int) -> float:
    """Return a metric on the n items themselves, each counting once."""
    return float(metric(np.ones((1, n)))[0])


def quotient(numerators: np.ndarray, denominators: np.ndarray) -> np.ndarray:
    """Return quotients, NaN where a denominator is 0."""
    undefined = np.full_like(numerators, np.nan)
    return np.divide(numerators, denominators, out=undefined, where=denominators > 0)
