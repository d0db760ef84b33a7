"""Details survive writing and reading; damaged files are refused."""

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.scoring import bootstrap_replicates

ARRAYS = {
    bootstrap_replicates.replicates_key("qnli", "auc"): np.array([0.5, np.nan, 1 / 3]),
    bootstrap_replicates.replicates_key("bc5cdr-d", "accuracy@1"): np.linspace(0, 1, 1000),
    bootstrap_replicates.cosines_key("qnli"): np.array([0.25, -1], dtype=np.float32),
    bootstrap_replicates.labels_key("qnli"): np.array([0, 1], dtype=np.int8),
}


@pytest.mark.parametrize("arrays", [ARRAYS, {}])
def test_details_survive_writing_and_reading_with_equal_bytes(tmp_path, arrays):
    paths = tmp_path / "folder" / "scores.npz", tmp_path / "other.npz"
    for path in paths:
        bootstrap_replicates.write_replicates(path, arrays)
    found = bootstrap_replicates.read_replicates(paths[0])
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array, strict=True)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_objects_are_not_written_and_a_missing_file_is_named(tmp_path):
    path = tmp_path / "scores.npz"
    with pytest.raises(ValueError, match="allow_pickle"):
        bootstrap_replicates.write_replicates(
            path, {"replicates/a/b": np.array([{}], dtype=object)}
        )
    assert not list(tmp_path.iterdir())
    with pytest.raises(UserError, match="no such file; score the encoder again"):
        bootstrap_replicates.read_replicates(path)
