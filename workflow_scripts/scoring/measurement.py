"""What is measured on each data set, from the evidence of its task, and its rows of tidy scores."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workflow_scripts import plugins
from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.bootstrap import percentile_interval, replicate
from workflow_scripts.scoring.bootstrap_replicates import replicates_key
from workflow_scripts.scoring.evidence import Evidence
from workflow_scripts.scoring.metric_names import load_metric
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score
from workflow_scripts.scoring.weighted_metrics import Metric, value_of

# Reasons of rows that are no items: nobody scored them, or the config takes a sample. They take
# nothing from the coverage, which is of the items.
_NO_ITEMS = frozenset({"no_gold_score", "not_sampled"})
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


def measure_evidence(
    dataset: str, entry: Mapping[str, Any], evidence: Evidence, names: Iterable[str]
) -> Measurement:
    """Return the named metrics of a data set, whose block of items.json is `entry`.

    Raises `UserError` where one is undefined.
    """
    metrics: dict[str, Metric] = {}
    values: dict[str, float] = {}
    numbers: dict[str, int] = {}
    for name in names:
        module, number = load_metric(name)
        measured = module.metric(evidence, *number)
        if measured is None:
            continue
        if callable(measured):
            metrics[name], measured = measured, value_of(measured, evidence.n)
        values[name] = measured
        if hasattr(module, "details"):
            for detail, (value, items) in module.details(evidence, *number).items():
                values[detail], numbers[detail] = value, items
    if undefined := [name for name, value in values.items() if not np.isfinite(value)]:
        verb = "are" if len(undefined) > 1 else "is"
        why = "all predicted or all gold values are equal"
        problem = f"{' and '.join(undefined)} {verb} undefined on its {evidence.n} items: {why}"
        raise UserError(None, problem, "check the encoder and the data set")
    dropped, coverage = entry.get("dropped", {}), evidence.coverage
    if coverage is None:
        lost = sum(number for reason, number in dropped.items() if reason not in _NO_ITEMS)
        coverage = evidence.n / (evidence.n + lost)
    shown = (dropped, values, metrics, evidence.arrays, numbers)
    return Measurement(dataset, entry.get("split", "test"), evidence.n, coverage, *shown)


def measure_dataset(
    encoder: EncoderIds,
    entry: Mapping[str, Any],
    vectors: np.ndarray | StringVectors,
    metrics: Sequence[str],
    ranked: Any = None,
) -> Measurement:
    """Return the requested metrics of a data set; `entry` is its block of items.json.

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
        evidence = task.evidence(dataset, entry, vectors, ranked)
        return measure_evidence(dataset, entry, evidence, metrics)
    except UserError as error:
        raise error.within(f"encoder {encoder}, dataset {dataset}") from error


def bootstrap_scores(
    encoder: EncoderIds, measurements: Iterable[Measurement]
) -> tuple[list[Score], dict[str, np.ndarray]]:
    """Return one row per metric with its 95% interval over items, and the arrays of the details.

    A metric that is not a function of items, such as isotropy, has neither interval nor replicates.
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
