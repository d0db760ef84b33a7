"""Vectors of large jobs: embedded shard by shard, resumed after a kill, joined on disk.

Next to the output `vectors.npy`, `.vectors.npy.shards` holds job.json, which says what the shards
are made from, and one .npy for each finished shard, whole or not at all. A shard ends in a seal:
one that was damaged, or swapped for another, is made again.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, open_memmap, write_array_header_1_0

from workflow_scripts.canonical import canonical
from workflow_scripts.embedding.progress import Advance, embedding_progress
from workflow_scripts.embedding.sealed_files import is_sealed, seal
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file, read_json, remove, sha256_of, write_json

SHARD_SIZE = 50_000
Dtype = Literal["float32", "float16"]
# codes of few bits, which retrieval.quantization makes
Quantization = Literal["int8", "binary"]
# Rows that are copied at once where shards are joined.
ROWS_AT_ONCE = 10_000

Encode = Callable[[Sequence[str], Advance], np.ndarray]
Finish = Callable[[np.ndarray], None]
Record = Callable[[str], None]


def working_folder(output: Path) -> Path:
    return output.with_name(f".{output.name}.shards")


@dataclass(frozen=True)
class ShardedJob:
    """What is written where: `strings` to `output` [number of strings, `dimension`] as `dtype`.

    `provenance` says in JSON values what makes the vectors; shards of another maker are not used.
    """

    output: Path
    strings: Sequence[str]
    dimension: int
    provenance: dict[str, Any]
    dtype: str = "float32"
    shard_size: int = SHARD_SIZE

    @property
    def folder(self) -> Path:
        return working_folder(self.output)

    def shard(self, first: int) -> Path:
        return self.folder / f"{first:010d}.npy"


def shard_bounds(count: int, shard_size: int) -> list[tuple[int, int]]:
    return [(first, min(first + shard_size, count)) for first in range(0, count, shard_size)]


def write_array(path: Path, array: np.ndarray, made_from: str | None = None) -> None:
    """Write a .npy file, whole or not at all; a full disk is an `OSError` with its number.

    With `made_from` the file is sealed.
    """
    with atomic_file(path) as temporary:
        with open(temporary, "wb") as stream:
            # into a file itself numpy writes by other means, which do not tell what went wrong
            array = np.ascontiguousarray(array)
            write_array_header_1_0(stream, header_data_from_array_1_0(array))
            stream.write(array.data)
        if made_from is not None:
            seal(temporary, made_from)


def describe(job: ShardedJob, strings: Collection[str]) -> dict[str, Any]:
    """Return what tells a job from others, as JSON values."""
    digest = hashlib.sha256()
    for string in strings:
        digest.update(f"{string}\n".encode())
    description = {"dtype": job.dtype, "provenance": job.provenance, "shard_size": job.shard_size}
    return description | {"strings": len(strings), "strings_sha256": digest.hexdigest()}


def was_described(path: Path, description: dict[str, Any]) -> bool:
    with suppress(UserError):
        return bool(read_json(path) == description)
    return False


def open_working_folder(job: ShardedJob, description: dict[str, Any]) -> None:
    """Make the working folder with job.json; what another job left there is removed."""
    job_file = job.folder / "job.json"
    if os.path.lexists(job.folder):
        # a link leads to where this job must not write
        if not job.folder.is_symlink() and was_described(job_file, description):
            return
        print(f"{job.folder}: left over from another job, removed", file=sys.stderr)
        remove(job.folder)
    write_json(job_file, description)


def write_shard(job: ShardedJob, first: int, vectors: np.ndarray, made_from: str) -> None:
    name = job.provenance.get("model", "the model")
    if not np.isfinite(vectors).all():
        raise UserError(name, "gives vectors that are not finite", "tune or fetch it again")
    with np.errstate(over="ignore"):
        stored = vectors.astype(job.dtype, copy=False)
    if not np.isfinite(stored).all():
        raise UserError(name, f"its vectors are too large for {job.dtype}", "use --dtype float32")
    write_array(job.shard(first), stored, made_from)


def join_shards(
    job: ShardedJob,
    unique_rows: np.ndarray,
    unique_count: int,
    finish: Finish,
    record: Record | None,
) -> None:
    """Write the output from the finished shards; line i has the unique string `unique_rows[i]`."""
    # In the working folder, where a killed run leaves nothing that the next one does not tidy up.
    joined = job.folder / "joined.npy"
    shape = (len(unique_rows), job.dimension)
    remove(joined)
    open_memmap(joined, mode="w+", dtype=job.dtype, shape=shape)
    with open(joined, "r+b") as stream:
        # a full disk is an error here, and a crash when a page of the map is written
        os.posix_fallocate(stream.fileno(), 0, joined.stat().st_size)
    for first, end in shard_bounds(unique_count, job.shard_size):
        shard = open_memmap(job.shard(first), mode="r")
        # Mapped again each time: pages count as this process's memory until their mapping goes.
        vectors = open_memmap(joined, mode="r+")
        lines = np.flatnonzero((unique_rows >= first) & (unique_rows < end))
        for start in range(0, len(lines), ROWS_AT_ONCE):
            some = lines[start : start + ROWS_AT_ONCE]
            vectors[some] = shard[unique_rows[some] - first]
    vectors = open_memmap(joined, mode="r+")
    finish(vectors)
    vectors.flush()
    if record is not None:
        record(sha256_of(joined))
    os.replace(joined, job.output)


def embed_in_shards(
    job: ShardedJob,
    encode: Encode,
    finish: Finish = lambda _: None,
    record: Record | None = None,
) -> None:
    """Write the vectors of the job; row i belongs to line i, equal lines are run once.

    `encode` maps strings to float32 vectors [number of strings, D] and tells its second argument
    how many it has done; `finish` may change the vectors of all lines before they are the output,
    and `record` is given the SHA-256 of the output just before it is in its place. The same job
    gives the same bytes, interrupted or not.
    """
    row_of: dict[str, int] = {}
    places = (row_of.setdefault(string, len(row_of)) for string in job.strings)
    rows = np.fromiter(places, dtype=np.int64, count=len(job.strings))
    unique = list(row_of)
    description = describe(job, unique)
    open_working_folder(job, description)
    bounds = shard_bounds(len(unique), job.shard_size)
    # what a shard is sealed with, so that no other passes for it
    origins = {first: canonical([description, first]) for first, _ in bounds}
    todo = [
        (first, end) for first, end in bounds if not is_sealed(job.shard(first), origins[first])
    ]
    remaining = sum(end - first for first, end in todo)
    if done := len(unique) - remaining:
        print(f"continuing: {done} of {len(unique)} strings are done", file=sys.stderr)
    try:
        with embedding_progress(remaining) as advance:
            for first, end in todo:
                vectors = encode(unique[first:end], advance)
                try:
                    write_shard(job, first, vectors, origins[first])
                except UserError:
                    # Going on would end here again.
                    shutil.rmtree(job.folder)
                    raise
                done += end - first
    except KeyboardInterrupt:
        kept = f"the vectors of {done:,} of {len(unique):,} strings are kept in {job.folder}"
        raise KeyboardInterrupt(f"{kept}; the same command continues from there") from None
    join_shards(job, rows, len(unique), finish, record)
    # who reads the output by now may remove it too
    shutil.rmtree(job.folder, ignore_errors=True)


def embed_once(job: ShardedJob, encode: Encode, finish: Finish = lambda _: None) -> np.ndarray:
    """Return the vectors of the job, mapped from disk; those of an earlier equal job are reused.

    A .json next to the output records what it is made from and its SHA-256. `finish` is as in
    `embed_in_shards`, and the provenance of the job says what it does.
    """
    record, description = job.output.with_suffix(".json"), describe(job, job.strings)

    def made(digest: str) -> dict[str, Any]:
        return description | {"vectors_sha256": digest}

    if not (job.output.is_file() and was_described(record, made(sha256_of(job.output)))):
        for left in (record, job.output):
            left.unlink(missing_ok=True)
        # before the shards are removed, so that a kill in between loses nothing
        embed_in_shards(job, encode, finish, record=lambda digest: write_json(record, made(digest)))
    # left by a run that was killed while it tidied up
    shutil.rmtree(job.folder, ignore_errors=True)
    return np.load(job.output, mmap_mode="r", allow_pickle=False)
