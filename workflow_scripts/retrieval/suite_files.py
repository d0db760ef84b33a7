"""Reading the two files of an embedded suite: its items (JSON) and its vectors (npy).

Row i of the vectors belongs to string i of the suite; the items refer to strings by that number.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json


def read_datasets(path: str | Path) -> dict[str, dict[str, Any]]:
    """Return the datasets of an items.json: dataset id -> its entry.

    Raises `UserError` if the file is missing, malformed or without datasets.
    """
    content = read_json(path)
    datasets = content.get("datasets") if isinstance(content, dict) else None
    if not isinstance(datasets, dict) or not all(
        isinstance(entry, dict) and "task" in entry for entry in datasets.values()
    ):
        raise UserError(f"{path}: not the items of a suite; remake it with read_suite")
    if not datasets:
        raise UserError(f"{path}: the suite holds no dataset; add one to it in the config")
    return datasets


def field(entry: dict[str, Any], key: str, dataset: str) -> Any:
    """Return `entry[key]`; `UserError` naming dataset and key if the entry lacks it."""
    if key not in entry:
        raise UserError(
            f"dataset {dataset}: its items have no {key!r}; remake items.json with read_suite"
        )
    return entry[key]


def check_distinct(strings: Sequence[int], what: str, dataset: str) -> None:
    """Raise `UserError` naming the first string id that is there twice; `what` says among what."""
    seen: set[int] = set()
    for string in strings:
        if string in seen:
            raise UserError(
                f"dataset {dataset}: string {string} is twice in {what}; "
                "remake items.json with read_suite"
            )
        seen.add(string)


def read_vectors(path: str | Path) -> np.ndarray:
    """Return the vectors of a suite, [number of strings, dimension], mapped from disk.

    Nothing is read before rows are gathered, so a step pays only for the rows of its own datasets.
    Raises `UserError` if the file is missing, cut short or no matrix of floating-point numbers.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file; embed the suite first")
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise UserError(f"{path}: not a whole npy file ({error}); embed the suite again") from error
    if (
        not isinstance(vectors, np.ndarray)
        or vectors.ndim != 2
        or not np.issubdtype(vectors.dtype, np.floating)
        or vectors.shape[1] == 0
    ):
        raise UserError(
            f"{path}: expected a matrix of floating-point numbers, one row a string; "
            "embed the suite again"
        )
    return vectors


def gather_rows(vectors: np.ndarray, strings: Sequence[int], name: str) -> np.ndarray:
    """Return the rows of the given strings as float32, [len(strings), dimension].

    `name` says whose vectors these are, in messages. Raises `UserError` naming the string where a
    row is missing or holds NaN or infinity.
    """
    indices = np.asarray(strings, dtype=np.int64)
    outside = (indices < 0) | (indices >= len(vectors))
    if outside.any():
        raise UserError(
            f"{name}: no row for string {indices[outside][0]} ({len(vectors)} rows); "
            "vectors and items are of different suites: embed the suite again"
        )
    rows = np.asarray(vectors[indices], dtype=np.float32)
    wrong = ~np.isfinite(rows).all(axis=1)
    if wrong.any():
        raise UserError(
            f"{name}: the vector of string {indices[wrong][0]} holds NaN or infinity "
            f"({int(wrong.sum())} such rows); the encoder has diverged: tune it again with a lower "
            "learning rate, or check its model"
        )
    return rows
