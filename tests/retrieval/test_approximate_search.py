"""The inverted file: exact where all lists are searched, recall counted, exact scores."""

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.approximate_search import ApproximateIndex
from workflow_scripts.retrieval.vector_search import search_top


@pytest.fixture(scope="module")
def vectors():
    """Clusters, so that lists tell something."""
    generator = np.random.default_rng(7)
    centres = generator.normal(size=(40, 16))
    rows = centres[generator.integers(40, size=5000)] + 0.3 * generator.normal(size=(5000, 16))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)


def test_all_lists_give_exact_search(vectors, tmp_path):
    index = ApproximateIndex(vectors, tmp_path / "ivf", 10_000, 1)
    queries = vectors[:50] + 0.01
    rows, products = index.search(queries, 5)
    expected = search_top(queries, vectors, 5)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(products, expected[1])
    assert index.recall(queries, 5) == 1.0


def test_recall_is_the_share_of_the_nearest_that_is_found(vectors, tmp_path):
    ApproximateIndex(vectors, tmp_path / "ivf", 1, 1)
    made = (tmp_path / "ivf").read_bytes()
    index = ApproximateIndex(vectors, tmp_path / "ivf", 1, 1)
    assert (tmp_path / "ivf").read_bytes() == made
    queries = vectors[::50] + 0.05
    found, products = index.search(queries, 10)
    nearest, _ = search_top(queries, vectors, 10)
    shares = [len({*one} & {*other}) / 10 for one, other in zip(found, nearest, strict=True)]
    assert index.recall(queries, 10) == pytest.approx(np.mean(shares))
    assert 0.3 < np.mean(shares) < 1
    # scores are those of the rows, however they were found
    own = np.einsum("nd,nkd->nk", queries.astype(float), vectors[found].astype(float))
    np.testing.assert_allclose(products, own, rtol=1e-12)


def test_lists_with_too_few_are_searched_exactly(vectors, tmp_path):
    index = ApproximateIndex(vectors[:300], tmp_path / "ivf", 1, 1)
    rows, products = index.search(vectors[:20], 250)
    expected = search_top(vectors[:20], vectors[:300], 250)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(products, expected[1])


def test_rows_that_a_damaged_file_makes_up_are_told(vectors, tmp_path):
    """Ids lie in the file as int64: of one vector, 8 bytes that are found again as they are."""
    ApproximateIndex(vectors[:300], tmp_path / "ivf", 1, 1)
    ids = np.array([299], dtype=np.int64).tobytes()
    body = (tmp_path / "ivf").read_bytes()
    assert body.count(ids) == 1
    (tmp_path / "ivf").write_bytes(body.replace(ids, np.array([2**60], dtype=np.int64).tobytes()))
    index = ApproximateIndex(vectors[:300], tmp_path / "ivf", 10_000, 1)
    with pytest.raises(UserError, match=r"ivf: damaged \(IndexError: row 115.* of 300\); remove"):
        index.search(vectors[299:300], 5)
