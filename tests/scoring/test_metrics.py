"""Metrics against scipy and scikit-learn, also on resamples; cosines of pairs."""

import numpy as np
import pytest
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.roc import roc_curve
from workflow_scripts.scoring.bootstrap import item_counts
from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.metric_names import load_metric
from workflow_scripts.scoring.similarity import cosines_of_pairs
from workflow_scripts.scoring.weighted_metrics import value_of


def metric(name, predicted, gold):
    """A metric as a function of counts."""
    module, number = load_metric(name)
    return module.metric(Predictions(n=len(gold), predicted=predicted, gold=gold), *number)


def value(name, predicted, gold):
    return value_of(metric(name, predicted, gold), len(gold))


# metric: (what another library gives of predicted and gold scores, how close)
ORACLES = {
    "spearman": (lambda a, b: scipy.stats.spearmanr(a, b).statistic, 1e-12),
    "pearson": (lambda a, b: scipy.stats.pearsonr(a, b).statistic, 1e-9),
}
# few distinct values, so that ties are common; and none, as with real cosines
DISTINCT = st.sampled_from([2, 5, 10**9])


@pytest.mark.parametrize("name", ORACLES)
@given(st.integers(0, 10**6), st.integers(2, 30), DISTINCT)
@example(seed=131, n=5, distinct=10**9)
@settings(max_examples=60, deadline=None)
def test_correlations_of_resamples_are_those_of_another_library(name, seed, n, distinct):
    generator = np.random.default_rng(seed)
    first, second = generator.integers(-distinct, distinct, size=(2, n)) / 7
    indices = generator.integers(n, size=(20, n))
    oracle, tolerance = ORACLES[name]
    found = metric(name, first, second)(item_counts(indices))
    for one, items in zip(found, indices, strict=True):
        a, b = first[items], second[items]
        if len(set(a)) == 1 or len(set(b)) == 1:
            assert np.isnan(one)
        else:
            assert one == pytest.approx(oracle(a, b), abs=tolerance)


@given(st.integers(0, 10**6), st.integers(2, 30), DISTINCT)
@settings(max_examples=60, deadline=None)
def test_areas_and_shares_of_resamples_are_those_of_scikit_learn(seed, n, distinct):
    generator = np.random.default_rng(seed)
    scores = generator.integers(-distinct, distinct, size=n) / 7
    labels, indices = generator.integers(2, size=n), generator.integers(n, size=(20, n))
    counts = item_counts(indices)
    for area, items in zip(metric("auc", scores, labels)(counts), indices, strict=True):
        if len(set(labels[items])) == 1:
            assert np.isnan(area)
        else:
            expected = sklearn.metrics.roc_auc_score(labels[items], scores[items])
            assert area == pytest.approx(expected, abs=1e-12)
    shares = metric("accuracy", labels.tolist(), [1] * n)(counts)
    np.testing.assert_allclose(shares, labels[indices].mean(axis=1), atol=1e-12)


def test_large_counts_of_one_item_are_exact():
    # 50,000 items: the sums of products reach 10^13, more than float32 or int32 hold.
    generator = np.random.default_rng(1)
    first = np.round(generator.normal(size=50_000), 2)
    second = np.round(first + generator.normal(size=50_000), 1)
    expected = pytest.approx(scipy.stats.spearmanr(first, second).statistic, abs=1e-12)
    assert value("spearman", first, second) == expected


@given(
    st.integers(2, 40).flatmap(
        lambda n: st.tuples(
            arrays(np.float64, n, elements=st.integers(0, 5))
            | arrays(np.float64, n, elements=st.floats(-1, 1, width=16)),
            arrays(np.int64, n, elements=st.integers(0, 1)),
        )
    )
)
@settings(deadline=None)
def test_the_area_is_that_under_the_curve_of_scikit_learn(row):
    scores, labels = row
    assume(0 < labels.sum() < len(labels))
    curve = roc_curve(scores, labels)
    theirs = sklearn.metrics.roc_curve(labels, scores, drop_intermediate=False)
    np.testing.assert_allclose(curve, theirs[:2], atol=1e-12)
    area = value("auc", scores, labels)
    assert area == pytest.approx(np.trapezoid(curve[1], curve[0]), abs=1e-12)


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
    vectors = np.outer(np.linspace(0.3, 7, 12), [0.3, 0.7, 0.1, 0.9]).astype(np.float32)
    assert len(set(cosines_of_pairs(vectors, range(6), range(6, 12)))) == 1
    vectors[0] += np.float32(0.01)
    assert len(set(cosines_of_pairs(vectors, range(6), range(6, 12)))) > 1
