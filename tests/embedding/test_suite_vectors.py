"""Vectors of the strings of data sets: their files, and rows by string number."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.embedding.suite_vectors import (
    StringVectors,
    number_strings,
    read_string_vectors,
    read_vectors,
    write_vectors,
)
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import gather_rows

VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = {"a": np.array([2, 0], np.int32), "b/source": np.array([3, 2, 1], np.int32)}
KEYS = st.text("ab/", min_size=1, max_size=3)


@given(st.dictionaries(KEYS, st.lists(st.text("xyz", max_size=1), unique=True), max_size=4))
def test_each_string_has_one_row_and_each_list_finds_its_own(lists):
    strings, rows = number_strings(lists)
    assert len(set(strings)) == len(strings)
    assert set(strings) == {one for each in lists.values() for one in each}
    for key, each in lists.items():
        assert [strings[row] for row in rows[key]] == each


def test_rows_are_those_of_the_data_set_and_of_the_side(tmp_path):
    write_vectors(tmp_path / "s.npy", VECTORS, ROWS)
    assert (read_vectors(tmp_path / "s.npy") == VECTORS).all()
    one = read_string_vectors(tmp_path / "s.npy", "a")
    assert len(one) == 2
    assert gather_rows(one, [1, 0, 1], "a").tolist() == VECTORS[[0, 2, 0]].tolist()
    side = read_string_vectors(tmp_path / "s.npy", "b", "source")
    assert gather_rows(side, [0, 2], "b").tolist() == VECTORS[[3, 1]].tolist()
    with pytest.raises(UserError, match=r"the items of b: damaged \(.*strings 0 to 3 of 3"):
        gather_rows(side, [0, 3], "b")


def test_a_string_that_is_not_finite_is_named_by_its_own_number():
    broken = StringVectors(np.where(np.arange(4) == 2, np.nan, 1)[:, None], ROWS["b/source"])
    with pytest.raises(UserError, match="b: the vector of string 1 holds NaN"):
        gather_rows(broken, [0, 1], "b")


def test_equal_vectors_give_equal_bytes(tmp_path):
    contents = []
    for name in ("one", "other"):
        write_vectors(tmp_path / f"{name}.npy", VECTORS, ROWS)
        contents.append([(tmp_path / f"{name}.{end}").read_bytes() for end in ("npy", "npz")])
    assert contents[0] == contents[1]


def test_a_data_set_or_an_index_that_is_missing_is_named(tmp_path):
    write_vectors(tmp_path / "s.npy", VECTORS, ROWS)
    with pytest.raises(UserError, match=r"s\.npz: has no data set b; embed its strings first"):
        read_string_vectors(tmp_path / "s.npy", "b")
    with pytest.raises(UserError, match=r"no\.npy: no such file; embed its strings first"):
        read_vectors(tmp_path / "no.npy")
    (tmp_path / "s.npz").unlink()
    with pytest.raises(UserError, match=r"s\.npz: no such file; embed the strings again"):
        read_string_vectors(tmp_path / "s.npy", "a")


def npz(rows):
    stream = io.BytesIO()
    np.savez(stream, a=rows)
    return stream.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        *(b"", b"no", npz(ROWS["a"])[:-30]),
        npz(np.array([0, 4])),
        npz(np.array([-1, 0])),
        npz(np.array([0.0, 1.0])),
        npz(np.array([[0, 1]])),
    ],
)
def test_an_index_that_is_damaged_is_one_error(tmp_path, content):
    write_vectors(tmp_path / "s.npy", VECTORS, ROWS)
    (tmp_path / "s.npz").write_bytes(content)
    with pytest.raises(UserError, match=r"s\.npz: damaged \(.*remove it and run again"):
        read_string_vectors(tmp_path / "s.npy", "a")


def test_vectors_that_were_cut_short_are_one_error(tmp_path):
    path = tmp_path / "vectors.npy"
    np.save(path, VECTORS)
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"vectors\.npy: damaged \(.*remove it and run again"):
            read_vectors(path)
