"""What is measured on each data set, by the module of its task, and its rows of tidy scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workflow_scripts import plugins
from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.bootstrap import percentile_interval, replicate
from workflow_scripts.scoring.bootstrap_replicates import replicates_key
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score
from workflow_scripts.scoring.weighted_metrics import Metric, value_of

_COLUMNS = ("left", "right", "gold", "label")


@dataclass(frozen=True)
class Measurement:
    """The metrics of one encoder on the n items of one data set.

    `values` has them all, `metrics` those that are a function of how often each item counts and so
    have a bootstrap interval. `arrays` are further arrays for the details, by key; `numbers` has
    of how many items a metric is that is not of all.
    """

    dataset: str
    split: str
    n: int
    coverage: float
    dropped: dict[str, int]
    values: dict[str, float]
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)


def require_whole(dataset: str, numbers: Sequence[int], expected: Sequence[int]) -> None:
    """Raise `UserError` where what was found for the items is of another number than they are."""
    if list(numbers) != list(expected):
        raise UserError(
            f"dataset {dataset}",
            f"what was found for its items is not whole ({sum(numbers)} of {sum(expected)})",
            "remove that file and run again, which makes it anew",
        )


def measure_items(
    dataset: str,
    entry: Mapping[str, Any],
    n: int,
    metrics: Mapping[str, Metric] | None = None,
    *,
    values: Mapping[str, float] | None = None,
    coverage: float | None = None,
    arrays: Mapping[str, np.ndarray] | None = None,
    numbers: Mapping[str, int] | None = None,
) -> Measurement:
    """Return what was measured on the n items of a data set, whose block of items.json is `entry`.

    `metrics` are functions of the items, `values` those of metrics that are none. Without a
    `coverage` it is the share of items that was not dropped. `UserError` where one is undefined.
    """
    metrics, dropped = metrics or {}, entry.get("dropped", {})
    measured = {name: value_of(metric, n) for name, metric in metrics.items()} | dict(values or {})
    for name, value in measured.items():
        if not np.isfinite(value):
            why = "all predicted or all gold values are equal"
            problem = f"{name} is undefined on its {n} items: {why}"
            raise UserError(None, problem, "check the encoder and the data set")
    if coverage is None:
        coverage = n / (n + sum(dropped.values()))
    split = entry.get("split", "test")
    shown = (dropped, measured, metrics, arrays or {}, numbers or {})
    return Measurement(dataset, split, n, coverage, *shown)


def measure_dataset(
    encoder: EncoderIds,
    entry: Mapping[str, Any],
    vectors: np.ndarray | StringVectors,
    ranked: Any = None,
) -> Measurement:
    """Return what was measured on a data set, whose block of items.json is `entry`.

    `vectors` [strings, dimension] are those of its strings, `ranked` what its task needs, such as
    the data set's part of `rows_by_dataset`. Raises `UserError`, beginning with encoder and data
    set, for what is undefined or is not scored.
    """
    dataset, name = entry["dataset"], entry["task"]
    # the columns of items, one entry each
    sizes = {key: len(entry[key]) for key in _COLUMNS if key in entry}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{number} of {key}" for key, number in sizes.items())
        problem = f"its items are damaged: {shown}"
        raise UserError(f"dataset {dataset}", problem, "read the data set again")
    try:
        task = plugins.load("scoring.tasks", name)
    except ModuleNotFoundError as error:
        problem = f"no scoring for the task {name!r} ({error})"
        raise UserError(f"dataset {dataset}", problem, "leave the data set out") from error
    if "translations" in task.NEEDS:
        raise UserError(f"dataset {dataset}", f"is of task {name}", "score it with score_lexicon")
    try:
        return task.measure(dataset, entry, vectors, ranked)
    except UserError as error:
        raise error.within(f"encoder {encoder}, dataset {dataset}") from error


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
        for metric, value in measurement.values.items():
            low: float | None = None
            high: float | None = None
            if metric in replicates:
                low, high = percentile_interval(replicates[metric])
                details[replicates_key(measurement.dataset, metric)] = replicates[metric]
            n = measurement.numbers.get(metric, measurement.n)
            of = (*encoder, measurement.dataset, measurement.split, metric)
            scores.append(
                Score(*of, value, low, high, n, measurement.coverage, measurement.dropped)
            )
        details |= measurement.arrays
    return scores, details
