"""Names to link to and their vectors in a folder, kept for the next call and checked by hash.

`names.tsv` holds a row of id and name for each row of `vectors.npy`; `index.json` says what they
were made from. The vectors come last, so that a folder without them is one that was not finished.
The command `link` keeps all names in one index, jobs of dictionaries a shard of them in each.
"""

import hashlib
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.datasets.name_lists import NameList
from workflow_scripts.embedding.settings import SETTINGS
from workflow_scripts.embedding.suite_vectors import read_vectors
from workflow_scripts.embedding.vector_shards import (
    SHARD_SIZE,
    Encode,
    ShardedJob,
    embed_in_shards,
    working_folder,
)
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import read_json, sha256_of, write_json

# The shard that has all names; another is "2-of-8".
WHOLE = "1-of-1"
_REMEDY = "remove the folder, so that it is made again from --names"
_RECORD, _NAMES, _VECTORS = "index.json", "names.tsv", "vectors.npy"
# Of names.tsv, where its lines are looked for.
_BYTES_AT_ONCE = 1 << 24
# What changes vectors; versions of libraries and devices change their last digits.
_COMPARED: tuple[str, ...] = ("backend", "weights_sha256", "model_sha256", "onnx_sha256")
_COMPARED += (*SETTINGS, "similarity", "dtype", "precision", "quantization")
_MEANING = {"model_sha256": "another config.json or tokenizer: ", "onnx_sha256": "another file: "}


@dataclass(frozen=True)
class NameIndex:
    """(id, name) by row, and vectors [names, dimension] of the names, all on disk."""

    text: np.ndarray  # names.tsv, mapped, uint8
    ends: np.ndarray  # of its lines, int64 [names]
    vectors: np.ndarray
    # stands for the vectors of an index that was checked
    vectors_sha256: str = ""

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, row: int) -> tuple[str, str]:
        start = self.ends[row - 1] + 1 if row else 0
        identity, _, name = self.text[start : self.ends[row]].tobytes().decode().partition("\t")
        return identity, name

    @cached_property
    def names_sha256(self) -> str:
        """The hash of ids and names, in their order."""
        return hashlib.sha256(self.text.data).hexdigest()

    @cached_property
    def id_numbers(self) -> np.ndarray:
        """The number of each row's id, int64 [names]; ids are counted from 0 as they come."""
        known: dict[str, int] = {}
        rows = (known.setdefault(self[row][0], len(known)) for row in range(len(self)))
        return np.fromiter(rows, dtype=np.int64, count=len(self))


def describe_files(
    paths: Sequence[Path], choices: dict[str, Any], shard: str = WHOLE
) -> dict[str, Any]:
    """Return what the names of an index were read from and how, as JSON values."""
    files = [{"file": path.name, "sha256": sha256_of(path)} for path in paths]
    lists = {key: [*value] for key, value in choices.items() if isinstance(value, tuple)}
    return {"files": files, "choices": choices | lists, "shard": shard}


def read_choices(folder: Path, given: dict[str, Any]) -> dict[str, Any]:
    """Return how the names of an index were read; `UserError` where a given choice is another."""
    record = read_json(folder / _RECORD)
    with damaged_file_error(folder / _RECORD, _REMEDY):
        choices = dict(record["source"]["choices"])
        _compare(folder, choices, choices | given)
    return choices


def is_finished(folder: Path) -> bool:
    return (folder / _RECORD).is_file() and (folder / _VECTORS).is_file()


def open_index(
    folder: Path,
    provenance: dict[str, Any] | None = None,
    source: dict[str, Any] | None = None,
) -> NameIndex:
    """Return a finished index, made by `provenance` and from `source` where they are given.

    Raises `UserError` where it was made by another encoder or from other names, or was changed.
    """
    record = read_json(folder / _RECORD)
    with damaged_file_error(folder / _RECORD, _REMEDY):
        if "names_sha256" in record and not {"vectors_sha256", "provenance"} <= record.keys():
            raise UserError(
                folder, "an index of an older version, which cannot be checked", _REMEDY
            )
        if provenance is not None:
            _compare_provenance(folder, record["provenance"], provenance)
        if source is not None:
            if record["source"]["files"] != source["files"]:
                raise _other(folder, "from other files of names")
            if (was := record["source"].get("shard", WHOLE)) != source["shard"]:
                raise _other(folder, f"from shard {was} of the names")
            _compare(folder, record["source"]["choices"], source["choices"])
        digests = {_NAMES: record["names_sha256"], _VECTORS: record["vectors_sha256"]}
    for name, digest in digests.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != digest:
            wrong = "changed since it was made, or not copied whole"
            raise UserError(folder / name, wrong, _REMEDY)
    # left by a run that was killed while it tidied up
    shutil.rmtree(working_folder(folder / _VECTORS), ignore_errors=True)
    return map_index(folder / _NAMES, folder / _VECTORS, digests[_VECTORS])


def map_index(names_file: Path, vectors_file: Path, vectors_sha256: str = "") -> NameIndex:
    """Return the names of a file, id<TAB>name a line, with their vectors; both stay on disk."""
    # as strings 4 million names would take 0.7 GB; an empty file cannot be mapped
    is_empty = not names_file.stat().st_size
    text = np.empty(0, np.uint8) if is_empty else np.memmap(names_file, np.uint8, "r")
    starts = range(0, len(text), _BYTES_AT_ONCE)
    line_ends = [np.flatnonzero(text[at : at + _BYTES_AT_ONCE] == ord("\n")) + at for at in starts]
    ends = np.concatenate([np.empty(0, np.int64), *line_ends])
    vectors = read_vectors(vectors_file)
    if len(vectors) != len(ends):
        problem = f"{len(vectors)} vectors of {len(ends)} names"
        raise UserError(vectors_file, problem, "remove its folder, so that it is made again")
    return NameIndex(text, ends, vectors, vectors_sha256)


def index_names(ids: Sequence[str], names: Sequence[str], vectors: np.ndarray) -> NameIndex:
    """Return an index in memory of names, their ids, and their vectors [names, dimension]."""
    rows = zip(ids, names, strict=True)
    lines = [f"{identity}\t{name}\n".encode() for identity, name in rows]
    ends = np.cumsum([len(line) for line in lines], dtype=np.int64) - 1
    return NameIndex(np.frombuffer(b"".join(lines), dtype=np.uint8), ends, vectors)


def make_index(
    folder: Path,
    name_list: NameList,
    source: dict[str, Any],
    provenance: dict[str, Any],
    encode: Encode,
    dimension: int,
    dtype: str = "float32",
    shard_size: int = SHARD_SIZE,
) -> None:
    """Embed the names shard by shard; a run that was stopped continues with the rest."""
    folder.mkdir(parents=True, exist_ok=True)
    name_list.write(folder / _NAMES)
    record = {"provenance": provenance, "source": source, "names": len(name_list.names)}
    record |= {"dropped": dict(name_list.dropped), "dimension": dimension}
    record |= {"names_sha256": sha256_of(folder / _NAMES)}
    job = ShardedJob(folder / _VECTORS, name_list.names, dimension, provenance, dtype, shard_size)

    def write_record(digest: str) -> None:
        write_json(folder / _RECORD, record | {"vectors_sha256": digest})

    # before the shards are removed, so that a kill in between loses nothing
    embed_in_shards(job, encode, record=write_record)
    print(f"{folder}: {name_list.summary}", file=sys.stderr)


def provenance_of_vectors(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a provenance that changes vectors, and not only their last digits."""
    return {key: provenance.get(key) for key in _COMPARED}


def _compare_provenance(folder: Path, made_by: dict[str, Any], now: dict[str, Any]) -> None:
    """Raise `UserError` where vectors would be others than those of the index."""
    for key, value in provenance_of_vectors(now).items():
        if (was := made_by.get(key)) != value:
            what = f"{_MEANING.get(key, '')}{key}"
            raise _other(folder, f"with {what} {was}, but now it is {value}")


def _compare(folder: Path, choices: dict[str, Any], others: dict[str, Any]) -> None:
    """Raise `UserError` where names are read in another way than those of the index were."""
    for key, value in others.items():
        if (was := choices.get(key)) != value:
            option = "names_format" if key == "form" else key
            how = f"with --{option.replace('_', '-')} {was}, but now it is {value}"
            raise _other(folder, how)


def _other(folder: Path, how: str) -> UserError:
    return UserError(folder, f"an index made {how}", "give another --index or remove the folder")
