"""What shorter vectors lose, against plain loops."""

import numpy as np
import pytest

from workflow_scripts.retrieval.vector_loss import neighbour_recall, recall_line, split_strings


@pytest.mark.parametrize("cosine", [True, False])
def test_recall_is_the_share_of_the_nearest_that_shorter_vectors_find(cosine):
    generator = np.random.default_rng(5)
    queries, searched = (generator.normal(size=(n, 12)).astype(np.float32) for n in (30, 200))
    searched *= generator.uniform(0.5, 2, size=(200, 1)).astype(np.float32)

    def nearest(units):
        own, others = queries[:, :units].astype(float), searched[:, :units].astype(float)
        if cosine:
            own, others = (m / np.linalg.norm(m, axis=1, keepdims=True) for m in (own, others))
        return [set(row) for row in np.argsort(-(own @ others.T), axis=1)[:, :4]]

    expected = np.mean([len(a & b) / 4 for a, b in zip(nearest(12), nearest(5), strict=True)])
    whole, cut = (queries, searched), (queries[:, :5], searched[:, :5])
    assert neighbour_recall(whole, cut, 4, cosine=cosine) == pytest.approx(expected)
    assert 0.1 < expected < 0.9
    assert neighbour_recall(whole, whole, 4, cosine=cosine) == 1


def test_a_line_says_of_how_many():
    whole = np.eye(3, 4, dtype=np.float32), np.ones((6, 4), dtype=np.float32)
    shown = recall_line("dimensions 2 of 4", whole, [part[:, :2] for part in whole])
    assert shown == (
        "dimensions 2 of 4: recall@6 1.0000 of the neighbours by whole vectors, of 3 queries among "
        "6 strings"
    )
    assert "too few strings" in recall_line("x", (whole[0], whole[1][:0]), whole)


def test_no_string_is_searched_with_and_in():
    strings = [str(number) for number in range(1000)]
    asked, others = split_strings([*strings, "7", "7"])
    assert len(asked) == 200 and sorted(asked + others) == sorted(strings)
    assert split_strings(["a", "a"]) == (["a"], [])
    assert split_strings(["a", "b", "c"]) == (["a", "c"], ["b"])
