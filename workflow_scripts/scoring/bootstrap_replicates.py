"""What scores rest on, as npz next to them: bootstrap replicates, cosines and labels of pairs."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import atomic_file

REPLICATES = "replicates/"


def replicates_key(dataset: str, metric: str) -> str:
    """Of float64 [resamples], NaN if undefined."""
    return f"{REPLICATES}{dataset}/{metric}"


def cosines_key(dataset: str) -> str:
    """Of float32 [n]."""
    return f"cosines/{dataset}"


def labels_key(dataset: str) -> str:
    """Of int8 [n], 0 and 1."""
    return f"labels/{dataset}"


def write_replicates(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write named arrays as npz, whole or not at all; equal arrays give equal bytes."""
    with atomic_file(path) as temporary, open(temporary, "wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_replicates(path: str | Path) -> dict[str, np.ndarray]:
    if not Path(path).is_file():
        raise UserError(path, "no such file", "score the encoder again")
    with damaged_file_error(path), np.load(path, allow_pickle=False) as archive:
        return dict(archive)
