"""Details survive writing and reading; damaged files are refused."""

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.details import (
    cosines_key,
    labels_key,
    read_details,
    replicates_key,
    write_details,
)

ARRAYS = {
    replicates_key("qnli", "auc"): np.array([0.5, np.nan, 1 / 3]),
    replicates_key("bc5cdr-d", "accuracy@1"): np.linspace(0, 1, 1000),
    cosines_key("qnli"): np.array([0.25, -1], dtype=np.float32),
    labels_key("qnli"): np.array([0, 1], dtype=np.int8),
}


def test_the_names_are_as_agreed():
    assert list(ARRAYS) == [
        "replicates/qnli/auc",
        "replicates/bc5cdr-d/accuracy@1",
        "cosines/qnli",
        "labels/qnli",
    ]


@pytest.mark.parametrize("arrays", [ARRAYS, {}])
def test_details_survive_writing_and_reading(tmp_path, arrays):
    path = tmp_path / "folder" / "scores.npz"
    write_details(path, arrays)
    found = read_details(path)
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


def test_equal_details_are_equal_bytes(tmp_path):
    for name in ("one.npz", "other.npz"):
        write_details(tmp_path / name, ARRAYS)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "other.npz").read_bytes()


def test_objects_are_neither_written_nor_read(tmp_path):
    path = tmp_path / "scores.npz"
    objects = np.array([{}], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle"):
        write_details(path, {"replicates/a/b": objects})
    assert not list(tmp_path.iterdir())
    np.savez(path, objects)
    with pytest.raises(UserError, match=r"scores\.npz: not a whole npz file"):
        read_details(path)


def test_missing_and_damaged_files_are_refused(tmp_path):
    path = tmp_path / "scores.npz"
    with pytest.raises(UserError, match="no such file; score the encoder again"):
        read_details(path)
    write_details(path, ARRAYS)
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[4000] ^= 255
    for content in (b"", b"text", whole[: len(whole) // 2], whole[:-1], bytes(flipped)):
        path.write_bytes(content)
        with pytest.raises(UserError, match=r"scores\.npz: not a whole npz file"):
            read_details(path)
    with path.open("wb") as stream:
        np.save(stream, np.arange(3))
    with pytest.raises(UserError, match="not a whole npz file"):
        read_details(path)
