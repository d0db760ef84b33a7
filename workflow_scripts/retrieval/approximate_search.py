"""Approximate nearest neighbours by inner product: FAISS's inverted file, its recall measured.

Never the default. An inverted file (IVF) sorts vectors into lists around centroids and searches the
lists that are nearest to a query; what it finds is scored again as exact search does, so that
scores are exact and only neighbours may be missed.
"""

import sys
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from workflow_scripts.canonical import canonical
from workflow_scripts.embedding.sealed_files import is_sealed, seal
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import atomic_file
from workflow_scripts.retrieval.vector_search import best_of_candidates, search_blocks

# Lists for each square root of the vectors, and vectors a list that the centroids are learnt on.
_LISTS, _LEARNT = 4, 64
# Candidates beyond k that are scored again.
_MARGIN = 16
# Vectors that are added at once.
_ROWS = 1 << 16
# Queries on which recall is measured.
SAMPLE = 200


class ApproximateIndex:
    """The inverted file of vectors [n, dimension] on disk, in half precision in memory."""

    def __init__(
        self, vectors: np.ndarray, vectors_sha256: str, file: Path, probes: int, threads: int
    ) -> None:
        """Read the inverted file from `file`, or make it and write it there.

        `vectors_sha256` stands for the vectors: a file of others, a damaged one and one of another
        kind are made again.
        """
        faiss.omp_set_num_threads(threads)
        self._vectors, self._threads = vectors, threads
        kind = {"kind": "IVF, fp16", "lists": _LISTS, "learnt": _LEARNT}
        self._made_from = canonical({"vectors_sha256": vectors_sha256, **kind})
        self._index: Any
        if is_sealed(file, self._made_from):
            with damaged_file_error(file):
                self._index = faiss.read_index(str(file))
        else:
            if file.exists():
                why = "damaged, or made from other vectors or in another way"
                print(f"{file}: {why}; making it again", file=sys.stderr)
            self._index = self._make(file)
        self._index.nprobe = min(probes, self._index.nlist)

    def _make(self, file: Path) -> faiss.Index:
        count, dimension = self._vectors.shape
        lists = max(1, min(int(_LISTS * count**0.5), count // _LEARNT))
        inner = faiss.METRIC_INNER_PRODUCT
        half = faiss.ScalarQuantizer.QT_fp16
        quantiser = faiss.IndexFlatIP(dimension)
        index = faiss.IndexIVFScalarQuantizer(quantiser, dimension, lists, half, inner, False)
        step = max(1, count // (lists * _LEARNT))
        index.train(np.ascontiguousarray(self._vectors[::step], dtype=np.float32))
        for start in range(0, count, _ROWS):
            rows = self._vectors[start : start + _ROWS]
            index.add(np.ascontiguousarray(rows, dtype=np.float32))
        with atomic_file(file) as temporary:
            faiss.write_index(index, str(temporary))
            seal(temporary, self._made_from)
        return index

    def search(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows (int64) and products (float64) [n, k]; where lists hold too few, exact."""
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        width = min(k + _MARGIN, len(self._vectors))
        _, candidates = self._index.search(queries, width)
        full = (candidates >= 0).all(axis=1)
        rows = np.empty((len(queries), k), dtype=np.int64)
        products = np.empty((len(queries), k))
        rows[full], products[full] = best_of_candidates(
            queries[full], self._vectors, candidates[full], k
        )
        if not full.all():
            others = search_blocks(queries[~full], self._vectors, k, threads=self._threads)
            rows[~full], products[~full] = others
        return rows, products

    def recall(self, queries: np.ndarray, k: int) -> float:
        """Return the share of the k nearest, of at most `SAMPLE` queries, that is found.

        A neighbour counts as found too if another with its product is.
        """
        step = -(-len(queries) // SAMPLE)
        some, k = queries[::step], min(k, len(self._vectors))
        _, products = self.search(some, k)
        _, exact = search_blocks(some, self._vectors, k, threads=self._threads)
        return float((products >= exact[:, -1:]).mean())
