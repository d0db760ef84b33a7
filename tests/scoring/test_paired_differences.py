"""Differences of two encoders by the paired bootstrap, from replicates drawn here."""

import numpy as np
import pytest

from workflow_scripts.scoring.bootstrap_replicates import replicates_key
from workflow_scripts.scoring.paired_differences import mean_differences, paired_differences
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score

IDS = EncoderIds("m", "r", "c", 0)


def scored(**sets):
    """Return rows and replicates of {name: (value, n, replicates or None)}, all of one metric."""
    rows = [Score(*IDS, name, "test", "rho", v, 0, 1, n, 1, {}) for name, (v, n, _) in sets.items()]
    arrays = {replicates_key(name, "rho"): found for name, (_, _, found) in sets.items()}
    return rows, {key: found for key, found in arrays.items() if found is not None}


@pytest.fixture
def drawn():
    """Replicates of two encoders on two data sets, the pairs of a set drawn together."""
    generator = np.random.default_rng(7)
    items = generator.normal(size=(2, 1, 1000))
    return items + generator.normal(size=(2, 2, 1000)) / 4 + [[[0.3], [0.0]]]


def p_by_counting(differences):
    above = sum(1 for d in differences if d >= 0)
    below = sum(1 for d in differences if d <= 0)
    return min(1, 2 * (min(above, below) + 1) / (len(differences) + 1))


def test_interval_and_p_are_of_the_differences_resample_by_resample(drawn):
    own = scored(a=(0.8, 50, drawn[0, 0]), b=(0.6, 40, drawn[1, 0]))
    other = scored(a=(0.5, 50, drawn[0, 1]), b=(0.5, 40, drawn[1, 1]))
    for row, pair in zip(paired_differences(own, other), drawn, strict=True):
        differences = sorted(pair[0] - pair[1])
        assert row.difference == pytest.approx(row.value - row.against)
        # linear between order statistics
        ends = np.interp([0.025 * 999, 0.975 * 999], np.arange(1000), differences)
        assert (row.difference_low, row.difference_high) == pytest.approx(tuple(ends))
        assert row.p_value == p_by_counting(differences)
    (mean,) = mean_differences(own, other)
    assert (mean.dataset, mean.metric) == ("mean of 2", "rho")
    assert (mean.value, mean.against, mean.difference) == pytest.approx((0.7, 0.5, 0.2))
    means = [(a[0][i] - a[1][i] + b[0][i] - b[1][i]) / 2 for a, b in [drawn] for i in range(1000)]
    assert mean.p_value == p_by_counting(means)
    assert mean.difference_low == pytest.approx(np.interp(0.025 * 999, range(1000), sorted(means)))


def test_what_is_not_of_the_same_items_is_not_paired(drawn):
    own = scored(a=(0.8, 50, drawn[0, 0]), b=(0.6, 40, None), c=(0.1, 9, drawn[1, 0]))
    other = scored(a=(0.5, 49, drawn[0, 1]), b=(0.5, 40, None))
    (row,) = paired_differences(own, other)
    assert row[:5] == ("b", "rho", 0.6, 0.5, pytest.approx(0.1))
    assert row[5:] == (None, None, None)
    assert mean_differences(own, other) == []


def test_resamples_without_a_value_are_left_out(drawn):
    undefined = np.full(1000, np.nan)
    partly = np.where(np.arange(1000) < 10, np.nan, drawn[0, 0])
    own = scored(a=(0.8, 50, undefined), b=(0.8, 50, partly))
    other = scored(a=(0.5, 50, drawn[0, 1]), b=(0.5, 50, drawn[0, 1]))
    none, some = paired_differences(own, other)
    assert none.p_value is None
    assert some.p_value == p_by_counting((drawn[0, 0] - drawn[0, 1])[10:])
