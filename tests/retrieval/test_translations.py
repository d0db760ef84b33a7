"""Maps between languages, CSLS and ranked translations against the steps written out in float64."""

import numpy as np
import pytest
import scipy.linalg
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workflow_scripts.retrieval import mapping as maps
from workflow_scripts.retrieval.translations import LexiconSide, rank_translations

DIMENSION, TRAIN = 6, 25
seeds = st.integers(0, 10**6)


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def noisy_pair(seed, entries, dimension, noise=0.3):
    """Vectors, and a noisy rotation of them."""
    generator = np.random.default_rng(seed)
    source = generator.normal(size=(entries, dimension))
    rotation = np.linalg.qr(generator.normal(size=(dimension, dimension)))[0]
    return source, source @ rotation + noise * generator.normal(size=source.shape)


def root(matrix):
    """The symmetric root of a symmetric matrix."""
    values, axes = scipy.linalg.eigh(matrix)
    return axes * np.sqrt(values) @ axes.T


def supervised_step_by_step(source, target, train, regularisation=0.0):
    """The oracle: Artetxe et al. (2018, AAAI), the first `train` rows of both the dictionary."""
    # 1 whitening on the dictionary: symmetric inverse root of the Gram matrix of the dimensions
    grams, axes = (
        [side[:train].T @ side[:train] for side in (source, target)],
        np.eye(len(source.T)),
    )
    x_root, z_root = (root(g + regularisation * np.mean(np.diag(g)) * axes) for g in grams)
    x, z = source @ np.linalg.inv(x_root), target @ np.linalg.inv(z_root)
    if regularisation == 0:
        np.testing.assert_allclose(x[:train].T @ x[:train], axes, atol=1e-8)
    # 2 orthogonal map
    u, s, vt = scipy.linalg.svd(x[:train].T @ z[:train])
    x, z = x @ u, z @ vt.T
    np.testing.assert_allclose(x[:train].T @ z[:train], np.diag(s), atol=1e-8)
    # 3 re-weighting by the square root of the singular values on both sides
    x, z = x * np.sqrt(s), z * np.sqrt(s)
    # 4 de-whitening, each side with itself
    return x @ u.T @ x_root @ u, z @ vt @ z_root @ vt.T


def csls_matrix(queries, sources, targets, neighbours):
    """The oracle: Lample et al. (2018), equation for CSLS, O(n m) in time and memory, float64."""
    queries, sources, targets = (m.astype(np.float64) for m in (queries, sources, targets))
    forward = np.sort(queries @ targets.T, axis=1)[:, -neighbours:].mean(axis=1)
    backward = np.sort(targets @ sources.T, axis=1)[:, -neighbours:].mean(axis=1)
    return 2 * queries @ targets.T - forward[:, None] - backward[None, :]


@given(seeds, st.integers(2, 12), st.integers(0, 20))
@example(1, 256, 544)
@settings(max_examples=30, deadline=None)
def test_orthogonal_equals_scipy(seed, dimension, more):
    source, target = (
        side.astype(np.float32) for side in noisy_pair(seed, dimension + more, dimension)
    )
    expected, _ = scipy.linalg.orthogonal_procrustes(*map(np.float64, (source, target)))
    mapping = maps.learn_orthogonal(source, target)
    np.testing.assert_allclose(mapping.source, expected, atol=1e-9 if dimension > 12 else 1e-6)
    np.testing.assert_array_equal(mapping.target, np.eye(dimension))


@given(seeds, st.integers(2, 10))
@example(1, 128)
@settings(max_examples=30, deadline=None)
def test_supervised_equals_the_steps(seed, dimension):
    source, target = noisy_pair(seed, 4 * dimension, dimension)
    mapping = maps.learn_supervised(source, target)
    found = source[:50] @ mapping.source, target[:50] @ mapping.target
    expected = [side[:50] for side in supervised_step_by_step(source, target, len(source))]
    # The axes of the shared space are fixed up to their signs: compare what retrieval sees.
    for one, other in ((0, 1), (0, 0), (1, 1)):
        products = expected[one] @ expected[other].T
        np.testing.assert_allclose(found[one] @ found[other].T, products, atol=1e-6)


@pytest.mark.parametrize("learn", [maps.learn_orthogonal, maps.learn_supervised])
@pytest.mark.parametrize("copies", [1, 5])
def test_a_small_dictionary_maps_what_it_spans_and_drops_the_rest(learn, copies):
    source, target = noisy_pair(3, 5, 12, noise=0)
    mapping = learn(np.tile(source, (copies, 1)), np.tile(target, (copies, 1)))
    assert np.isfinite(mapping.source).all() and np.isfinite(mapping.target).all()
    assert np.linalg.matrix_rank(mapping.source) == 5
    cosines = unit(source @ mapping.source) @ unit(target @ mapping.target).T
    np.testing.assert_allclose(np.diag(cosines), 1, atol=1e-9)
    outside = scipy.linalg.null_space(source).T
    np.testing.assert_allclose(outside @ mapping.source, 0, atol=1e-9)


def languages(seed):
    """Vectors of two languages, off centre, one a noisy rotation of the other."""
    source, target = noisy_pair(seed, 40, DIMENSION)
    return (source + 0.5).astype(np.float32), (3 * target[:35] - 1).astype(np.float32)


def side_of(vectors, side, test):
    return LexiconSide(vectors, side, list(range(len(vectors))), list(range(TRAIN)), test)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("mapping", "regularisation"), [("orthogonal", 0), ("supervised", 0), ("supervised", 0.5)]
)
@pytest.mark.parametrize("similarity", ["csls", "cosine"])
def test_ranked_translations_equal_the_steps(mapping, regularisation, similarity, seed):
    source, target = languages(seed)
    queries = [30, 26, 39, 2]
    sides = side_of(source, "source", queries), side_of(target, "target", [30, 26, 34, 2])
    options = {"mapping": mapping, "similarity": similarity, "neighbours": 4}
    options["regularisation"] = regularisation
    ranked = list(rank_translations(*sides, "bli", 35, **options))
    # unit length, centring on the vocabulary, unit length
    scaled = (unit(side.astype(np.float64)) for side in (source, target))
    one, other = (unit(side - side.mean(axis=0)) for side in scaled)
    if mapping == "orthogonal":
        one = one @ scipy.linalg.orthogonal_procrustes(one[:TRAIN], other[:TRAIN])[0]
    else:
        one, other = supervised_step_by_step(one, other, TRAIN, regularisation)
    one, other = unit(one), unit(other)
    expected = one @ other.T if similarity == "cosine" else csls_matrix(one, one, other, 4)
    assert [row.rank for row in ranked] == list(range(1, 36)) * 4
    for row in ranked:
        assert row.score == pytest.approx(expected[queries[row.query], row.target_row], abs=1e-5)
    for query, word in enumerate(queries):
        scores = [row.score for row in ranked if row.query == query]
        assert scores == pytest.approx(sorted(expected[word], reverse=True), abs=1e-5)


@pytest.mark.parametrize("similarity", ["csls", "cosine"])
def test_a_whole_vocabulary_ranks_as_its_words_do(similarity):
    source, target = languages(9)
    words = list(range(len(source)))

    def ranked(queries):
        sides = side_of(source, "source", queries), side_of(target, "target", [])
        rows = rank_translations(*sides, "bli", 3, similarity=similarity)
        return {(queries[row.query], row.rank): row[3:] for row in rows}

    whole, turned = ranked(words), ranked(words[::-1])
    assert {key: row for key, (row, _) in whole.items()} == {key: turned[key][0] for key in whole}
    for key, (_, score) in whole.items():
        assert score == pytest.approx(turned[key][1], abs=1e-6)
