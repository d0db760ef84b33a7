"""AUC and ROC curve against scikit-learn and by hand."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.pair_classification import area_under_curve, roc_curve

# Few distinct scores, so that ties are common, or half-precision numbers.
pairs = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.integers(0, 5))
        | arrays(np.float64, n, elements=st.floats(-1, 1, width=16)),
        arrays(np.int64, n, elements=st.integers(0, 1)),
    )
)


def test_the_area_by_hand():
    # Of four pairs of a positive (3, 1) and a negative (2, 1) two are in order and one is a tie.
    assert area_under_curve([3, 1, 2, 1], [1, 1, 0, 0]) == 2.5 / 4


def test_the_curve_by_hand():
    false, true = roc_curve([0.9, 0.4, 0.4, 0.4, 0.1], [1, 1, 0, 0, 0])
    assert false.tolist() == [0, 0, 2 / 3, 1]
    assert true.tolist() == [0, 0.5, 1, 1]


@given(pairs)
@settings(max_examples=200, deadline=None)
def test_area_and_curve_equal_scikit_learn(pair):
    scores, labels = pair
    assume(0 < labels.sum() < len(labels))
    expected = sklearn.metrics.roc_auc_score(labels, scores)
    assert area_under_curve(scores, labels) == pytest.approx(expected, abs=1e-12)
    false, true = roc_curve(scores, labels)
    expected_false, expected_true, _ = sklearn.metrics.roc_curve(
        labels, scores, drop_intermediate=False
    )
    np.testing.assert_allclose(false, expected_false, atol=1e-12)
    np.testing.assert_allclose(true, expected_true, atol=1e-12)
    # The area is that under the very curve.
    assert np.trapezoid(true, false) == pytest.approx(expected, abs=1e-12)


@given(pairs)
@settings(max_examples=50, deadline=None)
def test_the_area_sees_only_the_order(pair):
    scores, labels = pair
    assume(0 < labels.sum() < len(labels))
    area = area_under_curve(scores, labels)
    assert area_under_curve(3 * scores - 7, labels) == pytest.approx(area, abs=1e-12)
    assert area_under_curve(-scores, labels) == pytest.approx(1 - area, abs=1e-12)
    assert area_under_curve(scores, 1 - labels) == pytest.approx(1 - area, abs=1e-12)
    assert area_under_curve(labels, labels) == 1


@pytest.mark.parametrize("function", [area_under_curve, roc_curve])
@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        ([0.1, 0.2], [1, 1], "2 of 2 pairs have label 1"),
        ([0.1, 0.2], [0, 0], "0 of 2 pairs have label 1"),
        ([], [], "0 of 0 pairs have label 1"),
        ([0.1, np.nan], [0, 1], "score 1 is not finite"),
        ([np.inf, 0.1], [0, 1], "score 0 is not finite"),
        ([0.1, 0.2, 0.3], [0, 1, 2], "label 2 is 2, not 0 or 1"),
        ([0.1, 0.2, 0.3], [0, 0.5, 1], "label 1 is 0.5, not 0 or 1"),
        ([0.1, 0.2], ["0", "1"], "label 0 is 0, not 0 or 1"),
    ],
)
def test_undefined_curves_are_errors(function, scores, labels, message):
    with pytest.raises(UserError, match=message):
        function(scores, labels)
