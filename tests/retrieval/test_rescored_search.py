"""Indices whose candidates the vectors score again: the inverted file and both kinds of codes."""

import faiss
import numpy as np
import pytest

from workflow_scripts.retrieval.approximate_search import ApproximateIndex
from workflow_scripts.retrieval.quantization import QuantizedIndex
from workflow_scripts.retrieval.vector_search import search_top


def open_index(kind, vectors, file=None, digest="a", probes=1):
    if kind == "ivf":
        return ApproximateIndex(vectors, digest, file, probes, 1)
    return QuantizedIndex(vectors, kind, digest, file)


KINDS = ("ivf", "int8", "binary")


@pytest.fixture(scope="module")
def vectors():
    """Clusters, so that lists are informative, of a width that is not a multiple of 8."""
    generator = np.random.default_rng(7)
    centres = generator.normal(size=(40, 20))
    rows = centres[generator.integers(40, size=5000)] + 0.3 * generator.normal(size=(5000, 20))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows.astype(np.float32)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_exact_and_recall_is_the_share_of_the_nearest_that_is_found(kind, vectors):
    index, queries = open_index(kind, vectors), vectors[::50] + np.float32(0.05)
    rows, products = index.search(queries, 10)
    exact = np.einsum("nd,nkd->nk", queries.astype(float), vectors[rows].astype(float))
    np.testing.assert_allclose(products, exact, rtol=1e-12)
    nearest, _ = search_top(queries, vectors, 10)
    shares = [len({*own} & {*best}) / 10 for own, best in zip(rows, nearest, strict=True)]
    assert index.recall(queries, 10) == pytest.approx(np.mean(shares))
    assert 0.3 < np.mean(shares) <= 1 and (kind == "int8" or np.mean(shares) < 1)


@pytest.mark.parametrize(
    ("kind", "count", "k"),
    # all lists, lists with too few, codes of which all are candidates
    [("ivf", 5000, 5), ("ivf", 300, 250), ("int8", 120, 5), ("binary", 120, 5)],
)
def test_where_nothing_can_be_missed_it_is_exact_search(kind, count, k, vectors):
    index = open_index(kind, vectors[:count], probes=10_000 if k == 5 else 1)
    queries = vectors[:50] + np.float32(0.01)
    for mine, expected in zip(
        index.search(queries, k), search_top(queries, vectors[:count], k), strict=True
    ):
        np.testing.assert_array_equal(mine, expected)
    assert index.recall(queries, k) == 1.0


DAMAGES = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-40]),
    # row 299 becomes 555, of 300
    "row": lambda path: path.write_bytes(path.read_bytes().replace(b"\x2b\x01", b"\x2b\x02")),
    "head": lambda path: path.write_bytes(b"IwSq" + bytes(40)),
    "empty": lambda path: path.write_bytes(b""),
    "flat": lambda path: faiss.write_index(faiss.IndexFlatIP(20), str(path)),
    "graph": lambda path: faiss.write_index(faiss.IndexHNSWFlat(20, 4), str(path)),
    "other vectors": None,
    "other kind": None,
}


@pytest.mark.parametrize(
    ("kind", "damage"),
    # of codes no byte is a row
    [(kind, damage) for kind in KINDS for damage in DAMAGES if damage != "row" or kind == "ivf"],
)
def test_a_file_is_read_again_unless_it_is_damaged_or_of_something_else(
    kind, damage, vectors, tmp_path, capsys
):
    file, some, queries = tmp_path / "index", vectors[:300], vectors[:20]
    expected = open_index(kind, some, file).search(queries, 5)
    body, made = file.read_bytes(), file.stat().st_mtime_ns
    np.testing.assert_array_equal(open_index(kind, some, file).search(queries, 5), expected)
    assert file.stat().st_mtime_ns == made and capsys.readouterr().err == ""
    if damage == "other vectors":
        open_index(kind, vectors[300:600], file, "b")
    elif damage == "other kind":
        open_index("int8" if kind == "binary" else "binary", some, file)
    else:
        DAMAGES[damage](file)
    assert file.read_bytes() != body
    capsys.readouterr()
    np.testing.assert_array_equal(open_index(kind, some, file).search(queries, 5), expected)
    assert file.read_bytes() == body
    assert "damaged, or made from other vectors or settings" in capsys.readouterr().err
