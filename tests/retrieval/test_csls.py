"""CSLS against the formula over the whole matrix of cosines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.csls import neighbourhood_means, rank_by_csls


def unit_vectors(generator, n, dimension):
    vectors = generator.normal(size=(n, dimension))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def csls_matrix(queries, sources, targets, neighbours):
    """The oracle: Lample et al. (2018), equation for CSLS, O(n m) in time and memory, float64."""
    queries, sources, targets = (m.astype(np.float64) for m in (queries, sources, targets))
    forward = np.sort(queries @ targets.T, axis=1)[:, -neighbours:].mean(axis=1)
    backward = np.sort(targets @ sources.T, axis=1)[:, -neighbours:].mean(axis=1)
    return 2 * queries @ targets.T - forward[:, None] - backward[None, :]


@given(st.integers(0, 10**6), st.integers(10, 40), st.integers(10, 60), st.integers(2, 16))
@settings(max_examples=40, deadline=None)
def test_csls_equals_the_formula(seed, n_sources, n_targets, dimension):
    generator = np.random.default_rng(seed)
    sources = unit_vectors(generator, n_sources, dimension)
    targets = unit_vectors(generator, n_targets, dimension)
    queries = np.vstack([sources[:3], unit_vectors(generator, 2, dimension)])
    whole = csls_matrix(queries, sources, targets, 10)
    rows, values = rank_by_csls(queries, sources, targets, n_targets)
    np.testing.assert_allclose(values, np.take_along_axis(whole, rows, axis=1), atol=1e-6)
    # Ranks may differ from the formula's only where values are nearer than float32 can tell.
    np.testing.assert_allclose(values, -np.sort(-whole, axis=1), atol=1e-6)
    assert (np.sort(rows, axis=1) == np.arange(n_targets)).all()


def test_backward_mean_is_over_the_whole_source_vocabulary():
    generator = np.random.default_rng(5)
    sources, targets = unit_vectors(generator, 50, 8), unit_vectors(generator, 30, 8)
    few = rank_by_csls(sources[:2], sources, targets, 30)[1]
    np.testing.assert_array_equal(few, rank_by_csls(sources, sources, targets, 30)[1][:2])


def test_a_hub_loses_the_word_it_takes_by_cosine():
    # Target 0 lies between all sources and is the nearest of the third by cosine; the sources'
    # own translations are target 1, 2 and 3.
    sources = np.eye(4)[:3]
    hub = np.array([0.55, 0.55, 0.55, 0.0])
    targets = np.vstack([hub / np.linalg.norm(hub), 0.56 * sources + 0.83 * np.eye(4)[3]])
    targets = (targets / np.linalg.norm(targets, axis=1, keepdims=True)).astype(np.float32)
    assert np.argmax(sources @ targets.T, axis=1).tolist() == [0, 0, 0]
    rows, _ = rank_by_csls(sources, sources, targets, 1, neighbours=2)
    assert rows[:, 0].tolist() == [1, 2, 3]


def test_csls_is_symmetric_in_source_and_target():
    generator = np.random.default_rng(6)
    one, other = unit_vectors(generator, 20, 6), unit_vectors(generator, 20, 6)
    values = []
    for first, second in ((one, other), (other, one)):
        rows, scores = rank_by_csls(first, first, second, 20)
        whole = np.empty((20, 20))
        np.put_along_axis(whole, rows, scores, axis=1)
        values.append(whole)
    np.testing.assert_allclose(values[0], values[1].T, atol=1e-6)


def test_a_vocabulary_against_itself_finds_itself():
    vectors = unit_vectors(np.random.default_rng(7), 40, 12)
    rows, _ = rank_by_csls(vectors, vectors, vectors, 1, neighbours=1)
    assert rows[:, 0].tolist() == list(range(40))


def test_one_neighbour_is_the_largest_cosine():
    generator = np.random.default_rng(8)
    one, other = unit_vectors(generator, 9, 5), unit_vectors(generator, 7, 5)
    np.testing.assert_allclose(
        neighbourhood_means(one, other, 1), (one @ other.T).max(axis=1), atol=1e-6
    )


def test_fewer_words_than_neighbours_is_an_error():
    vectors = unit_vectors(np.random.default_rng(9), 9, 5)
    with pytest.raises(UserError, match="10 neighbours of a vocabulary of 9 words"):
        rank_by_csls(vectors, vectors, vectors, 1)
