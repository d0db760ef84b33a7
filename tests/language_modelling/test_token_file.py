"""Token ids on disk."""

from functools import partial

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling import token_file
from workflow_scripts.language_modelling.token_file import TokenFile


def test_ids_are_read_as_they_were_written():
    ids = np.random.default_rng(0).integers(0, 250_000, 1000)
    tokens = TokenFile()
    for part in np.split(ids, [3, 3, 500]):
        tokens.append(part)
    assert tokens.size == 1000
    for start, end in ((0, 1000), (2, 4), (499, 501), (999, 1000), (7, 7)):
        np.testing.assert_array_equal(tokens.read(start, end), ids[start:end])
    assert tokens.read(0, 1).dtype == np.int32


def test_a_full_disk_is_one_line_that_names_the_folder(monkeypatch):
    # a device that is always full
    monkeypatch.setattr(token_file.tempfile, "TemporaryFile", partial(open, "/dev/full", "wb"))
    monkeypatch.setattr(token_file.tempfile, "gettempdir", lambda: "/scratch")
    with pytest.raises(UserError, match=r"/scratch: no space for the tokens .*No space left"):
        TokenFile().append(np.arange(10))
