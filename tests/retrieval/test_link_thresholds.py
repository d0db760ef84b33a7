"""Precision and coverage by threshold, against scikit-learn's and a plain count."""

import random

import pytest
from sklearn.metrics import precision_recall_curve

from workflow_scripts.retrieval.link_thresholds import (
    ThresholdPoint,
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


def test_lines_show_coverages():
    points = threshold_points(SCORES, RIGHT, 6)
    assert threshold_lines(points) == [
        "threshold  precision  coverage",
        " 0.800000     0.6667    0.5000",
        " 0.200000     0.6000    0.8333",
    ]
