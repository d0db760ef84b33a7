"""Maps between languages against scipy and a step-by-step reference."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.mapping import (
    centre_on_vocabulary,
    learn_orthogonal,
    learn_supervised,
)

seeds = st.integers(0, 10**6)


def noisy_pair(seed, entries, dimension, noise=0.3):
    """Vectors, and a noisy rotation of them."""
    generator = np.random.default_rng(seed)
    source = generator.normal(size=(entries, dimension))
    rotation = np.linalg.qr(generator.normal(size=(dimension, dimension)))[0]
    return source, source @ rotation + noise * generator.normal(size=source.shape), rotation


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def supervised_step_by_step(source, target):
    """The oracle: the steps of Artetxe et al. (2018) one after another on the dictionary itself."""
    x, z = source.copy(), target.copy()
    # 1 whitening: symmetric inverse root of the Gram matrix of the dimensions
    x_root = scipy.linalg.sqrtm(x.T @ x).real
    z_root = scipy.linalg.sqrtm(z.T @ z).real
    x, z = x @ np.linalg.inv(x_root), z @ np.linalg.inv(z_root)
    np.testing.assert_allclose(x.T @ x, np.eye(x.shape[1]), atol=1e-8)
    # 2 orthogonal map
    u, s, vt = scipy.linalg.svd(x.T @ z)
    x, z = x @ u, z @ vt.T
    np.testing.assert_allclose(x.T @ z, np.diag(s), atol=1e-8)
    # 3 re-weighting
    x, z = x @ np.diag(np.sqrt(s)), z @ np.diag(np.sqrt(s))
    # 4 de-whitening, each side with itself
    return x @ u.T @ x_root @ u, z @ vt @ z_root @ vt.T


@given(seeds, st.integers(2, 12), st.integers(0, 20))
@settings(max_examples=30, deadline=None)
def test_orthogonal_equals_scipy(seed, dimension, more):
    source, target, _ = noisy_pair(seed, dimension + more, dimension)
    expected, _ = scipy.linalg.orthogonal_procrustes(source, target)
    mapping = learn_orthogonal(source, target)
    np.testing.assert_allclose(mapping.source, expected, atol=1e-6)
    np.testing.assert_array_equal(mapping.target, np.eye(dimension))


@given(seeds, st.integers(2, 10))
@settings(max_examples=30, deadline=None)
def test_orthogonal_finds_a_rotation_exactly(seed, dimension):
    source, target, rotation = noisy_pair(seed, 3 * dimension, dimension, noise=0)
    np.testing.assert_allclose(learn_orthogonal(source, target).source, rotation, atol=1e-9)


@given(seeds, st.integers(2, 10))
@settings(max_examples=30, deadline=None)
def test_supervised_equals_the_steps(seed, dimension):
    source, target, _ = noisy_pair(seed, 4 * dimension, dimension)
    mapping = learn_supervised(source, target)
    expected_source, expected_target = supervised_step_by_step(source, target)
    # The axes of the shared space are fixed up to their signs: compare what retrieval sees.
    np.testing.assert_allclose(
        source @ mapping.source @ (target @ mapping.target).T,
        expected_source @ expected_target.T,
        atol=1e-6,
    )
    for found, expected in (
        (source @ mapping.source, expected_source),
        (target @ mapping.target, expected_target),
    ):
        np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


@given(seeds, st.integers(2, 10))
@settings(max_examples=30, deadline=None)
def test_supervised_maps_a_rotated_language_onto_the_original(seed, dimension):
    source, target, _ = noisy_pair(seed, 3 * dimension, dimension, noise=0)
    mapping = learn_supervised(source, target)
    np.testing.assert_allclose(source @ mapping.source, target @ mapping.target, atol=1e-6)


@pytest.mark.parametrize("learn", [learn_orthogonal, learn_supervised])
def test_a_small_dictionary_maps_what_it_spans_and_drops_the_rest(learn):
    source, target, _ = noisy_pair(3, 5, 12, noise=0)
    mapping = learn(source, target)
    assert np.isfinite(mapping.source).all() and np.isfinite(mapping.target).all()
    assert np.linalg.matrix_rank(mapping.source) == 5
    cosines = unit(source @ mapping.source) @ unit(target @ mapping.target).T
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-9)
    outside = scipy.linalg.null_space(source).T
    np.testing.assert_allclose(outside @ mapping.source, 0, atol=1e-9)


@pytest.mark.parametrize("learn", [learn_orthogonal, learn_supervised])
def test_repeated_entries_do_not_break_the_map(learn):
    source, target, _ = noisy_pair(4, 3, 6, noise=0)
    mapping = learn(np.tile(source, (5, 1)), np.tile(target, (5, 1)))
    cosines = unit(source @ mapping.source) @ unit(target @ mapping.target).T
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-9)


def test_regularisation_tends_to_the_map_without_whitening():
    # With C + rI and r large, whitening is a multiple of the identity: what is left is the
    # orthogonal map of both sides and the weights.
    source, target, _ = noisy_pair(5, 40, 6)
    mapping = learn_supervised(source, target, regularisation=1e9)
    u, s, vt = np.linalg.svd(source.T @ target)
    weights = np.diag(np.sqrt(s))
    expected = source @ u @ weights @ (target @ vt.T @ weights).T
    found = source @ mapping.source @ (target @ mapping.target).T
    np.testing.assert_allclose(
        found / np.linalg.norm(found), expected / np.linalg.norm(expected), atol=1e-6
    )


def test_regularisation_spans_every_direction_of_a_small_dictionary():
    source, target, _ = noisy_pair(6, 5, 12)
    with_it = learn_supervised(source, target, regularisation=0.1)
    assert np.isfinite(with_it.source).all()
    tiny = learn_supervised(source, target, regularisation=1e-12)
    without = learn_supervised(source, target)
    np.testing.assert_allclose(
        source @ tiny.source @ (target @ tiny.target).T,
        source @ without.source @ (target @ without.target).T,
        atol=1e-4,
    )


def test_centring_uses_the_mean_of_the_vocabulary_for_all_words():
    generator = np.random.default_rng(7)
    vocabulary, words = generator.normal(size=(30, 4)) + 2, generator.normal(size=(5, 4)) + 2
    centred, mapped = centre_on_vocabulary(vocabulary, words, name="fr")
    mean = unit(vocabulary).mean(axis=0)
    np.testing.assert_allclose(centred, unit(unit(vocabulary) - mean), atol=1e-12)
    np.testing.assert_allclose(mapped, unit(unit(words) - mean), atol=1e-12)


@pytest.mark.parametrize("learn", [learn_orthogonal, learn_supervised])
@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        (np.ones((1, 3)), np.ones((1, 3)), "a dictionary of 1 entries"),
        (np.ones((4, 3)), np.ones((4, 2)), "encoders of one width"),
    ],
)
def test_dictionaries_without_a_map_are_refused(learn, source, target, message):
    with pytest.raises(UserError, match=message):
        learn(source, target)


def test_negative_regularisation_is_refused():
    with pytest.raises(UserError, match="regularisation -1"):
        learn_supervised(np.ones((4, 3)), np.ones((4, 3)), -1)


def test_a_zero_vector_is_named():
    with pytest.raises(UserError, match="en: row 1 is a zero vector"):
        centre_on_vocabulary(np.array([[1.0, 2.0], [0.0, 0.0]]), name="en")
