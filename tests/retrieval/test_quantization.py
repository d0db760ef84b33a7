"""Codes of vectors, and search by them, against sentence-transformers, FAISS and plain loops."""

import numpy as np
import pytest
from sentence_transformers.util import quantize_embeddings

import mirror_bert
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval import quantization as module
from workflow_scripts.retrieval.quantization import (
    QuantizedIndex,
    quantization_line,
    quantize,
    value_ranges,
    write_codes,
)


@pytest.fixture(scope="module")
def vectors():
    """More rows than candidates, of a width that is not a multiple of 8."""
    generator = np.random.default_rng(3)
    rows = generator.normal(size=(1500, 20)) * np.linspace(0.2, 2, 20)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    # a unit that says nothing
    rows[:, 7] = 0.25
    return rows.astype(np.float32)


@pytest.fixture(scope="module")
def queries(vectors):
    generator = np.random.default_rng(4)
    return (vectors[:60] + 0.1 * generator.normal(size=(60, 20))).astype(np.float32)


THEIRS = {"int8": "int8", "binary": "ubinary"}


@pytest.mark.parametrize("kind", THEIRS)
def test_codes_are_those_of_sentence_transformers(kind, vectors, queries):
    codes = quantize(vectors, kind)
    expected = quantize_embeddings(vectors, precision=THEIRS[kind])
    assert codes.dtype == expected.dtype
    np.testing.assert_array_equal(codes, expected)
    # with the ranges of other vectors, which some exceed
    ranges = np.stack([vectors.min(axis=0), vectors.max(axis=0)])
    expected = quantize_embeddings(2 * queries, precision=THEIRS[kind], ranges=ranges)
    np.testing.assert_array_equal(mirror_bert.quantize(2 * queries, kind, ranges), expected)


def test_ranges_are_those_of_all_parts(vectors):
    expected = np.stack([vectors.min(axis=0), vectors.max(axis=0)])
    np.testing.assert_array_equal(value_ranges([vectors[:7], vectors[7:]]), expected)
    np.testing.assert_array_equal(value_ranges([vectors[:0], vectors]), expected)


@pytest.mark.parametrize("rows", [1 << 16, 100])
@pytest.mark.parametrize("kind", THEIRS)
def test_written_codes_are_those_in_memory(kind, rows, vectors, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "ROWS", rows)
    write_codes(vectors, kind, tmp_path / "codes.npy", tmp_path / "ranges.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "codes.npy"), quantize(vectors, kind))
    assert (tmp_path / "ranges.npy").is_file() == (kind == "int8")
    if kind == "int8":
        np.testing.assert_array_equal(np.load(tmp_path / "ranges.npy"), value_ranges([vectors]))


def distances(kind, queries, vectors):
    """Return what the codes alone say of each query and vector, lower is nearer, plainly."""
    if kind == "binary":
        return ((queries > 0)[:, None] != (vectors > 0)[None]).sum(axis=2)
    low, high = vectors.min(axis=0).astype(float), vectors.max(axis=0).astype(float)
    width = np.where(high > low, high - low, 1)
    codes = np.floor(np.clip((vectors - low) / width, 0, 1) * 255)
    return -(queries.astype(float) @ (low + (codes + 0.5) / 255 * (high - low)).T)


@pytest.mark.parametrize("kind", THEIRS)
def test_candidates_are_the_nearest_by_the_codes(kind, vectors, queries):
    index = QuantizedIndex(vectors, kind)
    near = index.candidates(queries, 30)
    assert all(len(set(rows)) == 30 for rows in near)
    all_of_them = distances(kind, queries, vectors)
    found = np.sort(np.take_along_axis(all_of_them, near, axis=1), axis=1)
    # of the equal any may come
    np.testing.assert_allclose(found, np.sort(all_of_them, axis=1)[:, :30], atol=1e-5)


@pytest.mark.parametrize("kind", THEIRS)
def test_vectors_score_the_candidates_again(kind, vectors, queries):
    index = QuantizedIndex(vectors, kind)
    rows, _ = index.search(queries, 3)
    exact = queries.astype(float) @ vectors.T.astype(float)
    near = index.candidates(queries, 128)
    for own, candidates, row in zip(exact, near, rows, strict=True):
        assert list(row) == sorted(candidates, key=lambda other: (-own[other], other))[:3]
    best, alone = np.argsort(-exact, axis=1)[:, :3], index.candidates(queries, 3)
    shares = [len({*a} & {*b}) / 3 for a, b in zip(alone, best, strict=True)]
    assert index.recall_alone(queries, 3) == pytest.approx(np.mean(shares))
    assert index.recall_alone(queries, 3) < index.recall(queries, 3)


@pytest.mark.parametrize("kind", THEIRS)
def test_threads_and_parts_change_nothing(kind, vectors, queries, monkeypatch):
    expected = QuantizedIndex(vectors, kind).search(queries, 5)
    monkeypatch.setattr(module, "ROWS", 64)
    ranked = QuantizedIndex(vectors, kind, threads=2).search(queries, 5)
    np.testing.assert_array_equal(ranked, expected)


def test_the_loss_is_told_of_vectors_that_were_not_searched_with(vectors):
    line = quantization_line(vectors, "binary", 1)
    assert line.startswith("binary: recall@10 0.")
    assert line.endswith("of 188 queries among 1312 strings")
    assert "too few strings" in quantization_line(vectors[:1], "int8", 1)


def test_another_kind_of_code_is_named():
    with pytest.raises(UserError, match="quantization 'int4': unknown; use int8 or binary"):
        quantize(np.zeros((2, 8)), "int4")
