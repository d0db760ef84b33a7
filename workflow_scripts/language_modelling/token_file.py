"""Token ids on disk, for text that is larger than memory."""

import os
import tempfile

import numpy as np

from workflow_scripts.errors import UserError


class TokenFile:
    """Token ids, int32, in a file without a name in TMPDIR, which ends with the process.

    Read by position and not through a map of memory, whose pages would count as this process's.
    """

    _TYPE = np.dtype(np.int32)

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (for as long as this object)
        self.size = 0

    def append(self, ids: np.ndarray) -> None:
        """Write ids [tokens] behind the others; `UserError` where the disk is full."""
        try:
            self._file.write(ids.astype(self._TYPE, copy=False).tobytes())
            self._file.flush()
        except OSError as error:
            problem = f"no space for the tokens of the text ({error.strerror})"
            remedy = "set TMPDIR to a folder with four bytes for each token"
            raise UserError(tempfile.gettempdir(), problem, remedy) from error
        self.size += len(ids)

    def read(self, start: int, end: int) -> np.ndarray:
        """Return the ids from `start` up to `end`, not to be written to."""
        width = self._TYPE.itemsize
        content = os.pread(self._file.fileno(), width * (end - start), width * start)
        return np.frombuffer(content, dtype=self._TYPE)
