"""Names to link to and their vectors in a folder, kept for the next call and checked by hash.

`names.tsv` holds a row of id and name for each row of `vectors.npy`; `index.json` says what they
were made from and is written last, so that a folder without it is one that was not finished.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from workflow_scripts.datasets.name_lists import NameList
from workflow_scripts.embedding.vector_shards import SHARD_SIZE, Encode, ShardedJob, embed_in_shards
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_text, read_json, sha256_of, stream_lines, write_json
from workflow_scripts.retrieval.suite_files import read_vectors

_RECORD, _NAMES, _VECTORS = "index.json", "names.tsv", "vectors.npy"
_BACKEND = ("backend", "precision")
# What changes vectors; versions of libraries change their last digits.
_COMPARED = ("weights_sha256", "pooling", "max_length", "similarity", "dtype", *_BACKEND)


@dataclass(frozen=True)
class NameIndex:
    """Ids and names by row, and vectors [names, dimension] of them, on disk."""

    ids: list[str]
    names: list[str]
    vectors: np.ndarray


def describe_files(paths: Sequence[Path], choices: dict[str, Any]) -> dict[str, Any]:
    """Return what the names of an index were read from and how."""
    files = [{"file": path.name, "sha256": sha256_of(path)} for path in paths]
    return {"files": files, "choices": choices}


def is_finished(folder: Path) -> bool:
    return (folder / _RECORD).is_file()


def open_index(folder: Path, maker: dict[str, Any], source: dict[str, Any] | None) -> NameIndex:
    """Return a finished index, made by `maker` and, where it is told, from `source`.

    Raises `UserError` where it was made by another encoder or from other names.
    """
    record = read_json(folder / _RECORD)
    for key in _COMPARED:
        if (was := record["maker"].get(key)) != maker[key]:
            raise _other(folder, f"with {key} {was}, where now it is {maker[key]}")
    if source is not None and record["source"] != source:
        raise _other(folder, "from other files of names, or otherwise read ones")
    if sha256_of(folder / _NAMES) != record["names_sha256"]:
        raise UserError(f"{folder / _NAMES}: changed since it was made; remove the folder")
    return map_index(folder / _NAMES, folder / _VECTORS)


def map_index(names_file: Path, vectors_file: Path) -> NameIndex:
    """Return the names of a file, id<TAB>name a line, with their vectors."""
    ids, names = [], []
    for line in stream_lines(names_file):
        identity, _, name = line.partition("\t")
        # an id has several names
        ids.append(ids[-1] if ids and ids[-1] == identity else identity)
        names.append(name)
    vectors = read_vectors(vectors_file)
    if len(vectors) != len(names):
        problem = f"{len(vectors)} vectors of {len(names)} names"
        raise UserError(f"{vectors_file}: {problem}; remove its folder to have it made anew")
    return NameIndex(ids, names, vectors)


def write_names(path: Path, ids: Sequence[str], names: Sequence[str]) -> None:
    with atomic_text(path) as stream:
        rows = zip(ids, names, strict=True)
        stream.writelines(f"{identity}\t{name}\n" for identity, name in rows)


def make_index(
    folder: Path,
    found: NameList,
    source: dict[str, Any],
    maker: dict[str, Any],
    encode: Encode,
    dimension: int,
    dtype: str = "float32",
    shard_size: int = SHARD_SIZE,
) -> None:
    """Embed the names shard by shard; a run that was stopped goes on with what is left."""
    folder.mkdir(parents=True, exist_ok=True)
    write_names(folder / _NAMES, found.ids, found.names)
    job = ShardedJob(folder / _VECTORS, found.names, dimension, maker, dtype, shard_size)
    embed_in_shards(job, encode)
    record = {"maker": maker, "source": source, "names": len(found.names)}
    record |= {"dropped": dict(found.dropped), "dimension": dimension}
    write_json(folder / _RECORD, record | {"names_sha256": sha256_of(folder / _NAMES)})
    left = "".join(f", {count} {why} left out" for why, count in found.dropped.items())
    print(f"{folder}: {len(found.names)} names{left}", file=sys.stderr)


def _other(folder: Path, how: str) -> UserError:
    return UserError(f"{folder}: an index made {how}; give another --index or remove the folder")
