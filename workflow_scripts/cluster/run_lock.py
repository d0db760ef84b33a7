"""One run at a time in a folder, by a lock that a killed run does not leave behind."""

import fcntl
from pathlib import Path

from workflow_scripts.errors import UserError

_held = []


def hold_run_lock(path: str | Path = ".snakemake/run.lock") -> None:
    """Hold a lock on `path` for as long as this process lives; `UserError` if another one does.

    Snakemake's own lock outlives a SIGKILL and then asks for `--unlock`; the kernel drops this one
    with the process. Where the file system has no locks the run goes on without one.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    stream = path.open("a")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.close()
        active = "another run of this workflow is active in this folder; wait for it or stop it"
        raise UserError(f"{path}: {active}") from None
    except OSError:
        pass  # a file system without locks
    _held.append(stream)
