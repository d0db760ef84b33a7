"""Precision and coverage of links by the score that a mention needs at least to be linked."""

from collections.abc import Sequence
from typing import NamedTuple

# shares of the mentions at which precision is shown
_COVERAGES = (1.0, 0.9, 0.75, 0.5, 0.25)


class ThresholdPoint(NamedTuple):
    """What is linked at a threshold: `precision` of the links, `coverage` of all mentions."""

    threshold: float
    precision: float
    coverage: float


def threshold_points(
    scores: Sequence[float], right: Sequence[bool], mentions: int
) -> list[ThresholdPoint]:
    """Return a point for each different score, from the highest on.

    `scores` are those of the best ids of the linked ones of `mentions`, `right` whether that id is
    right. A threshold takes all mentions of its score or none.
    """
    points: list[ThresholdPoint] = []
    order = sorted(zip(scores, right, strict=True), reverse=True)
    hits = 0
    for number, (score, is_right) in enumerate(order, start=1):
        hits += is_right
        if number == len(order) or order[number][0] != score:
            points.append(ThresholdPoint(score, hits / number, number / mentions))
    return points


def share_interval(hits: int, number: int) -> tuple[float, float]:
    """Return the 95% interval of the share `hits` of a number (Wilson's)."""
    # Only now: scipy takes a while, and most runs do not need it.
    from scipy.stats import binomtest

    ends = binomtest(hits, number).proportion_ci(method="wilson")
    return ends.low, ends.high


def threshold_lines(points: Sequence[ThresholdPoint]) -> list[str]:
    """Return lines that show precision by coverage."""
    lines = ["threshold  precision  coverage"]
    shown: list[ThresholdPoint] = []
    for coverage in sorted(_COVERAGES):
        reached = [point for point in points if point.coverage >= coverage] or points[-1:]
        if reached[0] not in shown:
            shown.append(reached[0])
    return [*lines, *(f"{t:9.6f}  {p:9.4f}  {c:8.4f}" for t, p, c in shown)]
