"""Metrics of counts against scipy and scikit-learn on the resample that the counts stand for."""

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.scoring.bootstrap import item_counts
from workflow_scripts.scoring.counted_metrics import (
    accuracy_metric,
    auc_metric,
    spearman_metric,
    value_of,
)

# Few distinct values, so that ties are common; and none, as with real cosines.
values = st.sampled_from([2, 5, 10**9])


def drawn(seed, n, distinct):
    """Two rows of n values and 20 resamples of n items, as indices."""
    generator = np.random.default_rng(seed)
    first, second = generator.integers(-distinct, distinct, size=(2, n)) / 7
    return first, second, generator.integers(n, size=(20, n))


@given(st.integers(0, 10**6), st.integers(2, 30), values)
@settings(max_examples=60, deadline=None)
def test_spearman_of_a_resample_equals_scipy(seed, n, distinct):
    first, second, indices = drawn(seed, n, distinct)
    found = spearman_metric(first, second)(item_counts(indices))
    for row, items in zip(found, indices, strict=True):
        a, b = first[items], second[items]
        if len(set(a)) == 1 or len(set(b)) == 1:
            assert np.isnan(row)
        else:
            assert row == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 30), values)
@settings(max_examples=60, deadline=None)
def test_auc_of_a_resample_equals_scikit_learn(seed, n, distinct):
    scores, others, indices = drawn(seed, n, distinct)
    labels = (others > 0).astype(int)
    found = auc_metric(scores, labels)(item_counts(indices))
    for row, items in zip(found, indices, strict=True):
        if len(set(labels[items])) == 1:
            assert np.isnan(row)
        else:
            expected = sklearn.metrics.roc_auc_score(labels[items], scores[items])
            assert row == pytest.approx(expected, abs=1e-12)


@given(st.integers(0, 10**6), st.integers(1, 30))
@settings(max_examples=30, deadline=None)
def test_accuracy_of_a_resample_is_the_share_of_its_hits(seed, n):
    generator = np.random.default_rng(seed)
    hits, indices = generator.random(n) < 0.5, generator.integers(n, size=(20, n))
    found = accuracy_metric(hits.tolist())(item_counts(indices))
    np.testing.assert_allclose(found, hits[indices].mean(axis=1), atol=1e-12)


def test_an_unresampled_metric_counts_each_item_once():
    assert value_of(accuracy_metric([True, False, False, True]), 4) == 0.5
    # Ranks 1 2 3 4 and 2 1 3 4: squared differences sum to 2, so 1 - 6 * 2 / (4 * 15).
    assert value_of(spearman_metric(np.arange(4), np.array([1, 0, 2, 3])), 4) == 0.8
    # Of the two pairs of a positive and a negative one is in order, one a tie.
    assert value_of(auc_metric(np.array([1, 0, 1]), np.array([1, 0, 0])), 3) == 0.75


def test_large_counts_of_one_item_are_exact():
    # 50,000 items: the sums of products reach 10^13, more than float32 or int32 hold.
    generator = np.random.default_rng(1)
    first = np.round(generator.normal(size=50_000), 2)
    second = np.round(first + generator.normal(size=50_000), 1)
    expected = scipy.stats.spearmanr(first, second).statistic
    assert value_of(spearman_metric(first, second), 50_000) == pytest.approx(expected, abs=1e-12)
