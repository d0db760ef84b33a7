"""Hashes of files that are read once, and again when anything about them has changed."""

import hashlib
import os

import pytest

from workflow_scripts import content_hashes
from workflow_scripts.content_hashes import ContentHashes, state_of

OLD = 1_000_000_000


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def reads(monkeypatch):
    """The files that were read, and a clock by which all of them are old enough to be known."""
    found = []
    read = content_hashes.sha256_of
    monkeypatch.setattr(content_hashes, "sha256_of", lambda p: found.append(str(p)) or read(p))
    monkeypatch.setattr(content_hashes.time, "time_ns", lambda: 2 * 10**18)
    return found


def test_a_file_is_read_once_by_all_processes(tmp_path, reads):
    file, cache = tmp_path / "file", tmp_path / "records" / "hashes"
    file.write_text("a")
    hashes = ContentHashes(cache)
    assert hashes.of(file) == hashes.of(file) == sha256("a")
    hashes.write()
    assert ContentHashes(cache).of(file) == sha256("a")
    assert reads == [str(file)]
    assert hashes.of(tmp_path) is None and hashes.of(tmp_path / "none") is None


def test_a_file_replaced_by_one_of_the_same_size_and_an_older_date_is_read_again(tmp_path, reads):
    hashes = ContentHashes(tmp_path / "hashes")
    file, other, link = tmp_path / "file", tmp_path / "other", tmp_path / "link"
    for path, text in ((file, "a"), (other, "b")):
        path.write_text(text)
        os.utime(path, (OLD, OLD))
    link.symlink_to(file)
    assert (hashes.of(file), hashes.of(link)) == (sha256("a"), sha256("a"))
    link.unlink()
    link.symlink_to(other)
    assert hashes.of(link) == sha256("b")
    other.replace(file)
    assert hashes.of(file) == sha256("b")
    # written in place, and dated back
    file.write_text("c")
    os.utime(file, (OLD, OLD))
    assert hashes.of(file) == sha256("c")


def test_a_file_in_another_state_has_no_hash_of_that_state(tmp_path):
    hashes, file = ContentHashes(tmp_path / "hashes"), tmp_path / "file"
    file.write_text("a")
    state = state_of(file)
    assert hashes.of_state(file, state) == sha256("a")
    file.write_text("ab")
    assert hashes.of_state(file, state) is None
    assert hashes.of_state(file, None) is None


def test_a_file_that_was_just_written_is_read_again(tmp_path, reads, monkeypatch):
    """A second change in the same tick of the clock would leave its times as they are."""
    hashes, file = ContentHashes(tmp_path / "hashes"), tmp_path / "file"
    file.write_text("a")
    monkeypatch.setattr(content_hashes.time, "time_ns", lambda: file.stat().st_ctime_ns)
    assert hashes.of(file) == hashes.of(file) == sha256("a")
    assert len(reads) == 2


def test_two_runs_keep_what_the_other_has_read(tmp_path, reads):
    cache = tmp_path / "hashes"
    files = [tmp_path / "a", tmp_path / "b"]
    runs = [ContentHashes(cache) for _ in files]
    for file, run in zip(files, runs, strict=True):
        file.write_text(file.name)
        run.of(file)
    for run in runs:
        run.write()
    again = ContentHashes(cache)
    assert [again.of(file) for file in files] == [sha256("a"), sha256("b")]
    assert len(reads) == 2


@pytest.mark.parametrize("damage", ["\n[1", '{"a": 1}\n', '["x", 1, 2]\n', "\ufffd\n"])
def test_a_damaged_or_unwritable_cache_costs_a_reading_only(tmp_path, reads, damage):
    cache, file = tmp_path / "hashes", tmp_path / "file"
    file.write_text("a")
    hashes = ContentHashes(cache)
    hashes.of(file)
    hashes.write()
    cache.write_text(cache.read_text()[:-10] + damage)
    assert ContentHashes(cache).of(file) == sha256("a")
    assert len(reads) == 2
    # its folder is a file
    hashes = ContentHashes(file / "hashes")
    assert hashes.of(file) == sha256("a")
    hashes.write()
