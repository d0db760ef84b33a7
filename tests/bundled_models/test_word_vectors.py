"""Counts, mutual information and their reduction, against direct loops and a full decomposition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import normalize

from bundled_models import train_word_vectors
from bundled_models.settings import WordVectorSettings
from bundled_models.train_word_vectors import count_neighbours, make_vectors

VOCABULARY = 7


def sentences_of(lists):
    return [np.array(ids, dtype=np.int32) for ids in lists]


@given(
    st.lists(st.lists(st.integers(0, VOCABULARY - 1), max_size=9), min_size=1, max_size=6),
    st.integers(1, 5),
    st.integers(1, 30),
)
def test_neighbours_are_counted_as_by_two_loops(lists, window, tokens_at_once):
    expected = np.zeros((VOCABULARY, VOCABULARY))
    for ids in lists:
        for here, a in enumerate(ids):
            for there, b in enumerate(ids):
                if 0 < abs(here - there) <= window:
                    expected[a, b] += (window - abs(here - there) + 1) / window
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(train_word_vectors, "_TOKENS_AT_ONCE", tokens_at_once)
        counts = count_neighbours(sentences_of(lists), VOCABULARY, window)
    np.testing.assert_allclose(counts.toarray(), expected, atol=1e-12)


def test_mutual_information_of_a_hand_computed_table():
    counts = sparse.csr_matrix([[0.0, 4.0], [4.0, 8.0]])
    # Columns to the power .5: 2 and sqrt(12), together 5.4641. The third entry is below 0.
    total = 2 + math.sqrt(12)
    second = math.log(4 * total / (4 * math.sqrt(12)))
    expected = [[0.0, second], [0.0, math.log(8 * total / (12 * math.sqrt(12)))]]
    found = train_word_vectors.positive_mutual_information(counts, 0.5)
    np.testing.assert_allclose(found.toarray(), expected)


def random_text(seed, pieces):
    generator = np.random.default_rng(seed)
    weights = 1.0 / np.arange(1, pieces + 1)
    return list(generator.choice(pieces, size=(300, 8), p=weights / weights.sum()))


def test_vectors_have_the_angles_of_the_left_singular_vectors():
    text = random_text(1, 20)
    vectors = make_vectors(text, 22, 6, WordVectorSettings(window=3))
    counts = count_neighbours(text, 22, 3)
    information = train_word_vectors.positive_mutual_information(counts, 0.75).toarray()
    left = np.linalg.svd(information[:20, :20])[0][:, :6]
    left = normalize(left - left.mean(axis=0))
    np.testing.assert_allclose(vectors[:20] @ vectors[:20].T, left @ left.T, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1.0] * 20 + [0.0] * 2)
    assert (make_vectors(text, 22, 6, WordVectorSettings(window=3)) == vectors).all()


def test_languages_are_turned_to_one_another_by_shared_pieces():
    generator = np.random.default_rng(4)
    hub = normalize(generator.normal(size=(40, 5)))
    rotation = np.linalg.qr(generator.normal(size=(5, 5)))[0]
    counts = {name: np.full(40, 50) for name in ("big", "small")}
    counts["big"][30:] = 0  # pieces of the small language alone
    counts["small"][:10] = 0  # and of the big one
    counts["small"][10:12] = 3  # shared, but too rare to align by
    vectors = {"big": hub.copy(), "small": hub @ rotation}
    vectors["big"][30:] = 0.0
    vectors["small"][:10] = 0.0
    vectors["small"][10:12] = normalize(generator.normal(size=(2, 5)))
    counts["big"] *= 9
    joined = train_word_vectors.join_languages(vectors, counts, shared=20)
    # Both are images of one matrix, so the small one is mapped onto the big one.
    np.testing.assert_allclose(joined[:10], hub[:10], atol=1e-9)
    np.testing.assert_allclose(joined[12:], hub[12:], atol=1e-9)
    # A shared piece is the mean, weighted by its share of each language's text.
    share = {name: counts[name][10] / counts[name].sum() for name in counts}
    mixed = share["big"] * hub[10] + share["small"] * (vectors["small"][10] @ rotation.T)
    np.testing.assert_allclose(joined[10], mixed / np.linalg.norm(mixed), atol=1e-9)


def test_absent_pieces_get_random_rows_of_the_same_length():
    vectors = normalize(np.random.default_rng(1).normal(size=(6, 4)))
    vectors[[2, 5]] = 0.0
    matrix = train_word_vectors.complete_matrix(vectors, 0.05, np.random.default_rng(3))
    assert matrix.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(matrix, axis=1), 0.05 * 2, rtol=1e-5)
    np.testing.assert_allclose(matrix[[0, 1, 3, 4]], vectors[[0, 1, 3, 4]] * 0.1, rtol=1e-5)
    assert len(np.unique(matrix.round(6), axis=0)) == 6


def test_a_text_of_few_pieces_has_fewer_units():
    vectors = make_vectors(random_text(1, 5), 9, 8, WordVectorSettings())
    np.testing.assert_allclose(np.linalg.norm(vectors[:5], axis=1), 1.0)
    assert not vectors[5:].any()
    assert not vectors[:, 4:].any()
    assert not make_vectors(sentences_of([[3]]), 9, 8, WordVectorSettings()).any()
