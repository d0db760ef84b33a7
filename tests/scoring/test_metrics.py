"""Metrics against scipy, scikit-learn and pandas, also on resamples; cosines of pairs."""

import numpy as np
import pandas as pd
import pytest
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.roc import roc_curve
from workflow_scripts.scoring import weighted_metrics as metrics
from workflow_scripts.scoring.bootstrap import item_counts
from workflow_scripts.scoring.similarity import cosines_of_pairs


def area_under_curve(scores, labels):
    area = metrics.auc_metric(np.asarray(scores), np.asarray(labels))
    return metrics.value_of(area, len(scores))


# Few distinct values, so that ties are common; and none, as with real cosines.
values = st.sampled_from([2, 5, 10**9])
seeds = st.integers(0, 10**6)
# The same for rows of hypothesis' own: few distinct numbers, or half-precision ones.
rows = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.integers(0, 5))
        | arrays(np.float64, n, elements=st.floats(-1, 1, width=16)),
        arrays(np.int64, n, elements=st.integers(0, 1)),
        arrays(np.float64, n, elements=st.integers(0, 6)),
    )
)


def drawn(seed, n, distinct):
    """Two rows of n values and 20 resamples of n items, as indices."""
    generator = np.random.default_rng(seed)
    first, second = generator.integers(-distinct, distinct, size=(2, n)) / 7
    return first, second, generator.integers(n, size=(20, n))


@given(seeds, st.integers(2, 30), values)
@example(seed=131, n=5, distinct=10**9)
@settings(max_examples=60, deadline=None)
def test_metrics_of_a_resample_equal_scipy_and_scikit_learn(seed, n, distinct):
    first, second, indices = drawn(seed, n, distinct)
    labels, counts = (second > 0).astype(int), item_counts(indices)
    correlations = metrics.spearman_metric(first, second)(counts)
    areas = metrics.auc_metric(first, labels)(counts)
    linear = metrics.pearson_metric(first, second)(counts)
    for correlation, area, own, items in zip(correlations, areas, linear, indices, strict=True):
        a, b, known = first[items], second[items], labels[items]
        if len(set(a)) == 1 or len(set(b)) == 1:
            assert np.isnan(correlation)
            assert np.isnan(own)
        else:
            assert correlation == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)
            assert own == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-9)
        if len(set(known)) == 1:
            assert np.isnan(area)
        else:
            assert area == pytest.approx(sklearn.metrics.roc_auc_score(known, a), abs=1e-12)
    shares = metrics.accuracy_metric(labels.tolist())(counts)
    np.testing.assert_allclose(shares, labels[indices].mean(axis=1), atol=1e-12)


def test_metrics_by_hand():
    assert metrics.value_of(metrics.accuracy_metric([True, False, False, True]), 4) == 0.5
    # Ranks 1 2 3 4 and 2 1 3 4: squared differences sum to 2, so 1 - 6 * 2 / (4 * 15).
    assert metrics.value_of(metrics.spearman_metric(np.arange(4), np.array([1, 0, 2, 3])), 4) == 0.8
    # Ranks 1.5 1.5 3 4 and 1 2 3.5 3.5: deviations (-1 -1 .5 1.5) and (-1.5 -.5 1 1), whose
    # product sums to 4 and squares to 4.5 each.
    tied = metrics.spearman_metric(np.array([1, 1, 2, 3]), np.array([5, 6, 7, 7]))
    assert metrics.value_of(tied, 4) == pytest.approx(4 / 4.5, abs=1e-12)
    # Of four pairs of a positive (3, 1) and a negative (2, 1) two are in order and one is a tie.
    assert area_under_curve([3, 1, 2, 1], [1, 1, 0, 0]) == 2.5 / 4
    false, true = roc_curve([0.9, 0.4, 0.4, 0.4, 0.1], [1, 1, 0, 0, 0])
    assert (false.tolist(), true.tolist()) == ([0, 0, 2 / 3, 1], [0, 0.5, 1, 1])


def test_large_counts_of_one_item_are_exact():
    # 50,000 items: the sums of products reach 10^13, more than float32 or int32 hold.
    generator = np.random.default_rng(1)
    first = np.round(generator.normal(size=50_000), 2)
    second = np.round(first + generator.normal(size=50_000), 1)
    expected = pytest.approx(scipy.stats.spearmanr(first, second).statistic, abs=1e-12)
    assert metrics.value_of(metrics.spearman_metric(first, second), 50_000) == expected


@given(rows)
@settings(max_examples=200, deadline=None)
def test_spearman_equals_that_of_pandas_and_sees_only_the_order(row):
    second, _, first = row
    assume(len(set(first)) > 1 and len(set(second)) > 1)

    def spearman(one, other):
        return metrics.value_of(metrics.spearman_metric(one, other), len(one))

    # a data frame's own implementation; that of a series would be scipy's
    value = pd.DataFrame({"a": first, "b": second}).corr(method="spearman").loc["a", "b"]
    for one, other in ((first, second), (second, first), (np.exp(first) * 3 - 7, second)):
        assert spearman(one, other) == pytest.approx(value, abs=1e-12)
    assert spearman(-first, second) == pytest.approx(-value, abs=1e-12)
    assert spearman(first, first) == pytest.approx(1)


@given(rows)
@settings(max_examples=200, deadline=None)
def test_area_and_curve_equal_scikit_learn(row):
    scores, labels, _ = row
    assume(0 < labels.sum() < len(labels))
    expected = pytest.approx(sklearn.metrics.roc_auc_score(labels, scores), abs=1e-12)
    assert area_under_curve(scores, labels) == expected
    curve = roc_curve(scores, labels)
    theirs = sklearn.metrics.roc_curve(labels, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve, theirs[:2], atol=1e-12)
    # The area is that under the very curve.
    assert np.trapezoid(curve[1], curve[0]) == expected
    # It sees only the order.
    assert area_under_curve(3 * scores - 7, labels) == expected
    assert 1 - area_under_curve(-scores, labels) == expected
    assert 1 - area_under_curve(scores, 1 - labels) == expected


def test_cosines_equal_scipy_row_by_row_and_a_pair_without_one_is_named():
    vectors = np.random.default_rng(0).normal(size=(40, 7)).astype(np.float32)
    left, right = list(range(20)), list(range(39, 19, -1))
    expected = [
        1 - scipy.spatial.distance.cosine(vectors[a].astype(float), vectors[b].astype(float))
        for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(cosines_of_pairs(vectors, left, right), expected, atol=1e-12)
    vectors[3] = 0
    with pytest.raises(UserError, match="pair 2: a vector is zero or not finite"):
        cosines_of_pairs(vectors, [0, 1, 2], [1, 0, 3])


def test_cosines_of_vectors_of_one_direction_are_equal():
    # of an encoder that collapsed: rounding alone would rank its pairs
    lengths = np.linspace(0.3, 7, 12)
    vectors = np.outer(lengths, [0.3, 0.7, 0.1, 0.9]).astype(np.float32)
    assert len(set(cosines_of_pairs(vectors, range(6), range(6, 12)))) == 1
    assert len(set(cosines_of_pairs(-vectors, range(6), range(6, 12)))) == 1
    vectors[0] += np.float32(0.01)
    assert len(set(cosines_of_pairs(vectors, range(6), range(6, 12)))) > 1
