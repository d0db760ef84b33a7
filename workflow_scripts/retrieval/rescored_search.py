"""Neighbours that an index of less memory finds, scored again by the vectors on disk.

Scores are exact; only neighbours may be missed, and `recall` says how many are.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import faiss
import numpy as np

from workflow_scripts.canonical import canonical
from workflow_scripts.embedding.sealed_files import is_sealed, seal
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import atomic_file
from workflow_scripts.retrieval.vector_loss import share_of_nearest, spread
from workflow_scripts.retrieval.vector_search import best_of_candidates, search_blocks

# Vectors that are added at once.
ROWS = 1 << 16
# Queries on which recall is measured.
SAMPLE = 200


def parts(vectors: np.ndarray) -> Iterator[np.ndarray]:
    """Return the vectors in parts of `ROWS`."""
    return (vectors[start : start + ROWS] for start in range(0, len(vectors), ROWS))


class RescoredSearch:
    """An index of FAISS over vectors [n, dimension] that stay on disk.

    A class says how the index is made of the vectors, and searched for candidates. `name` is what
    messages call the search.
    """

    # FAISS has others for binary indices
    _read: Any = staticmethod(faiss.read_index)
    _write: Any = staticmethod(faiss.write_index)

    def __init__(
        self,
        vectors: np.ndarray,
        vectors_sha256: str,
        file: Path | None,
        threads: int,
        *,
        name: str,
        kind: dict[str, Any],
    ) -> None:
        """Read the index from `file`, or make it and write it there; None keeps it in memory.

        `vectors_sha256` stands for the vectors, `kind` (JSON values) for what else the index is: a
        file of others, a damaged one and one of another kind are made again.
        """
        faiss.omp_set_num_threads(threads)
        self.name, self._vectors, self._threads = name, vectors, threads
        made_from = canonical({"vectors_sha256": vectors_sha256, **kind})
        self._index: Any
        if file is None:
            self._index = self._make()
        elif is_sealed(file, made_from):
            with damaged_file_error(file):
                self._index = self._read(str(file))
        else:
            if file.exists():
                why = "damaged, or made from other vectors or settings"
                print(f"{file}: {why}; making it again", file=sys.stderr)
            self._index = self._make()
            with atomic_file(file) as temporary:
                self._write(self._index, str(temporary))
                seal(temporary, made_from)

    def _make(self) -> Any:
        """Return the index of the vectors."""
        raise NotImplementedError

    def _width(self, k: int) -> int:
        """Return the number of candidates that are scored again for k neighbours."""
        raise NotImplementedError

    def candidates(self, queries: np.ndarray, width: int) -> np.ndarray:
        """Return rows [n, width] of the index's own nearest, -1 where it has fewer."""
        rows: np.ndarray = self._index.search(queries, width)[1]
        return rows

    def search(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Return rows (int64) and products (float64) [n, k]; where too few are near, exact."""
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        candidates = self.candidates(queries, min(self._width(k), len(self._vectors)))
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
        """Return the share of the k nearest, of at most `SAMPLE` queries, that is found."""
        some = spread(queries, SAMPLE)
        _, products = self.search(some, min(k, len(self._vectors)))
        return share_of_nearest(products, some, self._vectors, self._threads)
