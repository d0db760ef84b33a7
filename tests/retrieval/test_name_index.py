"""An index of names on disk: rows as they were written, wherever they are read in pieces."""

import os

import numpy as np
import pytest

from workflow_scripts.datasets.name_lists import NameList
from workflow_scripts.embedding import vector_shards
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, write_json
from workflow_scripts.retrieval import name_index

NAMES = NameList(["A", "A", "B\u2028C", "é"], ["heart attack", "Ångström \u2028 disease", "x", "𝛼"])
KEYS = ("weights_sha256", "pooling", "max_length", "similarity", "backend", "precision")
PROVENANCE = dict.fromkeys(KEYS, "none") | {"dtype": "float32"}


VECTORS = np.arange(8, dtype=np.float32).reshape(4, 2)


def make(folder, encode=lambda *_: VECTORS):
    name_index.make_index(folder, NAMES, {}, PROVENANCE, encode, 2)


@pytest.mark.parametrize("bytes_at_once", [1, 7, 1 << 24])
def test_rows_are_those_that_were_kept(tmp_path, monkeypatch, bytes_at_once):
    monkeypatch.setattr(name_index, "_BYTES_AT_ONCE", bytes_at_once)
    make(tmp_path)
    index = name_index.open_index(tmp_path, PROVENANCE, None)
    assert [index[row] for row in range(len(index))] == [*zip(NAMES.ids, NAMES.names, strict=True)]
    np.testing.assert_array_equal(index.vectors, VECTORS)
    # a vector too few, without an index's record of them
    np.save(tmp_path / "vectors.npy", VECTORS[:3])
    with pytest.raises(UserError, match="3 vectors of 4 names; remove its folder"):
        name_index.map_index(tmp_path / "names.tsv", tmp_path / "vectors.npy")


def cut_to_zeros(path):
    """As a copy that was interrupted leaves a sparse file: its size, and no bytes from there on."""
    size = path.stat().st_size
    os.truncate(path, size - 9)
    os.truncate(path, size)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: np.save(path, VECTORS[::-1]),
        lambda path: np.save(path, np.zeros((3, 2), dtype=np.float32)),
        *(cut_to_zeros, lambda path: os.truncate(path, 40), lambda path: path.write_bytes(b"")),
    ],
)
def test_vectors_that_are_not_those_of_the_index_are_refused(tmp_path, damage):
    make(tmp_path)
    damage(tmp_path / "vectors.npy")
    message = r"vectors.npy: changed since it was made, or not copied whole; remove the folder"
    with pytest.raises(UserError, match=message):
        name_index.open_index(tmp_path, PROVENANCE, None)


@pytest.mark.parametrize("key", ["vectors_sha256", "provenance"])
def test_an_index_of_an_older_version_is_refused(tmp_path, key):
    make(tmp_path)
    record = read_json(tmp_path / "index.json")
    del record[key]
    write_json(tmp_path / "index.json", record)
    with pytest.raises(
        UserError, match="an index of an older version, which cannot be checked; remove the fold"
    ):
        name_index.open_index(tmp_path, PROVENANCE, None)


@pytest.mark.parametrize("end", ["replace", "rmtree"])
def test_a_kill_after_the_last_shard_embeds_no_name_again(tmp_path, monkeypatch, end):
    module = {"replace": vector_shards.os, "rmtree": vector_shards.shutil}[end]
    original, shards = getattr(module, end), tmp_path / ".vectors.npy.shards"

    def interrupt(path, *given, **options):
        if path in (shards, shards / "joined.npy"):
            raise KeyboardInterrupt
        original(path, *given, **options)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, end, interrupt)
        make(tmp_path)
    assert name_index.is_finished(tmp_path) == (end == "rmtree")
    if end == "replace":
        make(tmp_path, None)
    opened = name_index.open_index(tmp_path, PROVENANCE, None)
    np.testing.assert_array_equal(opened.vectors, VECTORS)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["index.json", "names.tsv", "vectors.npy"]
