"""The two files of an embedded suite: its items (JSON) and its vectors (npy).

Row i of the vectors belongs to string i of the suite; the items refer to strings by that number.
A lexicon has both sides in one suite, or each in that of its language.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json

SIDES = ("source", "target")
# Rows scaled at once: keeps the float64 copy small beside a dictionary of 10^5 names.
_ROWS_AT_ONCE = 8192


def read_datasets(path: str | Path) -> dict[str, dict[str, Any]]:
    """Return the datasets of an items.json: dataset id -> its entry; `UserError` without a file."""
    content = read_json(path)
    with damaged_file_error(path):
        return dict(content["datasets"])


def read_dataset(path: str | Path, dataset: str) -> dict[str, Any]:
    """Return the entry of one dataset of an items.json; `UserError` without a file or the entry."""
    with damaged_file_error(path):
        return read_datasets(path)[dataset]


def read_side(items: str | Path, dataset: str, side: str) -> dict[str, Any]:
    """Return one side ("source", "target") of a lexicon from an items.json."""
    entry = read_dataset(items, dataset)
    return side_of(entry, side) if entry["task"] == "lexicon" else entry


def side_of(entry: dict[str, Any], side: str) -> dict[str, Any]:
    """Return one side of a lexicon whose words are all in one suite."""
    column = SIDES.index(side)
    return {
        "task": "lexicon-side",
        "side": side,
        "split": entry["split"],
        "dropped": entry["dropped"],
        "vocabulary": entry[f"{side}_vocabulary"],
        "train": [pair[column] for pair in entry["train"]],
        "test": [pair[column] for pair in entry["test"]],
    }


def read_vectors(path: str | Path) -> np.ndarray:
    """Return the vectors of a suite, [strings, dimension], mapped from disk; read when gathered."""
    if not Path(path).is_file():
        raise UserError(path, "no such file", "embed the suite first")
    with damaged_file_error(path):
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        if vectors.ndim != 2 or vectors.dtype.kind != "f":
            raise ValueError(f"{vectors.dtype} {list(vectors.shape)}")
    return vectors


def gather_rows(vectors: np.ndarray, strings: Sequence[int], name: str) -> np.ndarray:
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
