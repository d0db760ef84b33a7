"""Principal components, against numpy's singular value decomposition written plainly."""

import numpy as np
import pytest

from workflow_scripts.embedding import principal_components as module
from workflow_scripts.embedding.principal_components import principal_components, remove_components
from workflow_scripts.errors import UserError


def vectors_of(seed, n, dimension):
    """Vectors with a direction in common and well-separated singular values."""
    generator = np.random.default_rng(seed)
    scales = 1.5 ** -np.arange(dimension)
    return generator.normal(size=(n, dimension)) * scales + 2 * generator.normal(size=dimension)


def without(vectors, count):
    vectors = vectors.copy()
    remove_components(vectors, principal_components(vectors, count))
    return vectors


def plainly(vectors, count):
    """The oracle: e - (e . c) c for each of the right singular vectors, one after the other."""
    result = vectors.astype(np.float64)
    for c in np.linalg.svd(vectors.astype(np.float64), full_matrices=False)[2][:count]:
        result = np.array([e - (e @ c) * c for e in result])
    return result


@pytest.mark.parametrize(("n", "dimension"), [(300, 12), (12, 12), (9, 40)])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("rows_at_once", [7, 8192])
def test_components_and_what_is_left_are_those_of_the_svd(
    n, dimension, count, rows_at_once, monkeypatch
):
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", rows_at_once)
    vectors = vectors_of(n, n, dimension)
    expected = np.linalg.svd(vectors, full_matrices=False)[2][:count]
    found = principal_components(vectors, count)
    assert found.shape == (count, dimension) and found.dtype == np.float64
    np.testing.assert_allclose(np.abs(np.einsum("cd,cd->c", found, expected)), 1, atol=1e-10)
    np.testing.assert_allclose(without(vectors, count), plainly(vectors, count), atol=1e-10)
    # of float32, as vectors are stored: in place, in their own type
    single = vectors.astype(np.float32)
    left = without(single, count)
    assert left.dtype == np.float32
    np.testing.assert_allclose(left, plainly(single, count), atol=2e-6)


@pytest.mark.parametrize(
    ("vectors", "count"),
    [
        (np.ones((5, 4)), 1),
        (np.zeros((5, 4)), 1),
        (np.eye(4), 4),
        (np.eye(4), 9),
        (np.eye(4)[:1], 1),
        (vectors_of(0, 3, 8), 3),
        (np.outer(np.arange(1, 7), [1.0, 2.0, 3.0]).astype(np.float32), 1),
    ],
)
def test_vectors_of_which_nothing_would_be_left_are_refused(vectors, count):
    with pytest.raises(UserError, match=rf"without their first {count} components: .*remove fewer"):
        principal_components(vectors, count)
