"""The best ids of mentions against a stable sort of all products, however names share ids."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from workflow_scripts.retrieval import linked_ids
from workflow_scripts.retrieval.linked_ids import rank_ids
from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.name_index import index_names


def links_of(ids, vectors, queries, k):
    names = [f"name {row}" for row in range(len(ids))]
    return list(rank_ids(index_names(ids, names, vectors), queries, k))


def sorted_links(ids, vectors, queries, k):
    """The oracle: all products in float64, a stable sort, then the first name of each id."""
    ranked = []
    for products in queries.astype(np.float64) @ vectors.T.astype(np.float64):
        firsts = {}
        for row in np.argsort(-products, kind="stable").tolist():
            firsts.setdefault(ids[row], Link(ids[row], f"name {row}", products[row]))
        ranked.append(list(firsts.values())[:k])
    return ranked


# Small whole numbers: every product is exact, so ties are ties, and there are many.
def whole_vectors(rows):
    return arrays(np.float32, (rows, 2), elements=st.integers(-2, 2))


@given(st.lists(st.sampled_from("AAAABCDE"), min_size=1, max_size=60), st.data())
@settings(max_examples=80, deadline=None)
def test_links_are_the_best_name_of_each_id(ids, data):
    vectors, queries = data.draw(whole_vectors(len(ids))), data.draw(whole_vectors(5))
    k = data.draw(st.integers(1, 7))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linked_ids, "_NAMES_AN_ID", data.draw(st.integers(1, 3)))
        patch.setattr(linked_ids, "_WIDER", 2)
        patch.setattr(linked_ids, "_NAMES_TOGETHER", data.draw(st.integers(1, 20)))
        patch.setattr(linked_ids, "_NAMES_AT_ONCE", data.draw(st.integers(1, 200)))
        links = links_of(ids, vectors, queries, k)
    assert links == sorted_links(ids, vectors, queries, k)


@pytest.mark.parametrize("others", [[], ["B", "C", "D"]])
def test_memory_for_names_of_few_ids_grows_with_them_not_with_all_products(others):
    generator = np.random.default_rng(0)
    ids = ["A"] * 3000 + others
    vectors = generator.normal(size=(len(ids), 4)).astype(np.float32)
    queries = generator.normal(size=(200, 4)).astype(np.float32)
    tracemalloc.start()
    ranked = links_of(ids, vectors, queries, 6)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    expected = sorted_links(ids, vectors, queries, 6)
    assert [[link[:2] for link in links] for links in ranked] == [
        [link[:2] for link in links] for links in expected
    ]
    # rows and products of all names for all mentions are 9.6 MB, as links 75 MB
    assert peak < 8e6
