"""Vectors as codes of few bits, and search by them: int8 and binary, as sentence-transformers'.

Both are approximations. What they lose is measured against exact search by the float vectors.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import faiss
import numpy as np
from numpy.lib.format import open_memmap

from workflow_scripts.embedding.vector_shards import Quantization
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file
from workflow_scripts.retrieval.rescored_search import ROWS, SAMPLE, RescoredSearch, parts
from workflow_scripts.retrieval.vector_loss import share_of_nearest, spread, unit_rows
from workflow_scripts.retrieval.vector_search import best_of_candidates

# Steps between the smallest and the largest value of a unit.
_STEPS = 255
# Candidates that are scored again: so many times k, and this many at least.
_TIMES, _LEAST = 4, 128
# Of what codes lose: neighbours that are looked for, and vectors that are taken.
_K, _SAMPLED = 10, 20_000


def check_quantization(quantization: str) -> None:
    """Raise `UserError` for a kind of code that there is not."""
    if quantization not in (known := get_args(Quantization)):
        raise UserError(f"quantization {quantization!r}", "unknown", f"use {' or '.join(known)}")


def value_ranges(parts: Iterable[np.ndarray]) -> np.ndarray:
    """Return the smallest and the largest value of each unit, float32 [2, D], of vectors [n, D].

    The vectors come in parts, as they are read from disk.
    """
    extremes = [np.stack([part.min(axis=0), part.max(axis=0)]) for part in parts if len(part)]
    both = np.stack(extremes).astype(np.float32)
    return np.stack([both[:, 0].min(axis=0), both[:, 1].max(axis=0)])


def quantize(
    vectors: np.ndarray, quantization: Quantization, ranges: np.ndarray | None = None
) -> np.ndarray:
    """Quantise vectors [n, D]: to int8 [n, D], or to uint8 [n, ceil(D / 8)], one bit per dimension.

    The codes equal those of `quantize_embeddings` of sentence-transformers with precision "int8"
    and "ubinary". `ranges` are its `value_ranges` for int8 (default: the ranges of the vectors);
    values outside get the nearest code. A bit is set where the value is above zero.
    """
    check_quantization(quantization)
    if quantization == "binary":
        return np.packbits(vectors > 0, axis=-1)
    low, high = value_ranges([vectors]) if ranges is None else ranges.astype(np.float32)
    steps = (high - low) / _STEPS
    steps = np.where(steps == 0, 1, steps)
    codes = np.clip(np.floor((vectors - low) / steps), 0, _STEPS)
    return (codes - 128).astype(np.int8)


def write_codes(
    vectors: np.ndarray, quantization: Quantization, output: Path, ranges_output: Path
) -> None:
    """Write the codes of vectors [n, D], and the ranges of int8, to .npy files."""
    ranges = None
    if quantization == "int8":
        ranges = value_ranges(parts(vectors))
        with atomic_file(ranges_output) as temporary, open(temporary, "wb") as stream:
            np.save(stream, ranges)
    first = quantize(vectors[:1], quantization, ranges)
    shape = (len(vectors), first.shape[1])
    with atomic_file(output) as temporary:
        codes = open_memmap(temporary, "w+", first.dtype, shape)
        for start in range(0, len(vectors), ROWS):
            part = vectors[start : start + ROWS]
            codes[start : start + ROWS] = quantize(part, quantization, ranges)
        codes.flush()


def quantization_line(vectors: np.ndarray, quantization: Quantization, threads: int) -> str:
    """Return a line on what the codes of vectors [n, D] lose, on a sample of them.

    Alone, and where the float vectors are kept to score what the codes find again.
    """
    sample = unit_rows(np.array(spread(vectors, _SAMPLED), dtype=np.float32))
    queries = np.arange(0, len(sample), max(2, -(-len(sample) // SAMPLE)))
    others = np.delete(sample, queries, axis=0)
    if not len(others):
        return f"{quantization}: too few strings to measure the loss"
    index, k = QuantizedIndex(others, quantization, threads=threads), min(_K, len(others))
    alone, rescored = index.recall_alone(sample[queries], k), index.recall(sample[queries], k)
    return (
        f"{quantization}: recall@{k} {alone:.4f} of the neighbours by float vectors, "
        f"{rescored:.4f} where those score the candidates again; of {len(queries)} queries among "
        f"{len(others)} strings"
    )


class QuantizedIndex(RescoredSearch):
    """Codes of vectors [n, dimension] in memory: a byte a unit (int8) or a bit (binary).

    FAISS's IndexScalarQuantizer compares a query with the values that its bytes stand for,
    IndexBinaryFlat the bits of both.
    """

    def __init__(
        self,
        vectors: np.ndarray,
        quantization: Quantization,
        vectors_sha256: str = "",
        file: Path | None = None,
        threads: int = 1,
    ) -> None:
        """Read the codes from `file`, or make them and write them there."""
        check_quantization(quantization)
        self._is_binary = quantization == "binary"
        if self._is_binary:
            self._read, self._write = faiss.read_index_binary, faiss.write_index_binary
        made = (vectors, vectors_sha256, file, threads)
        super().__init__(*made, name=quantization, kind={"kind": quantization})

    def _width(self, k: int) -> int:
        return max(_TIMES * k, _LEAST)

    def _make(self) -> Any:
        dimension = self._vectors.shape[1]
        index: Any
        if self._is_binary:
            index = faiss.IndexBinaryFlat(8 * -(-dimension // 8))
            for part in parts(self._vectors):
                index.add(quantize(part, "binary"))
            return index
        byte, inner = faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT
        index = faiss.IndexScalarQuantizer(dimension, byte, inner)
        # it learns the range of each unit, for which its two ends suffice
        index.train(value_ranges(parts(self._vectors)))
        for part in parts(self._vectors):
            index.add(np.ascontiguousarray(part, dtype=np.float32))
        return index

    def candidates(self, queries: np.ndarray, width: int) -> np.ndarray:
        """Return rows [n, width] of the nearest by the codes alone."""
        if self._is_binary:
            queries = quantize(queries, "binary")
        return super().candidates(queries, width)

    def recall_alone(self, queries: np.ndarray, k: int) -> float:
        """Return the recall as `recall` does, of the codes without float vectors."""
        near = self.candidates(np.ascontiguousarray(queries, dtype=np.float32), k)
        _, products = best_of_candidates(queries, self._vectors, near, k)
        return share_of_nearest(products, queries, self._vectors, self._threads)
