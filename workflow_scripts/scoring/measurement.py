"""What was measured on one data set, and its rows of tidy scores with or without a bootstrap."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workflow_scripts.scoring.bootstrap import percentile_interval, replicate
from workflow_scripts.scoring.counted_metrics import Metric
from workflow_scripts.scoring.details import replicates_key
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score


@dataclass(frozen=True)
class Measurement:
    """The metrics of one encoder on the n items of one data set.

    `values` has them all. `metrics` has those that are a function of how often each item counts
    and so have a bootstrap interval. `arrays` are further arrays for the details, by key.
    """

    dataset: str
    split: str
    n: int
    coverage: float
    dropped: dict[str, int]
    values: dict[str, float]
    metrics: dict[str, Metric] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)


def plain_scores(encoder: EncoderIds, measurements: Iterable[Measurement]) -> list[Score]:
    """Return one row per metric, without intervals: nothing is drawn."""
    return [
        _score(encoder, measurement, metric, None, None)
        for measurement in measurements
        for metric in measurement.values
    ]


def bootstrap_scores(
    encoder: EncoderIds, measurements: Iterable[Measurement]
) -> tuple[list[Score], dict[str, np.ndarray]]:
    """Return one row per metric with its 95% interval over items, and the arrays of the details.

    A metric that is no function of items, such as isotropy, has neither interval nor replicates.
    """
    scores: list[Score] = []
    details: dict[str, np.ndarray] = {}
    for measurement in measurements:
        replicates = replicate(measurement.dataset, measurement.n, measurement.metrics)
        for metric in measurement.values:
            low, high = None, None
            if metric in replicates:
                low, high = percentile_interval(replicates[metric])
                details[replicates_key(measurement.dataset, metric)] = replicates[metric]
            scores.append(_score(encoder, measurement, metric, low, high))
        details |= measurement.arrays
    return scores, details


def share_kept(n: int, dropped: dict[str, Any]) -> float:
    """Return the share of the items of the files that were scored."""
    return n / (n + sum(dropped.values()))


def _score(
    encoder: EncoderIds,
    measurement: Measurement,
    metric: str,
    low: float | None,
    high: float | None,
) -> Score:
    return Score(
        *encoder,
        measurement.dataset,
        measurement.split,
        metric,
        measurement.values[metric],
        low,
        high,
        measurement.n,
        measurement.coverage,
        measurement.dropped,
    )
