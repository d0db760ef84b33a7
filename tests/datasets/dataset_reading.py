"""Readers by the blocks of a config, and tables of small files with what is read of them."""

import pytest
from written_files import write_all

from workflow_scripts.datasets import entry as entries
from workflow_scripts.datasets import read_dataset as reading
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.errors import UserError


def entry(task, form, **options):
    return {"task": task, "format": form, "language": "en", **options}


def read_dataset(root, block, name="mine"):
    return reading.read_dataset(root, read_entry(name, block), name)


def read_numbered(root, block, name="mine"):
    """Return the strings of a data set by side (None without sides), and its items."""
    typed = read_entry(name, block)
    return reading.number_items(name, typed, reading.read_dataset(root, typed, name))


def raw_files(root, block):
    return entries.raw_files(root, read_entry("mine", block))


def mistake(root, block):
    """Return the one error of reading a block."""
    with pytest.raises(UserError) as caught:
        read_dataset(root, block)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def check(root, block, files, expected):
    """Read files (text by path) as a block tells, and compare with what is expected.

    That is a value for each attribute, or the text that the one error has.
    """
    write_all(root, files)
    if isinstance(expected, str):
        assert expected in mistake(root, block)
        return
    found = read_dataset(root, block)
    assert {name: getattr(found, name) for name in expected} == expected


def cases(*rows):
    """Return a test of `check` by a table of (what it shows, block, files, expected)."""
    names = ("block", "files", "expected")

    @pytest.mark.parametrize(names, [row[1:] for row in rows], ids=[row[0] for row in rows])
    def test(tmp_path, block, files, expected):
        check(tmp_path, block, files, expected)

    return test


def given(name, block, files):
    """Return a function that makes a case of what is read: a value for each attribute."""
    return lambda **expected: (name, block, files, expected)


def wrong(place, *rows, files=None):
    """Return cases of a place (block, file, good text): a row after it, and its error there."""
    block, path, good = place
    name = path.rpartition("/")[2]
    for row, message in rows:
        yield f"{name}{message}", block, {**(files or {}), path: good + row}, f"{name}{message}"
