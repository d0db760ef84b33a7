"""Cosines against scipy, Spearman's correlation against pandas and by hand."""

import numpy as np
import pandas as pd
import pytest
import scipy.spatial.distance
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.similarity import cosines_of_pairs, spearman

# Few distinct values, so that ties are common.
scores = st.integers(2, 40).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=st.integers(0, 6)),
        arrays(np.float64, n, elements=st.floats(-1, 1, width=16)),
    )
)


def test_spearman_by_hand_with_ties():
    # Ranks 1.5 1.5 3 4 and 1 2 3.5 3.5: deviations (-1 -1 .5 1.5) and (-1.5 -.5 1 1), whose
    # product sums to 4 and squares to 4.5 each.
    assert spearman([1, 1, 2, 3], [5, 6, 7, 7]) == pytest.approx(4 / 4.5, abs=1e-12)


@given(scores)
@settings(max_examples=200, deadline=None)
def test_spearman_equals_that_of_pandas(pair):
    first, second = pair
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    # a data frame's own implementation; that of a series would be scipy's
    expected = pd.DataFrame({"a": first, "b": second}).corr(method="spearman").loc["a", "b"]
    assert spearman(first, second) == pytest.approx(expected, abs=1e-12)


@given(scores)
@settings(max_examples=50, deadline=None)
def test_spearman_sees_only_the_order(pair):
    first, second = pair
    assume(len(set(first)) > 1 and len(set(second)) > 1)
    value = spearman(first, second)
    assert spearman(second, first) == pytest.approx(value, abs=1e-12)
    assert spearman(np.exp(first) * 3 - 7, second) == pytest.approx(value, abs=1e-12)
    assert spearman(-first, second) == pytest.approx(-value, abs=1e-12)
    assert spearman(first, first) == pytest.approx(1)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 1, 1], [1, 2, 3], "all predicted scores are 1"),
        ([1, 2, 3], [4, 4, 4], "all gold scores are 4"),
        ([1, np.nan], [1, 2], "predicted score 1 is not finite"),
        ([1, 2], [np.inf, 2], "gold score 0 is not finite"),
        ([1], [2], "of 1 pairs"),
        ([], [], "of 0 pairs"),
    ],
)
def test_undefined_correlations_are_errors(first, second, message):
    with pytest.raises(UserError, match=message):
        spearman(first, second)


def test_cosines_equal_scipy_row_by_row():
    generator = np.random.default_rng(0)
    left, right = generator.normal(size=(2, 20, 7)).astype(np.float32)
    expected = [
        1 - scipy.spatial.distance.cosine(a.astype(float), b.astype(float))
        for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(cosines_of_pairs(left, right), expected, atol=1e-12)


@pytest.mark.parametrize("wrong", [0, np.nan, np.inf])
def test_a_pair_without_a_cosine_is_named(wrong):
    left = np.ones((3, 2))
    right = left.copy()
    right[2] = wrong
    with pytest.raises(UserError, match="pair 2: a vector is zero or not finite"):
        cosines_of_pairs(left, right)
