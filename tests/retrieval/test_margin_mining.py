"""Margin mining against the formulas written plainly (Artetxe and Schwenk 2019, section 3)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.margin_mining import MARGINS, mine_pairs
from workflow_scripts.retrieval.suite_files import normalise

FORMULAS = {
    "absolute": lambda a, b: a,
    "distance": lambda a, b: a - b,
    "ratio": lambda a, b: a / b,
}


def plainly_mined(sources, targets, k, margin):
    """The oracle, by loops: the best candidate of each side, then greedily one to one."""
    cosines = (sources[:, None].astype(np.float64) * targets[None].astype(np.float64)).sum(-1)
    near_of_source = [np.argsort(-row, kind="stable")[:k] for row in cosines]
    near_of_target = [np.argsort(-row, kind="stable")[:k] for row in cosines.T]

    def score(x, y):
        b = sum(cosines[x, z] / (2 * k) for z in near_of_source[x])
        b += sum(cosines[z, y] / (2 * k) for z in near_of_target[y])
        return FORMULAS[margin](cosines[x, y], b)

    candidates = set()
    for x, near in enumerate(near_of_source):
        candidates.add(min((-score(x, y), x, int(y)) for y in near))
    for y, near in enumerate(near_of_target):
        candidates.add(min((-score(x, y), int(x), y) for x in near))
    pairs, used = [], (set(), set())
    for negative, x, y in sorted(candidates):
        if x not in used[0] and y not in used[1]:
            pairs.append((x, y, -negative))
            used[0].add(x)
            used[1].add(y)
    return pairs


def as_tuples(found):
    return list(zip(*(part.tolist() for part in found), strict=True))


# Small whole numbers over zero, powers of two of neighbours: all but the ratio is exact, and equal
# ratios are of equal numbers.
sides = st.integers(1, 3).flatmap(
    lambda dimension: st.tuples(
        *[
            st.integers(1, 15).flatmap(
                lambda n: arrays(np.float32, (n, dimension), elements=st.integers(1, 3))
            )
        ]
        * 2
    )
)


@given(sides, st.sampled_from([1, 2, 4]), st.sampled_from(MARGINS))
@settings(max_examples=200, deadline=None)
def test_pairs_equal_the_plain_formulas_ties_included(pair, k, margin):
    if k > min(map(len, pair)):
        with pytest.raises(UserError, match=f"{k} neighbours of"):
            mine_pairs(*pair, k, margin)
        return
    assert as_tuples(mine_pairs(*pair, k, margin)) == plainly_mined(*pair, k, margin)


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("k", [1, 3, 4])
def test_pairs_of_real_valued_vectors(k, margin):
    generator = np.random.default_rng(0)
    sources = generator.normal(size=(120, 16))
    targets = np.vstack([sources[20:90], generator.normal(size=(60, 16))])
    targets += 0.6 * generator.normal(size=targets.shape)
    sources, targets = normalise(sources, "sources"), normalise(targets, "targets")
    found = as_tuples(mine_pairs(sources, targets, k, margin))
    expected = plainly_mined(sources, targets, k, margin)
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
    scores = [[pair[2] for pair in pairs] for pairs in (found, expected)]
    np.testing.assert_allclose(*scores, rtol=1e-9)
    assert sum(x - 20 == y for x, y, _ in found) > 60


def test_a_ratio_to_a_mean_that_is_not_positive_is_refused():
    sources, targets = np.array([[1, 0], [0, 1]]), np.array([[-1, -1], [-1, 0]])
    with pytest.raises(UserError, match=r"margin ratio: .*--margin distance"):
        mine_pairs(sources, targets, 2, "ratio")
    assert len(mine_pairs(sources, targets, 2, "distance").scores) == 2
    # a mean of 0 gives no ratio either
    with pytest.raises(UserError, match=r"a mean cosine of 0\.000"):
        mine_pairs(np.eye(2)[:1], np.eye(2)[1:], 1, "ratio")
