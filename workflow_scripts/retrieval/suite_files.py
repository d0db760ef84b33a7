"""Items of data sets (items.json), and the rows of vectors that belong to their strings."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

# Rows scaled at once: keeps the float64 copy small next to a dictionary of 10^5 names.
_ROWS_AT_ONCE = 8192


def read_dataset(path: str | Path) -> dict[str, Any]:
    """Return the block of an items.json: `dataset` (its id), `task` and its items."""
    entry = read_json(path)
    with damaged_file_error(path):
        return {**entry, "dataset": str(entry["dataset"]), "task": str(entry["task"])}


def read_datasets(paths: Iterable[str | Path]) -> dict[str, dict[str, Any]]:
    """Return the blocks of several items.json by data set; `UserError` for a set given twice."""
    datasets: dict[str, dict[str, Any]] = {}
    for path in paths:
        entry = read_dataset(path)
        if datasets.setdefault(entry["dataset"], entry) is not entry:
            raise UserError(path, f"is of data set {entry['dataset']}, as another", "give it once")
    return datasets


def gather_rows(
    vectors: np.ndarray | StringVectors, strings: Sequence[int], name: str
) -> np.ndarray:
    """Return the rows of the given strings as float32, [len(strings), dimension].

    Raises `UserError` naming (whose vectors) `name` and the string where a row is not finite.
    """
    with damaged_file_error(f"the items of {name}"):
        indices = np.asarray(strings, dtype=np.int64)
        if len(indices) and not 0 <= indices.min() <= indices.max() < len(vectors):
            raise IndexError(f"strings {indices.min()} to {indices.max()} of {len(vectors)}")
    rows = np.asarray(vectors[indices], dtype=np.float32)
    wrong = ~np.isfinite(rows).all(axis=1)
    if wrong.any():
        raise UserError(
            name,
            f"the vector of string {indices[wrong][0]} holds NaN or infinity ({int(wrong.sum())} "
            "such rows)",
            "the encoder has diverged: tune it again with a lower learning rate, or check its "
            "model",
        )
    return rows


def normalise(
    vectors: np.ndarray,
    name: str,
    row_names: Sequence[int] | None = None,
    dtype: DTypeLike = np.float32,
    remedy: str = "check the encoder that made it",
) -> np.ndarray:
    """Return the rows of `vectors` [n, dimension] scaled to unit length, computed in float64.

    Raises `UserError` for the first row that is zero or not finite, by `name` (whose rows these
    are), `row_names` (what to call row i; default: i) and `remedy` (what to do).
    """
    vectors = np.asarray(vectors)
    scaled = np.empty(vectors.shape, dtype=dtype)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = vectors[start : start + _ROWS_AT_ONCE].astype(np.float64)
        lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
        wrong = ~(np.isfinite(lengths) & (lengths > 0))
        if wrong.any():
            first = int(np.flatnonzero(wrong)[0])
            what = "a zero vector" if lengths[first] == 0 else "not finite"
            called = start + first if row_names is None else row_names[start + first]
            raise UserError(
                name, f"row {called} is {what} and cannot be scaled to unit length", remedy
            )
        scaled[start : start + len(rows)] = rows / lengths[:, None]
    return scaled
