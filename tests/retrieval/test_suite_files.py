"""Vectors of a suite as they are read from disk."""

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import read_vectors


def test_vectors_that_were_cut_short_are_one_error(tmp_path):
    path = tmp_path / "vectors.npy"
    vectors = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(path, vectors)
    assert (read_vectors(path) == vectors).all()
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(UserError, match=r"vectors\.npy: damaged \(.*remove it and run again"):
            read_vectors(path)
