"""Isotropy score and mean-vector norm against closed forms and a direct formula."""

import itertools
import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.scoring.evidence import VectorSet
from workflow_scripts.scoring.isotropy import isotropy_score
from workflow_scripts.scoring.metrics import mvn

seeds = st.integers(0, 10**6)
CONVENTIONS = ("is_eig", "is_paper")


def vectors_of(seed, n, dimension):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, dimension)) + generator.normal(size=dimension)


def mean_vector_norm(vectors):
    return mvn.metric(VectorSet(n=len(vectors), vectors=vectors))


def direct(vectors, directions):
    """The oracle: the definition, one direction and one vector after another."""
    z = [math.fsum(math.exp(math.fsum(c * v)) for v in vectors) for c in directions]
    return min(z) / max(z)


def directions_of(vectors, convention):
    """The directions by the characteristic order of eigh, signs set one by one."""
    values, columns = np.linalg.eigh(vectors.T @ vectors)
    assert (np.diff(values) >= 0).all()
    for column in columns.T:
        if column[np.argmax(np.abs(column))] < 0:
            column *= -1
    return columns.T if convention == "is_eig" else columns


@given(seeds, st.integers(1, 20), st.integers(1, 8), st.floats(0.01, 100))
@settings(max_examples=30, deadline=None)
def test_mean_vector_norm_scales_and_turns_with_the_vectors(seed, n, dimension, scale):
    vectors = vectors_of(seed, n, dimension)
    norm = mean_vector_norm(vectors)
    assert mean_vector_norm(np.array([[3.0, 0.0], [3.0, 8.0]])) == 5
    assert mean_vector_norm(scale * vectors) == pytest.approx(scale * norm)
    rotation = scipy.stats.special_ortho_group.rvs(dimension + 1, random_state=seed)
    turned = np.hstack([vectors, np.zeros((n, 1))]) @ rotation
    assert mean_vector_norm(turned) == pytest.approx(norm)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_vectors_on_the_axes(convention):
    assert isotropy_score(np.eye(5), convention) == 1
    # V'V is diagonal, so the directions are the unit vectors by either convention, positive, and
    # Z of axis i is exp of the vector on it plus one for each other vector.
    lengths = [0.5, -1.0, 2.0]
    z = [math.exp(length) + 2 for length in lengths]
    for order in itertools.permutations(range(3)):
        found = isotropy_score(np.diag(lengths)[list(order)], convention)
        assert found == pytest.approx(min(z) / max(z), rel=1e-12)
    # long vectors do not overflow
    found = isotropy_score(np.diag([900.0, 800.0, 1000.0]), convention)
    assert found == pytest.approx(math.exp(-200), rel=1e-9)


@pytest.mark.parametrize("degrees", [20, 40, 50, 75])
def test_rows_and_columns_of_one_vector_in_the_plane(degrees):
    # Eigenvectors by ascending eigenvalue: the normal of v, then v itself, each with its largest
    # component positive. Below 45 degrees that is (-s, c) and (c, s): rows equal columns. Above it
    # is (s, -c) and (c, s), with the rows (s, c) and (-c, s).
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    vectors = 1.5 * np.array([[c, s]])
    assert isotropy_score(vectors, "is_eig") == pytest.approx(math.exp(-1.5), rel=1e-12)
    products = (0, 1.5) if degrees < 45 else (1.5 * 2 * s * c, 1.5 * (s * s - c * c))
    expected = math.exp(min(products) - max(products))
    assert isotropy_score(vectors, "is_paper") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("convention", CONVENTIONS)
@given(seeds, st.integers(1, 30), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_score_equals_the_definition(convention, seed, n, dimension):
    vectors = vectors_of(seed, n + dimension, dimension)
    expected = direct(vectors, directions_of(vectors, convention))
    assert isotropy_score(vectors, convention) == pytest.approx(expected, rel=1e-9)


def test_many_directions_equal_logsumexp():
    vectors = vectors_of(1, 500, 300).astype(np.float32)
    for convention in CONVENTIONS:
        whole = vectors.astype(np.float64)
        products = whole @ directions_of(whole, convention).T
        z = scipy.special.logsumexp(products, axis=0)
        expected = np.exp(z.min() - z.max())
        assert isotropy_score(vectors, convention) == pytest.approx(expected, rel=1e-9)
