"""Precision and coverage by threshold, against scikit-learn's and a plain count."""

import random

import pytest
from sklearn.metrics import precision_recall_curve

from workflow_scripts.retrieval.link_thresholds import (
    ThresholdPoint,
    lowest_threshold,
    share_interval,
    threshold_lines,
    threshold_points,
)

SCORES = [0.9, 0.8, 0.8, 0.7, 0.2]
RIGHT = [True, True, False, True, False]


def test_points_of_a_small_case():
    """Six mentions, one of which is not linked whatever the threshold."""
    assert threshold_points(SCORES, RIGHT, 6) == [
        ThresholdPoint(0.9, 1.0, 1 / 6),
        ThresholdPoint(0.8, 2 / 3, 3 / 6),
        ThresholdPoint(0.7, 3 / 4, 4 / 6),
        ThresholdPoint(0.2, 3 / 5, 5 / 6),
    ]


def test_points_are_those_of_scikit_learn():
    draw = random.Random(3)
    scores = [round(draw.random(), 2) for _ in range(200)]
    right = [draw.random() < score for score in scores]
    points = threshold_points(scores, right, 200)
    precision, _, thresholds = precision_recall_curve(right, scores)
    expected = dict(zip(thresholds.tolist(), precision.tolist(), strict=False))
    # theirs leaves out thresholds below that of the last right one
    assert {p.threshold: pytest.approx(p.precision) for p in points}.items() >= expected.items()
    for point in points:
        assert point.coverage == sum(score >= point.threshold for score in scores) / 200


def test_the_threshold_of_a_precision_takes_the_most_mentions():
    points = threshold_points(SCORES, RIGHT, 6)
    assert lowest_threshold(points, 0.7) == points[2]
    assert lowest_threshold(points, 1.0) == points[0]
    assert lowest_threshold(points[1:], 0.9) is None


def test_lines_show_coverages():
    points = threshold_points(SCORES, RIGHT, 6)
    assert threshold_lines(points) == [
        "threshold  precision  coverage",
        " 0.800000     0.6667    0.5000",
        " 0.200000     0.6000    0.8333",
    ]


def test_the_interval_of_a_share_is_wilson_s():
    # by hand: 8 of 10 with z = 1.96
    assert share_interval(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
