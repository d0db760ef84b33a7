"""Search at the size of a real file, compared with sentence-transformers."""

import numpy as np
import pytest
from sentence_transformers.util import paraphrase_mining_embeddings, semantic_search

from workflow_scripts.retrieval.near_duplicates import near_duplicates
from workflow_scripts.retrieval.suite_files import normalise
from workflow_scripts.retrieval.vector_search import search_top

COUNT, DIMENSION, CLOSE = 20_000, 192, 1e-5


@pytest.fixture(scope="module")
def vectors():
    """Vectors of unit length, every tenth near another one."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(COUNT, DIMENSION))
    nears = generator.normal(size=(COUNT // 10, DIMENSION))
    noise = generator.uniform(0.01, 1.0, size=(COUNT // 10, 1))
    vectors[::10] = vectors[5::10] + noise * nears
    return normalise(vectors, "vectors")


@pytest.mark.slow
def test_nearest_strings_are_those_of_semantic_search(vectors):
    rows, scores = search_top(vectors[:2_000], vectors, 10)
    theirs = semantic_search(vectors[:2_000], vectors, top_k=10)
    expected = np.array([[hit["score"] for hit in hits] for hits in theirs])
    np.testing.assert_allclose(scores, expected, atol=CLOSE)
    same = rows == [[hit["corpus_id"] for hit in hits] for hits in theirs]
    # others only where two scores are equal in float32
    gaps = np.abs(np.diff(scores, axis=1)).min(axis=1)
    assert same[gaps > CLOSE].all() and same.mean() > 0.99


@pytest.mark.nightly
@pytest.mark.parametrize("k", [10, 100])
def test_near_duplicates_are_those_of_paraphrase_mining(vectors, k):
    theirs = paraphrase_mining_embeddings(vectors, top_k=k, max_pairs=COUNT * k)
    theirs = {(one, other): score for score, one, other in theirs}
    found = near_duplicates(vectors, k, -1.0)
    ours = dict(
        zip(
            zip(found.first.tolist(), found.second.tolist(), strict=True),
            found.scores.tolist(),
            strict=True,
        )
    )
    both = ours.keys() & theirs.keys()
    assert max(abs(ours[pair] - theirs[pair]) for pair in both) < CLOSE
    # others only where the k-th and the next neighbour are equal in float32
    assert len(ours.keys() ^ theirs.keys()) < 1e-4 * len(both)
