"""One run at a time in a folder, by a lock that a killed run does not leave behind."""

import fcntl
from pathlib import Path

from workflow_scripts.errors import UserError

_held = []


def hold_run_lock(path: str | Path = ".snakemake/run.lock") -> None:
    """Hold a lock on `path` for as long as this process lives.

    Snakemake's own lock outlives a SIGKILL and then asks for `--unlock`; the kernel drops this one
    with the process. Where the file system has no locks the run goes on without one.

    Raises `UserError` if another process holds it.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open("a")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        raise UserError(
            f"{path}: another run of this workflow is active in this folder; wait for it or stop it"
        ) from None
    except OSError:
        # a file system without locks
        pass
    _held.append(stream)
