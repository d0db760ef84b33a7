"""Files that end in a seal: the SHA-256 of what they were made from and of their own bytes.

A file that was cut, changed, or made from something else does not have it. What reads such a file
by its own header (.npy, FAISS) does not look at the bytes behind.
"""

import hashlib
import os
from pathlib import Path

_SEAL_SIZE = hashlib.sha256().digest_size
_BYTES_AT_ONCE = 1 << 20


def _seal_of(path: Path, size: int, made_from: str) -> bytes:
    digest = hashlib.sha256(f"{made_from}\n".encode())
    with open(path, "rb") as stream:
        while size and (piece := stream.read(min(size, _BYTES_AT_ONCE))):
            digest.update(piece)
            size -= len(piece)
    return digest.digest()


def seal(path: Path, made_from: str) -> None:
    """Append the seal to a file that is complete."""
    digest = _seal_of(path, path.stat().st_size, made_from)
    with open(path, "ab") as stream:
        stream.write(digest)


def is_sealed(path: Path, made_from: str) -> bool:
    """Tell whether a file is there, is unchanged since `seal` and was made from `made_from`."""
    if not path.is_file() or (size := path.stat().st_size - _SEAL_SIZE) < 0:
        return False
    with open(path, "rb") as stream:
        stream.seek(-_SEAL_SIZE, os.SEEK_END)
        kept = stream.read()
    return kept == _seal_of(path, size, made_from)
