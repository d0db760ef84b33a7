"""CSLS from short lists against the formula in float64: ties, hubs, lists that prove nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval import csls, shortlists
from workflow_scripts.retrieval.csls import neighbourhood_means, rank_by_csls
from workflow_scripts.retrieval.shortlists import shortlists_of_both
from workflow_scripts.retrieval.vector_search import search_top


def by_three_searches(queries, sources, targets, k, neighbours):
    """The oracle: both means, then all targets with one more dimension, each searched exactly."""
    backward = neighbourhood_means(targets, sources, neighbours)
    forward = neighbourhood_means(queries, targets, neighbours)
    longer_queries = np.hstack([queries, np.ones((len(queries), 1))])
    longer_targets = np.hstack([2 * targets, -backward[:, None]])
    rows, products = search_top(longer_queries, longer_targets, k)
    return rows, products - forward[:, None]


def by_the_formula(queries, sources, targets, k, neighbours):
    """The oracle's oracle: all pairs in float64, a stable sort; r_S(y) rounded to float32."""
    queries, sources, targets = (m.astype(np.float64) for m in (queries, sources, targets))
    cosines = (queries[:, None] * targets[None]).sum(-1)
    backward = -np.sort(-(targets[:, None] * sources[None]).sum(-1), axis=1)[:, :neighbours]
    backward = backward.mean(axis=1).astype(np.float32).astype(np.float64)
    forward = -np.sort(-cosines, axis=1)[:, :neighbours]
    ranked = 2 * cosines - backward
    rows = np.argsort(-ranked, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(ranked, rows, axis=1) - forward.mean(axis=1)[:, None]


def axes_and_diagonals(generator, count, dimension):
    """Unit rows along axes or diagonals: products are exact, copies and ties many."""
    vectors = np.zeros((count, dimension), dtype=np.float32)
    vectors[np.arange(count), generator.integers(0, dimension, count)] = 1
    vectors[generator.random(count) < 0.3] = 0.5
    return vectors * generator.choice([-1, 1], size=(count, 1)).astype(np.float32)


@pytest.fixture(params=[1024, 7])
def small_blocks(request, monkeypatch):
    """All in one block, and many blocks with short lists that seldom prove a ranking."""
    monkeypatch.setattr(shortlists, "_BLOCK", request.param)
    monkeypatch.setattr(csls, "_BATCH", 3 * request.param)
    if request.param == 7:
        monkeypatch.setattr(csls, "_WIDENED", request.param)
        monkeypatch.setattr(csls, "_UNLISTED", request.param)
        monkeypatch.setattr(csls, "_BEYOND", 0)


sizes = st.tuples(st.integers(1, 60), st.integers(1, 60), st.integers(1, 4))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("beyond", [0, 3, 32])
@given(st.integers(0, 10**6), sizes, st.booleans(), st.data())
@settings(max_examples=40, deadline=None)
def test_ranking_equals_a_stable_sort_ties_included(beyond, seed, sizes, whole, data):
    n, m, asked = sizes
    generator = np.random.default_rng(seed)
    sources, targets = (axes_and_diagonals(generator, count, 4) for count in (n, m))
    queries = sources if whole else axes_and_diagonals(generator, asked, 4)
    k = data.draw(st.sampled_from([1, m, min(5, m)]))
    neighbours = data.draw(st.integers(1, min(n, m, 10)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csls, "_BEYOND", beyond)
        rows, scores = rank_by_csls(queries, sources, targets, k, neighbours=neighbours)
    expected, values = by_the_formula(queries, sources, targets, k, neighbours)
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(scores, values, atol=1e-12)


def languages(seed, count, dimension, hubs):
    """Unit vectors of two languages; the first targets are near to everything."""
    generator = np.random.default_rng(seed)
    sources = generator.normal(size=(count, dimension)) + 0.5
    targets = sources + 0.5 * generator.normal(size=sources.shape)
    targets[:hubs] = 1 + 0.3 * generator.normal(size=(hubs, dimension))
    targets[-3:] = -1  # and the last near to nothing, and equal
    sides = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (sources, targets))
    return [side.astype(np.float32) for side in sides]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("hubs", [0, 1, 40])
@pytest.mark.parametrize(("k", "neighbours"), [(1, 10), (5, 10), (30, 2), (300, 10)])
@pytest.mark.parametrize("part", [slice(None), slice(3, 60, 5)])
def test_the_bytes_of_three_searches_with_hubs_and_outsiders(hubs, k, neighbours, part):
    sources, targets = languages(hubs, 300, 12, hubs)
    expected = by_three_searches(sources[part], sources, targets, k, neighbours)
    found = rank_by_csls(sources[part], sources, targets, k, neighbours=neighbours)
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1], expected[1])


def test_only_targets_that_could_be_among_the_best_are_searched_beside(monkeypatch):
    sources, targets = languages(5, 1000, 12, 10)
    searched = []

    def search(queries, others, k, **options):
        searched.append(len(queries) * len(others))
        return search_top(queries, others, k, **options)

    monkeypatch.setattr(csls, "search_top", search)
    rows, _ = rank_by_csls(sources, sources, targets, 5)
    monkeypatch.setattr(csls, "search_top", search_top)
    np.testing.assert_array_equal(rows, by_three_searches(sources, sources, targets, 5, 10)[0])
    assert 0 < sum(searched) < 0.2 * len(sources) * len(targets)


@pytest.mark.parametrize("noise", [0, 1e-7])
@pytest.mark.parametrize("same", ["sources", "targets", "both"])
def test_vectors_that_are_all_equal_rank_by_row_and_nearly_equal_ones_exactly(same, noise):
    one, other = languages(1, 150, 6, 0)
    for name, side in (("sources", one), ("targets", other)):
        if same in (name, "both"):
            side[:] = side[0] + noise * np.random.default_rng(2).normal(size=side.shape)
    rows, scores = rank_by_csls(one, one, other, 4)
    expected = by_three_searches(one, one, other, 4, 10)
    np.testing.assert_array_equal(rows, expected[0])
    np.testing.assert_array_equal(scores, expected[1])
    if same != "sources" and not noise:
        assert (rows == np.arange(4)).all()


@pytest.mark.parametrize(
    ("count", "k", "message"),
    [(20, 21, "k = 21 neighbours of 20 targets"), (9, 1, "10 neighbours of a vocabulary of 9 w")],
)
def test_what_the_vocabulary_lacks_is_an_error(count, k, message):
    one, other = languages(2, count, 6, 0)
    with pytest.raises(UserError, match=message):
        rank_by_csls(one, one, other, k)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("order", ["random", "rising", "falling"])
@pytest.mark.parametrize(("width", "threads"), [(1, 1), (6, 1), (6, 3), (90, 2)])
def test_short_lists_hold_the_largest_products_of_both_sides(order, width, threads):
    generator = np.random.default_rng(4)
    left, right = (generator.normal(size=(n, 9)).astype(np.float32) for n in (90, 110))
    if order != "random":
        # each block is nearer than all before, or farther
        right = right[np.argsort(right[:, 0])][:: 1 if order == "rising" else -1].copy()
        left[:, 0] = np.sort(left[:, 0]) + 30
    both = shortlists_of_both(left, right, width, width, threads=threads)
    products = left @ right.T
    for found, whole in zip(both, (products, products.T), strict=True):
        np.testing.assert_allclose(found.products, -np.sort(-whole, axis=1)[:, :width], atol=1e-4)
        own = np.take_along_axis(whole, found.rows.astype(np.int64), axis=1)
        np.testing.assert_allclose(own, found.products, atol=1e-4)
        assert all(len(set(rows)) == width for rows in found.rows.tolist())
    alone, none = shortlists_of_both(left, right, width, 0)
    np.testing.assert_array_equal(alone.rows, both[0].rows)
    assert none is None
