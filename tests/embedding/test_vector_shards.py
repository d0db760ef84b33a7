"""Sharded embedding: rows, resumption after an exception or SIGKILL, leftovers of other jobs."""

import errno
import io
import shutil
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mapped_memory import mapped_bytes

from workflow_scripts.embedding import vector_shards
from workflow_scripts.embedding.vector_shards import ShardedJob, embed_in_shards, embed_once
from workflow_scripts.errors import UserError

STRINGS = ["b", "a", "b", "ccc", "", "dd", "a", "e", "f"]  # seven unique ones
SHARDS = [["b", "a", "ccc"], ["", "dd", "e"], ["f"]]
PROVENANCE = {"model": "lengths", "weights_sha256": "1"}


def vector_of(string: str) -> list[float]:
    return [len(string), ord(string[0]) if string else -1, 0.5]


def encode(strings, advance):
    advance(len(strings))
    return np.array([vector_of(string) for string in strings], dtype=np.float32)


@pytest.fixture
def job(tmp_path):
    return ShardedJob(tmp_path / "vectors.npy", STRINGS, 3, PROVENANCE, shard_size=3)


def expected(strings=STRINGS):
    return np.array([vector_of(string) for string in strings], dtype=np.float32)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def run(job, fail_at=None):
    """Run the job until a call of the encoder fails, if any; return what was encoded."""
    calls = []

    def noting(strings, advance):
        if len(calls) == fail_at:
            raise KeyboardInterrupt
        calls.append(list(strings))
        return encode(strings, advance)

    kept = f"{job.shard_size * (fail_at or 0)} of 7 strings are kept in {job.folder}"
    with nullcontext() if fail_at is None else pytest.raises(KeyboardInterrupt, match=kept):
        embed_in_shards(job, noting)
    return calls


def finish(job):
    """Run the job to its end and return what was encoded; the output is right and alone."""
    calls = run(job)
    vectors = np.load(job.output)
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, expected())
    assert files_in(job.output.parent) == ["vectors.npy"]
    return calls


@settings(deadline=None, max_examples=40)
@given(st.lists(st.text(max_size=2), min_size=1, max_size=30), st.integers(1, 9), st.integers(1, 5))
def test_any_lines_in_any_shards_give_their_rows(tmp_path_factory, strings, shard_size, at_once):
    output = tmp_path_factory.mktemp("shards") / "v.npy"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_shards, "ROWS_AT_ONCE", at_once)
        embed_in_shards(ShardedJob(output, strings, 3, PROVENANCE, shard_size=shard_size), encode)
    np.testing.assert_array_equal(np.load(output), expected(strings))


def test_an_interrupted_run_goes_on_after_the_last_finished_shard(job, tmp_path, capsys):
    assert run(job, 1) == SHARDS[:1]
    assert files_in(tmp_path) == [".vectors.npy.shards"]
    assert files_in(job.folder) == ["0000000000.npy", "job.json"]
    assert finish(job) == SHARDS[1:]
    assert "continuing: 3 of 7" in capsys.readouterr().err


@pytest.mark.parametrize(
    "other",
    [
        *(
            {"provenance": {**PROVENANCE, "weights_sha256": "2"}},
            {"dtype": "float16"},
            {"shard_size": 2},
        ),
        {"strings": [*STRINGS[:-1], "g"]},
    ],
)
def test_what_another_job_left_is_not_used(job, other, capsys):
    run(replace(job, **other), 1)
    assert finish(job) == SHARDS
    assert "left over from another job" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "damage", "calls"),
    [
        ("0000000003.npy", lambda b: b[:-4], SHARDS[1:]),
        ("0000000003.npy", lambda b: b"", SHARDS[1:]),
        ("0000000003.npy", lambda b: b"no array", SHARDS[1:]),
        ("job.json", lambda b: b"{", SHARDS),
    ],
)
def test_a_damaged_shard_is_made_again_and_a_damaged_job_anew(job, file, damage, calls):
    run(job, 2)
    path = job.folder / file
    path.write_bytes(damage(path.read_bytes()))
    assert finish(job) == calls


def test_a_shard_that_was_swapped_for_another_is_made_again(job, tmp_path):
    """Of the same shape and whole, but of other strings, or of another model."""
    run(job, 2)
    first, second = job.shard(0), job.shard(3)
    second.write_bytes(first.read_bytes())
    assert finish(job) == SHARDS[1:]
    other = replace(job, output=tmp_path / "other" / "v.npy", provenance={"model": "other"})
    run(other, 1)
    run(job, 2)
    first.write_bytes(other.shard(0).read_bytes())
    shutil.rmtree(other.output.parent)
    assert finish(job) == [SHARDS[0], SHARDS[2]]


def test_float16_is_the_rounded_float32(job):
    embed_in_shards(replace(job, dtype="float16"), encode)
    vectors = np.load(job.output)
    assert vectors.dtype == np.float16
    np.testing.assert_array_equal(vectors, expected().astype(np.float16))


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        (np.nan, "float32", "lengths: gives vectors that are not finite"),
        (np.inf, "float16", "lengths: gives vectors that are not finite"),
        (1e5, "float16", "too large for float16; use --dtype float32"),
    ],
)
def test_vectors_that_are_not_finite_are_an_error_and_no_output(job, value, dtype, message):
    def encode_value(strings, _advance):
        return np.full((len(strings), 3), value, dtype=np.float32)

    with pytest.raises(UserError, match=message):
        embed_in_shards(replace(job, dtype=dtype), encode_value)
    assert files_in(job.output.parent) == []


def test_vectors_of_the_same_job_are_made_once(job, tmp_path):
    np.testing.assert_array_equal(embed_once(job, encode), expected())
    np.testing.assert_array_equal(embed_once(job, None), expected())
    # the first has the same strings, but not the same lines
    others = {"strings": STRINGS[:-3] + STRINGS[-2:], "provenance": {"model": "other"}}
    others |= {"dtype": "float16"}
    for name, other in others.items():
        changed = replace(job, **{name: other})
        with pytest.raises(TypeError, match="not callable"):
            embed_once(changed, None)
        np.testing.assert_array_equal(embed_once(changed, encode), expected(changed.strings))
    assert files_in(tmp_path) == ["vectors.json", "vectors.npy"]
    # and again where they were changed
    np.save(job.output, expected()[::-1])
    for encode_or_none in (encode, None):
        np.testing.assert_array_equal(embed_once(job, encode_or_none), expected())


@pytest.mark.parametrize("end", ["replace", "rmtree"])
def test_a_kill_after_the_last_shard_makes_no_vector_again(job, monkeypatch, end):
    module = {"replace": vector_shards.os, "rmtree": vector_shards.shutil}[end]
    original = getattr(module, end)

    def interrupt(path, *given, **options):
        if path in (job.folder, job.folder / "joined.npy"):
            raise KeyboardInterrupt
        original(path, *given, **options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, end, interrupt)
        embed_once(job, encode)
    np.testing.assert_array_equal(embed_once(job, None), expected())
    assert files_in(job.output.parent) == ["vectors.json", "vectors.npy"]


@given(st.integers(0, 5), st.sampled_from(["float32", "float16"]), st.sampled_from("CF"))
def test_arrays_are_written_as_numpy_writes_them(tmp_path_factory, rows, dtype, order):
    path = tmp_path_factory.mktemp("arrays") / "a.npy"
    array = np.array(np.arange(rows * 3).reshape(rows, 3), dtype=dtype, order=order)
    vector_shards.write_array(path, array)
    np.testing.assert_array_equal(np.load(path), array)
    theirs = io.BytesIO()
    np.save(theirs, np.ascontiguousarray(array))
    assert path.read_bytes() == theirs.getvalue()


def test_a_full_disk_is_told_by_its_number(tmp_path, monkeypatch):
    @contextmanager
    def full(path):
        yield Path("/dev/full")

    monkeypatch.setattr(vector_shards, "atomic_file", full)
    with pytest.raises(OSError, match="No space left") as error:
        vector_shards.write_array(tmp_path / "a.npy", np.zeros((10, 3)))
    assert error.value.errno == errno.ENOSPC


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_joined_file_does_not_count_as_memory(tmp_path):
    strings = [str(number) for number in range(2000)]
    job = ShardedJob(tmp_path / "v.npy", strings, 4000, PROVENANCE, shard_size=100)  # 32 MB
    before, counted = mapped_bytes(), []
    vectors = np.ones((100, 4000), dtype=np.float32)
    embed_in_shards(job, lambda *_: vectors, lambda _: counted.append(mapped_bytes() - before))
    assert counted[0] < 8e6
