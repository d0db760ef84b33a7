"""The files of an embedding job: one encoder's vectors of the strings of several data sets.

`{suite}.npy` is float32 [different strings, dimension]: a string of several data sets has one row.
Next to it `{suite}.npz` has an int array for each data set (of a lexicon one for each side, see
`strings_key`): the row of each of its strings, which items.json numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.datasets.sides import strings_key
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import atomic_file, read_lines, sha256_of, write_json


class StringVectors:
    """The vectors of a data set's strings: takes string numbers as an array of them does.

    `vectors` are float [different strings, dimension], `rows` int [strings of the data set].
    """

    def __init__(self, vectors: np.ndarray, rows: np.ndarray) -> None:
        self._vectors = vectors
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, strings: np.ndarray | Sequence[int]) -> np.ndarray:
        """Return the vectors of the strings of these numbers, [len(strings), dimension]."""
        return self._vectors[self._rows[strings]]


def number_strings(
    lists: Mapping[str, Sequence[str]],
) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the different strings of all lists, and the row of each string of each list (int32).

    Rows are in the order of first occurrence.
    """
    numbers: dict[str, int] = {}
    rows = {
        key: np.array(
            [numbers.setdefault(string, len(numbers)) for string in strings], dtype=np.int32
        )
        for key, strings in lists.items()
    }
    return list(numbers), rows


def write_suite(
    output: Path,
    record: Path,
    keys: Sequence[str],
    files: Sequence[Path],
    embed: Callable[[list[str]], tuple[np.ndarray, dict[str, Any]]],
) -> None:
    """Write the vectors of the strings of data sets, by their keys and files, and what made them.

    `embed` returns the vectors of different strings, and their record. Raises `UserError` for a
    file without strings.
    """
    if len(keys) != len(files):
        problem = f"{len(files)} files for {len(keys)} data sets"
        raise UserError("--strings", problem, "give a file for each of --datasets")
    lists = dict(zip(keys, map(read_lines, files), strict=True))
    if empty := [file for file, strings in zip(files, lists.values(), strict=True) if not strings]:
        raise UserError(empty[0], "no strings to embed", "read the data set again")
    strings, rows = number_strings(lists)
    vectors, content = embed(strings)
    write_vectors(output, vectors, rows)
    write_json(record, content | {"datasets": dict(zip(keys, map(sha256_of, files), strict=True))})


def write_vectors(path: str | Path, vectors: np.ndarray, rows: Mapping[str, np.ndarray]) -> None:
    """Write vectors [different strings, dimension] and their index; equal values, equal bytes."""
    with atomic_file(index_of(path)) as temporary, open(temporary, "wb") as stream:
        np.savez(stream, allow_pickle=False, **rows)
    with atomic_file(path) as temporary, open(temporary, "wb") as stream:
        np.save(stream, vectors)


def index_of(path: str | Path) -> Path:
    """Return the index that stands next to a file of vectors."""
    return Path(path).with_suffix(".npz")


def read_vectors(path: str | Path) -> np.ndarray:
    """Return the vectors of a file, [rows, dimension], mapped from disk; read when gathered."""
    if not Path(path).is_file():
        raise UserError(path, "no such file", "embed its strings first")
    with damaged_file_error(path):
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
        if vectors.ndim != 2 or vectors.dtype.kind != "f":
            raise ValueError(f"{vectors.dtype} {list(vectors.shape)}")
    return vectors


def read_string_vectors(path: str | Path, dataset: str, side: str | None = None) -> StringVectors:
    """Return the vectors of a data set's strings, or of one side of a lexicon.

    Raises `UserError` for a missing or damaged file, and for one without the data set.
    """
    vectors, index, key = read_vectors(path), index_of(path), strings_key(dataset, side)
    if not index.is_file():
        raise UserError(index, "no such file", "embed the strings again")
    with damaged_file_error(index), np.load(index, allow_pickle=False) as archive:
        if key not in archive:
            raise UserError(index, f"has no data set {key}", "embed its strings first")
        rows = archive[key]
        if rows.ndim != 1 or rows.dtype.kind != "i":
            raise ValueError(f"{rows.dtype} {list(rows.shape)}")
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(vectors):
            raise IndexError(f"rows {rows.min()} to {rows.max()} of {len(vectors)}")
    return StringVectors(vectors, rows)
