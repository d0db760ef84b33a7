"""One process at a time for what is fetched: a lock that a killed one does not leave behind."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def sole_fetch(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock on what is fetched below a folder as `name`; wait while another process does.

    The kernel drops it with the process. Where the file system has no locks it goes on without one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f".{name}.lock"
    descriptor = _locked(path)
    try:
        yield
    finally:
        # while it is held: who waits for it sees that it is no longer the file at this path
        path.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(path: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{path}: another process is fetching this: waiting", file=sys.stderr, flush=True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            return descriptor  # a file system without locks
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        os.close(descriptor)
