"""Exact search against a stable sort of float64 products; scaling to unit length."""

import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from mapped_memory import mapped_bytes

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval import vector_search
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.retrieval.vector_search import search_blocks, search_top


def sorted_top(queries, targets, k):
    """The oracle: all products in float64, a stable sort, so that the lower of equal rows leads."""
    products = (queries[:, None, :].astype(np.float64) * targets[None].astype(np.float64)).sum(-1)
    rows = np.argsort(-products, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(products, rows, axis=1)


# Small whole numbers: every product is exact, so ties are ties, and there are many.
def whole_vectors(dimension, most):
    numbers = st.integers(-2, 2)
    rows = st.integers(1, most)
    return rows.flatmap(lambda n: arrays(np.float32, (n, dimension), elements=numbers))


pairs = st.integers(1, 4).flatmap(
    lambda dimension: st.tuples(whole_vectors(dimension, 12), whole_vectors(dimension, 60))
)


@given(pairs, st.booleans(), st.data())
@settings(max_examples=230, deadline=None)
def test_search_equals_a_stable_sort_ties_included(pair, settled_by_lists, data):
    queries, targets = pair
    k = data.draw(st.integers(1, len(targets)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_search, "_BATCH", data.draw(st.integers(1, 13)))
        if not settled_by_lists:
            patch.setattr(vector_search, "_WIDEST", 1)
            patch.setattr(vector_search, "_MARGIN", data.draw(st.integers(0, 2)))
            patch.setattr(vector_search, "_PRODUCTS_AT_ONCE", data.draw(st.integers(1, 200)))
        best = search_top(queries, targets, k)
    for mine, expected in zip(best, sorted_top(queries, targets, k), strict=True):
        np.testing.assert_array_equal(mine, expected, strict=True)


def around(anisotropy):
    """Vectors that all lie in one direction, the more the larger the anisotropy."""
    generator = np.random.default_rng(0)
    direction = anisotropy * generator.normal(size=(1, 48))
    return [direction + generator.normal(size=(rows, 48)) for rows in (70, 900)]


def nearly_equal():
    """Half of the targets differ by what float32 sums round away, the other half by a lot."""
    generator = np.random.default_rng(4)
    centre, others = generator.normal(size=32), generator.normal(size=(1500, 32))
    near = centre + 1e-6 * generator.normal(size=(1500, 32))
    targets = np.stack([near, others], axis=1).reshape(-1, 32)
    return targets[[0, 2, 1000]], targets


def copies():
    """Equal targets, more than a short list holds."""
    targets = np.random.default_rng(1).normal(size=(3001, 33))
    targets[[0, 7, *range(1023, 1050), 2047, 2999, 3000]] = targets[7]
    return targets[[7] * 25], targets


def two_targets():
    return np.eye(8)[:1], np.repeat(np.eye(8)[[1, 0]], [100, 400], axis=0)


@pytest.mark.parametrize(
    "vectors",
    [*(partial(around, size) for size in (0.0, 5.0, 300.0)), nearly_equal, copies, two_targets],
)
def test_search_equals_a_sort_whatever_threads_and_batches(vectors, monkeypatch):
    queries, targets = (side.astype(np.float32) for side in vectors())
    best = search_top(queries, targets, 10)
    expected_rows, expected_products = sorted_top(queries, targets, 10)
    np.testing.assert_array_equal(best[0], expected_rows)
    np.testing.assert_allclose(best[1], expected_products, rtol=1e-12)
    for threads, batch_size in ((2, 4096), (1, 1), (2, 19)):
        monkeypatch.setattr(vector_search, "_BATCH", batch_size)
        other = search_top(queries, targets, 10, threads=threads)
        for mine, one in zip(best, other, strict=True):
            np.testing.assert_array_equal(mine, one)


sizes = st.tuples(st.integers(1, 6), st.integers(1, 6))


@given(arrays(np.float32, sizes, elements=st.floats(0.125, 1e4, width=32)))
@settings(deadline=None)
def test_normalised_rows_have_unit_length_and_keep_their_direction(vectors):
    scaled = normalise(vectors, "vectors")
    assert scaled.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(scaled, axis=1), 1, rtol=1e-6)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_allclose(scaled * lengths, vectors, rtol=1e-6)


def test_what_has_no_answer_is_named():
    for k in (0, 4):
        with pytest.raises(UserError, match=f"k = {k} neighbours of 3 targets"):
            search_top(np.ones((1, 2)), np.ones((3, 2)), k)
    for row, message in (([0, 0], "a zero vector"), ([np.nan, 1], "not fin"), ([np.inf, 1], "not")):
        with pytest.raises(UserError, match=f"a.npy: row 9 is {message}"):
            normalise(np.array([[1, 2], row]), "a.npy", row_names=[4, 9])


@given(pairs, st.data())
@settings(max_examples=150, deadline=None)
def test_blocks_of_any_size_of_all_rows_or_some_find_the_same(pair, data):
    queries, targets = pair
    dtype = data.draw(st.sampled_from([np.float16, np.float32]))
    some = st.sets(st.integers(0, len(targets) - 1), min_size=1).map(lambda rows: sorted(rows))
    among = data.draw(st.none() | some.map(np.array))
    searched = np.arange(len(targets)) if among is None else among
    k, rows = data.draw(st.integers(1, len(searched))), data.draw(st.integers(1, 13))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_search, "BLOCK_BYTES", rows * 4 * targets.shape[1])
        best, products = search_blocks(queries, targets.astype(dtype), k, among=among)
        with pytest.raises(UserError, match="give a k from 1"):
            search_blocks(queries, targets, len(searched) + 1, among=among)
    expected_rows, expected_products = sorted_top(queries, targets[searched], k)
    np.testing.assert_array_equal(best, searched[expected_rows])
    np.testing.assert_array_equal(products, expected_products)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_file_that_was_searched_does_not_count_as_memory(tmp_path, monkeypatch):
    generator = np.random.default_rng(3)
    targets = generator.normal(size=(100_000, 160)).astype(np.float16)  # 32 MB
    queries = targets[[5, 99_999]].astype(np.float32)
    np.save(tmp_path / "targets.npy", targets)
    mapped = np.load(tmp_path / "targets.npy", mmap_mode="r")
    monkeypatch.setattr(vector_search, "BLOCK_BYTES", 7_000 * 4 * 160)
    search_blocks(queries, mapped[:8_000], 3)  # what is loaded with the first search
    before = mapped_bytes()
    found = search_blocks(queries, mapped, 3)
    assert mapped_bytes() - before < 8e6
    assert found[0][:, 0].tolist() == [5, 99_999]
    # a part of a file, which says of itself what the file does
    part = search_blocks(queries[:1], mapped[3:20_000], 3)
    assert part[0][0, 0] == 2
    for mine, expected in zip(found, search_blocks(queries, targets, 3), strict=True):
        np.testing.assert_array_equal(mine, expected)
