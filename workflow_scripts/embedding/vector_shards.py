"""Vectors of large jobs: embedded shard by shard, taken up again after a kill, joined on disk.

Beside the output `vectors.npy`, `.vectors.npy.shards` holds job.json, which says what the shards
are made from, and one .npy for each finished shard, whole or not at all.
"""

import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import header_data_from_array_1_0, open_memmap, write_array_header_1_0

from workflow_scripts.embedding.progress import Advance, embedding_progress
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file, read_json, remove, write_json

SHARD_SIZE = 50_000
DTYPES = ("float32", "float16")
# Rows that are copied at once where shards are joined.
ROWS_AT_ONCE = 10_000

Encode = Callable[[Sequence[str], Advance], np.ndarray]
Finish = Callable[[np.ndarray], None]


def working_folder(output: Path) -> Path:
    return output.with_name(f".{output.name}.shards")


@dataclass(frozen=True)
class ShardedJob:
    """What is written where: `strings` to `output` [number of strings, `dimension`] as `dtype`.

    `maker` says in JSON values what makes the vectors; shards of another maker are not used.
    """

    output: Path
    strings: Sequence[str]
    dimension: int
    maker: dict[str, Any]
    dtype: str = "float32"
    shard_size: int = SHARD_SIZE

    @property
    def folder(self) -> Path:
        return working_folder(self.output)

    def shard(self, first: int) -> Path:
        return self.folder / f"{first:010d}.npy"


def shard_bounds(count: int, shard_size: int) -> list[tuple[int, int]]:
    return [(first, min(first + shard_size, count)) for first in range(0, count, shard_size)]


def write_array(path: Path, array: np.ndarray) -> None:
    """Write a .npy file, whole or not at all; a full disk is an `OSError` with its number."""
    with atomic_file(path) as temporary, open(temporary, "wb") as stream:
        # into a file itself numpy writes by other means, which do not tell what went wrong
        array = np.ascontiguousarray(array)
        write_array_header_1_0(stream, header_data_from_array_1_0(array))
        stream.write(array.data)


def describe(job: ShardedJob, unique: Collection[str]) -> dict[str, Any]:
    """Return what tells a job from others, as JSON values."""
    digest = hashlib.sha256()
    for string in unique:
        digest.update(f"{string}\n".encode())
    description = {"dtype": job.dtype, "maker": job.maker, "shard_size": job.shard_size}
    return description | {
        "unique_strings": len(unique),
        "unique_strings_sha256": digest.hexdigest(),
    }


def was_described(path: Path, description: dict[str, Any]) -> bool:
    with suppress(UserError):
        return bool(read_json(path) == description)
    return False


def open_working_folder(job: ShardedJob, unique: Sequence[str]) -> None:
    """Make the working folder with job.json; what another job left there is removed."""
    description, job_file = describe(job, unique), job.folder / "job.json"
    if os.path.lexists(job.folder):
        # a link leads to where nothing of this job is to be written
        if not job.folder.is_symlink() and was_described(job_file, description):
            return
        print(f"{job.folder}: left by another job, removed", file=sys.stderr)
        remove(job.folder)
    write_json(job_file, description)


def shard_is_finished(job: ShardedJob, first: int, end: int) -> bool:
    try:
        shard = open_memmap(job.shard(first), mode="r")
    except (OSError, ValueError):
        return False
    return shard.shape == (end - first, job.dimension) and shard.dtype == np.dtype(job.dtype)


def write_shard(job: ShardedJob, first: int, vectors: np.ndarray) -> None:
    name = job.maker.get("model", "the model")
    if not np.isfinite(vectors).all():
        raise UserError(f"{name}: gives vectors that are not finite; tune or fetch it anew")
    with np.errstate(over="ignore"):
        stored = vectors.astype(job.dtype, copy=False)
    if not np.isfinite(stored).all():
        raise UserError(f"{name}: its vectors are too large for {job.dtype}; use --dtype float32")
    write_array(job.shard(first), stored)


def join_shards(
    job: ShardedJob, unique_rows: np.ndarray, unique_count: int, finish: Finish
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
        # Mapped anew: pages count as this process's memory until their mapping goes.
        vectors = open_memmap(joined, mode="r+")
        lines = np.flatnonzero((unique_rows >= first) & (unique_rows < end))
        for start in range(0, len(lines), ROWS_AT_ONCE):
            some = lines[start : start + ROWS_AT_ONCE]
            vectors[some] = shard[unique_rows[some] - first]
    vectors = open_memmap(joined, mode="r+")
    finish(vectors)
    vectors.flush()
    os.replace(joined, job.output)


def embed_in_shards(job: ShardedJob, encode: Encode, finish: Finish = lambda _: None) -> None:
    """Write the vectors of the job; row i belongs to line i, equal lines are run once.

    `encode` maps strings to float32 vectors [number of strings, D] and tells its second argument
    how many it has done; `finish` may change the vectors of all lines before they are the output.
    The same job gives the same bytes, interrupted or not.
    """
    row_of: dict[str, int] = {}
    places = (row_of.setdefault(string, len(row_of)) for string in job.strings)
    rows = np.fromiter(places, dtype=np.int64, count=len(job.strings))
    unique = list(row_of)
    open_working_folder(job, unique)
    bounds = shard_bounds(len(unique), job.shard_size)
    todo = [shard for shard in bounds if not shard_is_finished(job, *shard)]
    remaining = sum(end - first for first, end in todo)
    if done := len(unique) - remaining:
        print(f"going on: {done} of {len(unique)} strings are done", file=sys.stderr)
    try:
        with embedding_progress(remaining) as advance:
            for first, end in todo:
                vectors = encode(unique[first:end], advance)
                try:
                    write_shard(job, first, vectors)
                except UserError:
                    # Going on would end here again.
                    shutil.rmtree(job.folder)
                    raise
                done += end - first
    except KeyboardInterrupt:
        kept = f"the vectors of {done:,} of {len(unique):,} strings are kept in {job.folder}"
        raise KeyboardInterrupt(f"{kept}; the same command goes on from there") from None
    join_shards(job, rows, len(unique), finish)
    # who reads the output by now may remove it too
    shutil.rmtree(job.folder, ignore_errors=True)


def embed_once(job: ShardedJob, encode: Encode) -> np.ndarray:
    """Return the vectors of the job mapped from disk; where the same job has made them, those.

    What the output is made from stands beside it, as .json.
    """
    record = job.output.with_suffix(".json")
    description = describe(job, dict.fromkeys(job.strings))
    if not (job.output.is_file() and was_described(record, description)):
        for left in (record, job.output):
            left.unlink(missing_ok=True)
        # before the shards are removed, so that a kill in between loses nothing
        embed_in_shards(job, encode, lambda _: write_json(record, description))
    # left by a run that was killed while it tidied up
    shutil.rmtree(job.folder, ignore_errors=True)
    return np.load(job.output, mmap_mode="r", allow_pickle=False)
