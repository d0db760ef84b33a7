"""Near-duplicate pairs against a stable sort of all products."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.retrieval import near_duplicates as near_duplicates_module
from workflow_scripts.retrieval import vector_search
from workflow_scripts.retrieval.margin_mining import mine_pairs
from workflow_scripts.retrieval.near_duplicates import near_duplicates


def sorted_pairs(vectors, k, threshold):
    """The oracle: each row's k nearest others by a stable sort, each pair once, best first."""
    products = (vectors[:, None].astype(np.float64) * vectors[None].astype(np.float64)).sum(-1)
    pairs, full = {}, 0
    for row, its in enumerate(products):
        order = [at for at in np.argsort(-its, kind="stable") if at != row]
        near = [at for at in order[:k] if its[at] >= threshold]
        full += len(near) == k and len(order) > k
        pairs |= {(min(row, at), max(row, at)): its[at] for at in near}
    ranked = sorted(((-score, *pair) for pair, score in pairs.items()))
    return [(first, second, -score) for score, first, second in ranked], full


# Small whole numbers: every product is exact, so ties are ties, and there are many.
whole_vectors = st.tuples(st.integers(1, 30), st.integers(1, 3)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=st.integers(-2, 2))
)


@given(whole_vectors, st.integers(1, 35), st.integers(-3, 6), st.integers(1, 40), st.integers(5, 9))
@settings(max_examples=150, deadline=None)
def test_pairs_equal_a_stable_sort_ties_included(vectors, k, threshold, rows_at_once, bits):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_search, "BLOCK_BYTES", 1 << bits)
        patch.setattr(near_duplicates_module, "ROWS_AT_ONCE", rows_at_once)
        found = near_duplicates(vectors, k, threshold)
    expected, full = sorted_pairs(vectors, k, threshold)
    pairs = zip(found.first.tolist(), found.second.tolist(), found.scores.tolist(), strict=True)
    assert list(pairs) == expected
    assert found.full_rows == full


def test_a_pair_that_is_written_as_the_threshold_reaches_it():
    # of unit length to float32: the product with itself is 0.99999998
    vectors = np.full((2, 3), 1 / np.sqrt(3), dtype=np.float32)
    assert vectors[0].astype(float) @ vectors[0].astype(float) != 1
    vectors[:] = np.nextafter(vectors, np.float32(0))
    assert f"{near_duplicates(vectors, 1, -1).scores[0]:.6f}" == "1.000000"
    assert len(near_duplicates(vectors, 1, 1).scores) == 1
    assert len(near_duplicates(vectors * np.float32(0.99999), 1, 1).scores) == 0


def test_memory_for_equal_vectors_grows_with_the_pairs_not_with_all_products():
    vectors = np.ones((3000, 4), dtype=np.float32)
    tracemalloc.start()
    pairs = near_duplicates(vectors, 10, 0.9)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # the nearest of each row are the ten lowest others
    assert len(pairs.scores) == 10 * 3000 - 10 * 11 // 2 and pairs.full_rows == 3000
    assert pairs.second[pairs.first == 0].tolist() == [*range(1, 3000)]
    # all products in float64 are 72 MB
    assert peak < 16e6


@pytest.mark.parametrize("find", [near_duplicates, partial(mine_pairs, margin="distance")])
def test_a_block_of_vectors_on_disk_is_searched_at_once(find, tmp_path, monkeypatch):
    np.save(tmp_path / "vectors.npy", np.random.default_rng(0).normal(size=(60, 16)))
    vectors = np.load(tmp_path / "vectors.npy", mmap_mode="r")
    arguments = (vectors, 3, 0.5) if find is near_duplicates else (vectors, vectors, 3)
    expected = find(*arguments)
    search_top, seen = vector_search.search_top, []

    def noting(queries, targets, *given, **options):
        seen.append(len(targets))
        return search_top(queries, targets, *given, **options)

    monkeypatch.setattr(vector_search, "search_top", noting)
    monkeypatch.setattr(vector_search, "BLOCK_BYTES", 25 * 16 * 4)
    for found, one in zip(find(*arguments), expected, strict=True):
        np.testing.assert_array_equal(found, one)
    assert set(seen) == {25, 10}
