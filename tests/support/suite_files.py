"""Files of data sets and of their vectors, in the forms of `read_dataset` and `embed_suite`."""

import json
from pathlib import Path

import numpy as np

from workflow_scripts.embedding.suite_vectors import write_vectors


def write_items(folder, datasets):
    """Write the items of data sets by id; return the files in the same order."""
    files = [Path(folder) / name / "items.json" for name in datasets]
    for file, (name, entry) in zip(files, datasets.items(), strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"dataset": name, **entry}), encoding="utf-8")
    return files


def write_whole_vectors(path, vectors, *keys):
    """Write vectors whose row i is string i of each data set; return the path."""
    vectors = np.asarray(vectors, dtype=np.float32)
    write_vectors(path, vectors, {key: np.arange(len(vectors), dtype=np.int32) for key in keys})
    return path
