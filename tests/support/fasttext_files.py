"""fastText models written by hand: the layout of version 12, as fastText 0.9.2 saves it."""

import struct
from pathlib import Path

import numpy as np

WORDS = ["</s>", "cat", "dog", "лошадь", "été", "我"]
BUCKETS = 50
SHORTEST, LONGEST = 2, 4


def make_matrix(rows: int, columns: int) -> np.ndarray:
    """Return float32 [rows, columns] of different whole numbers, mixed."""
    return (np.arange(rows * columns) * 7919 % 10007).reshape(rows, columns).astype(np.float32)


def model_bytes(words: list[str] = WORDS, **changes: object) -> bytes:
    """Return the bytes of a model of dimension 3; a part may be changed by its name."""
    parts = {"magic": 793712314, "version": 12, "dimension": 3, "buckets": BUCKETS}
    parts |= {"shortest": SHORTEST, "longest": LONGEST, "labels": 0, "pruned": -1}
    parts |= {"kind": 0, "quantised": 0, **changes}
    matrix = parts.get("matrix")
    if matrix is None:
        matrix = make_matrix(len(words) + parts["buckets"], parts["dimension"])
    settings = (5, 1, 1, 5, 1, 2, 2, parts["buckets"], parts["shortest"], parts["longest"], 100)
    content = struct.pack("<14i", parts["magic"], parts["version"], parts["dimension"], *settings)
    content += struct.pack("<d", 1e-4)
    size = parts.get("size", len(words) + parts["labels"])
    content += struct.pack("<3i2q", size, len(words), parts["labels"], 100, parts["pruned"])
    for rank, word in enumerate(words):
        content += word.encode() + b"\0" + struct.pack("<qb", 100 - rank, parts["kind"])
    for label in range(parts["labels"]):
        content += f"__label__{label}".encode() + b"\0" + struct.pack("<qb", 1, 1)
    content += struct.pack("<B2q", parts["quantised"], *matrix.shape) + matrix.tobytes()
    output = np.zeros((len(words), parts["dimension"]), dtype=np.float32)
    return content + struct.pack("<B2q", 0, *output.shape) + output.tobytes()


def write_model(path: Path, words: list[str] = WORDS, **changes: object) -> Path:
    path.write_bytes(model_bytes(words, **changes))
    return path
