"""One process at a time for a fetch, an output or a run: locks that no killed one leaves behind."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workflow_scripts.errors import UserError


@contextmanager
def sole_fetch(folder: Path, name: str) -> Iterator[None]:
    """Hold the lock on what is fetched below a folder as `name`, once no other process does."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f".{name}.lock"
    with _held(path, lock_file(path, waits=True)):
        yield


@contextmanager
def sole_run(option: str, output: Path) -> Iterator[None]:
    """Hold the lock on an output; `UserError` by its option where another process does."""
    folder, name = output.resolve().parent, output.resolve().name
    new = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f".{name}.lock"
    try:
        descriptor = lock_file(path)
    except BlockingIOError as error:
        remedy = "wait for it or choose another"
        raise UserError(f"{option} {output}", "another run is writing to it", remedy) from error
    try:
        with _held(path, descriptor):
            yield
    finally:
        # of a run that has written nothing
        with suppress(OSError):
            for parent in new:
                parent.rmdir()


def drop_left_lock(output: Path) -> None:
    """Remove the lock of `sole_run` that a killed run left on an output; not one that is held."""
    path = output.resolve().with_name(f".{output.resolve().name}.lock")
    with suppress(OSError):
        if path.is_file():
            with _held(path, lock_file(path)):
                pass


@contextmanager
def _held(path: Path, descriptor: int) -> Iterator[None]:
    try:
        yield
    finally:
        # while it is held: who waits for it sees that it is no longer the file at this path
        path.unlink(missing_ok=True)
        os.close(descriptor)


def lock_file(path: Path, waits: bool = False) -> int:
    """Return the open file of a lock; `BlockingIOError` where it is held and this does not wait.

    The kernel drops it with the process. On a file system without locks nothing is locked.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not waits:
                os.close(descriptor)
                raise
            print(
                f"{path}: waiting for another process that is fetching it",
                file=sys.stderr,
                flush=True,
            )
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            return descriptor  # a file system without locks
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        os.close(descriptor)
