"""Sharded embedding: rows, resumption after an exception or SIGKILL, leftovers of other jobs."""

import signal
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.embedding import vector_shards
from workflow_scripts.embedding.vector_shards import ShardedJob, embed_in_shards
from workflow_scripts.errors import UserError

STRINGS = ["b", "a", "b", "ccc", "", "dd", "a", "e", "f"]  # seven unique ones
MAKER = {"model": "lengths", "weights_sha256": "1"}


def vector_of(string: str) -> list[float]:
    return [len(string), ord(string[0]) if string else -1, 0.5]


def encode(strings, advance):
    advance(len(strings))
    return np.array([vector_of(string) for string in strings], dtype=np.float32)


class Counting:
    """Encodes as above, notes what it was given, and fails at one of the calls."""

    def __init__(self, fail_at: int | None = None):
        self.calls, self.fail_at = [], fail_at

    def __call__(self, strings, advance):
        if len(self.calls) == self.fail_at:
            raise KeyboardInterrupt
        self.calls.append(list(strings))
        return encode(strings, advance)


@pytest.fixture
def job(tmp_path):
    return ShardedJob(tmp_path / "vectors.npy", STRINGS, 3, MAKER, shard_size=3)


def expected(strings=STRINGS):
    return np.array([vector_of(string) for string in strings], dtype=np.float32)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_rows_follow_the_lines_and_each_string_is_encoded_once(job, tmp_path):
    counting = Counting()
    embed_in_shards(job, counting)
    vectors = np.load(job.output)
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors, expected())
    assert counting.calls == [["b", "a", "ccc"], ["", "dd", "e"], ["f"]]
    assert files_in(tmp_path) == ["vectors.npy"]


@settings(deadline=None, max_examples=40)
@given(
    strings=st.lists(st.text(max_size=2), min_size=1, max_size=30),
    shard_size=st.integers(1, 12),
    rows_at_once=st.integers(1, 5),
)
def test_any_lines_in_any_shards_give_their_rows(
    strings, shard_size, rows_at_once, tmp_path_factory
):
    output = tmp_path_factory.mktemp("shards") / "v.npy"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_shards, "ROWS_AT_ONCE", rows_at_once)
        embed_in_shards(ShardedJob(output, strings, 3, MAKER, shard_size=shard_size), encode)
    np.testing.assert_array_equal(np.load(output), expected(strings))


def test_an_interrupted_run_goes_on_after_the_last_finished_shard(job, tmp_path, capsys):
    with pytest.raises(KeyboardInterrupt):
        embed_in_shards(job, Counting(fail_at=1))
    assert files_in(tmp_path) == [".vectors.npy.shards"]
    assert files_in(job.folder) == ["0000000000.npy", "job.json"]
    counting = Counting()
    embed_in_shards(job, counting)
    assert counting.calls == [["", "dd", "e"], ["f"]]
    assert "going on: 3 of 7" in capsys.readouterr().err
    np.testing.assert_array_equal(np.load(job.output), expected())
    assert files_in(tmp_path) == ["vectors.npy"]


@pytest.mark.parametrize(
    "other",
    [
        {"maker": {**MAKER, "weights_sha256": "2"}},
        {"dtype": "float16"},
        {"shard_size": 2},
        {"strings": [*STRINGS[:-1], "g"]},
    ],
)
def test_what_another_job_left_is_not_used(job, tmp_path, other, capsys):
    with pytest.raises(KeyboardInterrupt):
        embed_in_shards(replace(job, **other), Counting(fail_at=1))
    counting = Counting()
    embed_in_shards(job, counting)
    assert len(counting.calls) == 3
    assert "left by another job" in capsys.readouterr().err
    np.testing.assert_array_equal(np.load(job.output), expected())
    assert files_in(tmp_path) == ["vectors.npy"]


@pytest.mark.parametrize("damage", [lambda b: b[:-4], lambda b: b"", lambda b: b"no array"])
def test_a_damaged_shard_is_made_again(job, damage):
    with pytest.raises(KeyboardInterrupt):
        embed_in_shards(job, Counting(fail_at=2))
    shard = job.folder / "0000000003.npy"
    shard.write_bytes(damage(shard.read_bytes()))
    counting = Counting()
    embed_in_shards(job, counting)
    assert counting.calls == [["", "dd", "e"], ["f"]]
    np.testing.assert_array_equal(np.load(job.output), expected())


def test_a_damaged_job_file_makes_all_anew(job):
    with pytest.raises(KeyboardInterrupt):
        embed_in_shards(job, Counting(fail_at=2))
    (job.folder / "job.json").write_text("{")
    counting = Counting()
    embed_in_shards(job, counting)
    assert len(counting.calls) == 3


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
    with pytest.raises(UserError, match=message):
        embed_in_shards(
            replace(job, dtype=dtype),
            lambda strings, _advance: np.full((len(strings), 3), value, dtype=np.float32),
        )
    assert files_in(job.output.parent) == []


KILLED = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_vector_shards import MAKER, STRINGS, encode
from workflow_scripts.embedding.vector_shards import ShardedJob, embed_in_shards

calls = 0
def killed(strings, advance):
    global calls
    calls += 1
    if calls == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return encode(strings, advance)

embed_in_shards(ShardedJob(Path(sys.argv[1]), STRINGS, 3, MAKER, shard_size=3), killed)
"""


def test_a_killed_process_is_taken_up_again(job, project, tmp_path):
    result = subprocess.run(
        [sys.executable, "-c", KILLED, str(job.output), str(project / "tests" / "embedding")],
        cwd=project,
        check=False,
    )
    assert result.returncode == -signal.SIGKILL
    counting = Counting()
    embed_in_shards(job, counting)
    assert counting.calls == [["", "dd", "e"], ["f"]]
    np.testing.assert_array_equal(np.load(job.output), expected())
    assert files_in(tmp_path) == ["vectors.npy"]
