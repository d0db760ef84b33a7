"""SHA-256 of files, each read once: a cache on disk knows the state in which a file was read.

The state is size, times of content and inode, and inode. No program can set the time of the inode,
so that a file replaced by one with an older date, or by `cp -p`, is read again.
"""

import atexit
import json
import os
import stat
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from workflow_scripts.files import sha256_of, write_text

# After so many bytes read the cache is written: a killed run then loses little of its reading.
_BYTES_BETWEEN_WRITES = 500_000_000


class State(NamedTuple):
    """What changes when a file is written or replaced."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


def state_of(path: str | Path) -> State | None:
    """Return the state of a file, or of what a link leads to; None without a regular file."""
    try:
        about = os.stat(path)
    except OSError:
        return None
    if not stat.S_ISREG(about.st_mode):
        return None
    return State(about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino)


class ContentHashes:
    """The hashes of files by path. Two runs may share the cache: losing an entry costs a reading.

    Where the cache cannot be written, every process reads the files again.
    """

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self._known: dict[str, tuple[State, str]] | None = None
        self._new: dict[str, tuple[State, str]] = {}
        self._unwritten = 0
        atexit.register(self.write)

    def of(self, path: str | Path) -> str | None:
        """Return the SHA-256 of a file as it is now; None without a regular file.

        Of one that cannot be read, or is being written, the answer equals no hash.
        """
        state = state_of(path)
        return None if state is None else self._hash(path, state) or "not readable"

    def of_state(self, path: str | Path, state: State | None) -> str | None:
        """Return the SHA-256 of a file that is still in the given state; None otherwise."""
        if state is None or state_of(path) != state:
            return None
        return self._hash(path, state)

    def _hash(self, path: str | Path, state: State) -> str | None:
        if self._known is None:
            self._known = self._read()
        name = os.path.abspath(path)
        before, sha256 = self._known.get(name, (None, ""))
        if before == state:
            return sha256
        started = time.time_ns()
        try:
            sha256 = sha256_of(path)
        except OSError:
            return None
        if state_of(path) != state:
            return None
        if _is_settled(state, started):
            self._known[name] = self._new[name] = state, sha256
            self._unwritten += state.size
            if self._unwritten > _BYTES_BETWEEN_WRITES:
                self.write()
        return sha256

    def write(self) -> None:
        """Write what was read since, with what other runs wrote meanwhile."""
        if not self._new:
            return
        entries = self._read() | self._new
        lines = (json.dumps([name, *state, sha256]) for name, (state, sha256) in entries.items())
        # a cache: read-only results or a full disk only cost a reading
        with suppress(OSError):
            write_text(self._cache, "".join(f"{line}\n" for line in lines))
        self._new, self._unwritten = {}, 0

    def _read(self) -> dict[str, tuple[State, str]]:
        known = {}
        with suppress(OSError, UnicodeDecodeError):
            for line in self._cache.read_text(encoding="utf-8").splitlines():
                with suppress(ValueError, TypeError):
                    name, *state, sha256 = json.loads(line)
                    known[name] = State(*state), sha256
        return known


def _is_settled(state: State, now_ns: int) -> bool:
    """Return whether a later change must show: not in the tick of the clock that wrote a file.

    File systems count in milliseconds, or in seconds: those have no fractions.
    """
    tick = 100_000_000 if state.ctime_ns % 1_000_000_000 else 2_000_000_000
    return state.ctime_ns < now_ns - tick
