"""Approximate nearest neighbours by inner product: FAISS's inverted file, its recall measured.

Never the default. An inverted file (IVF) sorts vectors into lists around centroids and searches the
lists that are nearest to a query; what it finds is scored again as exact search does, so that
scores are exact and only neighbours may be missed.
"""

from pathlib import Path

import faiss
import numpy as np

from workflow_scripts.retrieval.rescored_search import RescoredSearch, parts

# Lists for each square root of the vectors, and vectors a list that the centroids are learnt on.
_LISTS, _LEARNT = 4, 64
# Candidates beyond k that are scored again.
_MARGIN = 16


class ApproximateIndex(RescoredSearch):
    """The inverted file of vectors [n, dimension] on disk, in half precision in memory."""

    def __init__(
        self, vectors: np.ndarray, vectors_sha256: str, file: Path, probes: int, threads: int
    ) -> None:
        """Read the inverted file from `file`, or make it and write it there."""
        kind = {"kind": "IVF, fp16", "lists": _LISTS, "learnt": _LEARNT}
        name = "approximate search"
        super().__init__(vectors, vectors_sha256, file, threads, name=name, kind=kind)
        self._index.nprobe = min(probes, self._index.nlist)

    def _width(self, k: int) -> int:
        return k + _MARGIN

    def _make(self) -> faiss.Index:
        count, dimension = self._vectors.shape
        lists = max(1, min(int(_LISTS * count**0.5), count // _LEARNT))
        inner = faiss.METRIC_INNER_PRODUCT
        half = faiss.ScalarQuantizer.QT_fp16
        quantiser = faiss.IndexFlatIP(dimension)
        index = faiss.IndexIVFScalarQuantizer(quantiser, dimension, lists, half, inner, False)
        step = max(1, count // (lists * _LEARNT))
        index.train(np.ascontiguousarray(self._vectors[::step], dtype=np.float32))
        for part in parts(self._vectors):
            index.add(np.ascontiguousarray(part, dtype=np.float32))
        return index
