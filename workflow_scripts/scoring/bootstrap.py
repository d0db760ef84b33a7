"""Percentile and paired bootstrap (Efron and Tibshirani 1993, chapters 13 and 16) over items.

Resamples depend on the data set alone, so the replicates of two encoders are pairs.
"""

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from workflow_scripts.scoring.weighted_metrics import Metric

RESAMPLES = 1000
LEVEL = 0.95
# Draws at once: small enough that the arrays of a chunk stay in the processor's cache.
_DRAWS_AT_ONCE = 1 << 16


def resamples(dataset: str, n: int) -> Iterator[np.ndarray]:
    """Yield `RESAMPLES` resamples of n items as indices, in chunks int64 [chunk, n].

    The generator is seeded from the data set and n: they are the same for every encoder and run.
    """
    digest = hashlib.sha256(f"{dataset}\n{n}".encode()).digest()
    generator = np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))
    chunk = max(1, _DRAWS_AT_ONCE // n)
    for start in range(0, RESAMPLES, chunk):
        yield generator.integers(n, size=(min(chunk, RESAMPLES - start), n))


def item_counts(indices: np.ndarray) -> np.ndarray:
    """Return how often each of n items occurs in each resample [resamples, n], as float64."""
    number, n = indices.shape
    cells = indices + n * np.arange(number)[:, None]
    counts = np.bincount(cells.ravel(), minlength=number * n)
    return counts.reshape(number, n).astype(np.float64)


def replicate(dataset: str, n: int, metrics: Mapping[str, Metric]) -> dict[str, np.ndarray]:
    """Return each metric on all resamples of n items, float64 [resamples]; NaN where undefined."""
    replicates: dict[str, list[np.ndarray]] = {name: [] for name in metrics}
    for indices in resamples(dataset, n):
        counts = item_counts(indices)
        for name, metric in metrics.items():
            replicates[name].append(metric(counts))
    return {name: np.concatenate(parts) for name, parts in replicates.items()}


def percentile_interval(replicates: np.ndarray) -> tuple[float, float]:
    """Return the percentile interval of replicates, NaN left out; `ValueError` if all are NaN."""
    low, high = np.quantile(_defined(replicates), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)


def paired_p_value(differences: np.ndarray) -> float:
    """Return the two-sided p value of the paired bootstrap, from the differences of N replicates.

    p = min(1, 2 (min(#{d <= 0}, #{d >= 0}) + 1) / (N + 1)): twice the smaller share of resamples
    on which the sign is not that of the difference, the data themselves counted as a resample too
    (Davison and Hinkley 1997, section 4.4). NaN is left out; `ValueError` if nothing else is there.
    """
    defined = _defined(differences)
    against = min(np.count_nonzero(defined <= 0), np.count_nonzero(defined >= 0))
    return min(1.0, 2 * (against + 1) / (len(defined) + 1))


def _defined(values: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=np.float64)
    defined = values[~np.isnan(values)]
    if not len(defined):
        raise ValueError("no replicate is defined")
    return defined
