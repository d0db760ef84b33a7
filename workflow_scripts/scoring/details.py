"""What a file of scores rests on, beside it as npz: bootstrap replicates, cosines and labels."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file


def replicates_key(dataset: str, metric: str) -> str:
    """Return the name of the replicates of a metric, float64 [resamples], NaN if undefined."""
    return f"replicates/{dataset}/{metric}"


def cosines_key(dataset: str) -> str:
    """Return the name of the cosines of a pair-classification data set, float32 [n]."""
    return f"cosines/{dataset}"


def labels_key(dataset: str) -> str:
    """Return the name of the labels of a pair-classification data set, int8 [n] of 0 and 1."""
    return f"labels/{dataset}"


def write_details(path: str | Path, arrays: Mapping[str, np.ndarray]) -> None:
    """Write named arrays as npz, whole or not at all; equal arrays give equal bytes."""
    with atomic_file(path) as temporary, open(temporary, "wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_details(path: str | Path) -> dict[str, np.ndarray]:
    """Return the arrays of a file of `write_details`, by name.

    Raises `UserError` if the file is missing, damaged or holds anything but arrays of numbers.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(f"{path}: no such file; score the encoder again")
    try:
        with np.load(path, allow_pickle=False) as archive:
            # A damaged member shows itself only when it is read.
            arrays = {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise UserError(f"{path}: not a whole npz file; score the encoder again") from error
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise UserError(f"{path}: {name} is no array; score the encoder again")
    return arrays
