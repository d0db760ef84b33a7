"""Bitext retrieval, against cosines and accuracies worked out one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.scoring import nearest_translations
from workflow_scripts.scoring.measurement import measure_dataset
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tidy_scores import EncoderIds

METRICS = metrics_of("bitext-retrieval")
NOTHING_DROPPED = {"task": "bitext-retrieval", "split": "test", "dropped": {}}


def measured(vectors, left, right):
    entry = {"dataset": "tatoeba-xx", **NOTHING_DROPPED, "left": left, "right": right}
    return measure_dataset(EncoderIds("m", "r", "c", 0), entry, vectors, METRICS)


def plainly(left, right):
    """The oracle: accuracy of rows of `left` among those of `right`; of equals the first counts."""
    hits = 0
    for row, one in enumerate(left):
        cosines = [one @ other / np.sqrt((one @ one) * (other @ other)) for other in right]
        hits += max(range(len(right)), key=lambda at: (round(cosines[at], 12), -at)) == row
    return hits / len(left)


def plainly_without_component(vectors):
    c = np.linalg.svd(vectors, full_matrices=False)[2][0]
    return np.array([e - (e @ c) * c for e in vectors])


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(3, 40), st.sampled_from([1, 3, 512]))
def test_the_four_accuracies_are_those_of_the_definition(seed, n, rows_at_once):
    generator = np.random.default_rng(seed)
    meaning = generator.normal(size=(n, 8))
    noise = generator.normal(size=(2, n, 8)) + 3 * generator.normal(size=(2, 1, 8))
    vectors = (meaning + noise).reshape(2 * n, 8).astype(np.float32)
    left, right = vectors.astype(np.float64).reshape(2, n, 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_translations, "_ROWS_AT_ONCE", rows_at_once)
        found = measured(vectors, list(range(n)), list(range(n, 2 * n)))
    assert tuple(found.values) == METRICS and (found.n, found.coverage) == (n, 1)
    without = [plainly_without_component(side) for side in (left, right)]
    pairs = [(left, right), (right, left), tuple(without), tuple(without[::-1])]
    assert list(found.values.values()) == [plainly(*pair) for pair in pairs]


def test_of_equal_vectors_the_first_counts_as_found():
    a, b, c = np.random.default_rng(0).normal(size=(3, 5))
    vectors = np.array([a, b, b + 0.1 * c, a, b, b], dtype=np.float32)
    # the translation of the last two is the same: one string in two rows, or two equal vectors
    for right in ([3, 4, 5], [3, 4, 4]):
        found = measured(vectors, [0, 1, 2], right).values
        assert found["accuracy"] == found["accuracy_from_english"] == pytest.approx(2 / 3)
        # and it is found in its first row, whichever sentence that belongs to
        found = measured(vectors, [0, 2, 1], right).values
        assert found["accuracy"] == pytest.approx(2 / 3)
        assert found["accuracy_from_english"] == pytest.approx(2 / 3)
    # all sentences twice: the first copy is right, the second is a miss, however products round
    side = np.random.default_rng(1).normal(size=(301, 64)).astype(np.float32)
    vectors = np.tile(side, (4, 1))
    found = measured(vectors, list(range(602)), list(range(602, 1204))).values
    assert list(found.values()) == [0.5] * 4


def test_vectors_without_a_nearest_one_are_refused():
    vectors = np.random.default_rng(3).normal(size=(6, 4)).astype(np.float32)
    vectors[4] = 0
    with pytest.raises(UserError, match="row 4 is a zero vector"):
        measured(vectors, [0, 1, 2], [3, 4, 5])
    with pytest.raises(UserError, match="they span no further directions"):
        measured(np.ones((6, 4), dtype=np.float32), [0, 1, 2], [3, 4, 5])
