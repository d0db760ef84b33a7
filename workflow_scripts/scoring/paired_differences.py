"""Two encoders on the same items: the differences of their scores, by the paired bootstrap."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from workflow_scripts.scoring.bootstrap import paired_p_value, percentile_interval
from workflow_scripts.scoring.bootstrap_replicates import replicates_key
from workflow_scripts.scoring.tidy_scores import Score

# two-sided, of a difference that is shown
LEVEL = 0.05
# normal quantiles of a 95% interval and of a power of 80%
_OF_INTERVAL, _OF_POWER = 1.959964, 0.841621
# of `bootstrap_scores`: rows, and replicates among the arrays of the details
Scored = tuple[Sequence[Score], Mapping[str, np.ndarray]]


class Difference(NamedTuple):
    """A score less that of another encoder; interval and p value where items are resampled."""

    dataset: str
    metric: str
    value: float
    against: float
    difference: float
    difference_low: float | None
    difference_high: float | None
    p_value: float | None


def paired_differences(own: Scored, other: Scored) -> list[Difference]:
    """Return the difference of each score of `own` that `other` has on as many items."""
    others = {(row.dataset, row.metric, row.n): row.value for row in other[0]}
    return [
        _difference(*key[:2], (row.value, others[key]), _replicates(row, own, other))
        for row in own[0]
        if (key := (row.dataset, row.metric, row.n)) in others
    ]


def verdict(row: Difference, n: int) -> str:
    """Return in a sentence whether n items show a difference, and how many would show it.

    The standard error is that of the interval and falls with the root of n; of samples of the size
    named, four in five would show the difference that was seen.
    """
    what = f"{row.dataset}, {row.metric}"
    if row.difference == 0 or row.difference_low is None or row.difference_high is None:
        return f"{what}: no difference" + (" that is tested" if row.difference else "")
    seen = f"{what}: {'higher' if row.difference > 0 else 'lower'} by {abs(row.difference):.4f}"
    tested = f"{n:,} items" + ("" if row.p_value is None else f" (p = {row.p_value:.3f})")
    if row.p_value is not None and row.p_value < LEVEL:
        return f"{seen}, shown by {tested}"
    error = (row.difference_high - row.difference_low) / (2 * _OF_INTERVAL)
    # more are needed where p is not below the level, whatever the normal approximation says
    needed = max(n * ((_OF_INTERVAL + _OF_POWER) * error / row.difference) ** 2, n + 1)
    # of an estimate, two digits
    unit = 10 ** max(math.floor(math.log10(needed)) - 1, 0)
    return f"{seen}, not shown by {tested}; it would take about {math.ceil(needed / unit) * unit:,}"


def mean_differences(own: Scored, other: Scored) -> list[Difference]:
    """Return that of the mean over data sets of each metric that several of them have.

    The items of each set are resampled by themselves, as for the averages of tables: sets that
    share items make it look more certain than it is.
    """
    differences = []
    for metric in dict.fromkeys(row.metric for row in own[0]):
        pairs = paired_differences(
            *(([r for r in s[0] if r.metric == metric], s[1]) for s in (own, other))
        )
        if len(pairs) < 2:
            continue
        replicates = [_replicates(pair, own, other) for pair in pairs]
        values = np.mean([(pair.value, pair.against) for pair in pairs], axis=0)
        known = [values for values in replicates if values is not None]
        whole = np.mean(known, axis=0) if len(known) == len(pairs) else None
        differences.append(_difference(f"mean of {len(pairs)}", metric, values.tolist(), whole))
    return differences


def _replicates(row: Score | Difference, own: Scored, other: Scored) -> np.ndarray | None:
    key = replicates_key(row.dataset, row.metric)
    if key not in own[1] or key not in other[1]:
        return None
    return own[1][key] - other[1][key]


def _difference(
    dataset: str, metric: str, values: Sequence[float], replicates: np.ndarray | None
) -> Difference:
    value, against = values
    shown = (dataset, metric, value, against, value - against)
    # a resample may have no rank correlation
    if replicates is None or np.isnan(replicates).all():
        return Difference(*shown, None, None, None)
    return Difference(*shown, *percentile_interval(replicates), paired_p_value(replicates))
