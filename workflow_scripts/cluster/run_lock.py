"""One run at a time in a folder, by a lock that a killed run does not leave behind."""

import fcntl
import sys
from pathlib import Path
from typing import IO, Any

from workflow_scripts.files import append_to

LOCK = Path(".snakemake/run.lock")
_held = []


def refuse_second_run(workflow: Any, path: Path = LOCK) -> None:
    """End a run before it plans if another one holds the lock; one that runs no job goes on."""
    settings = workflow.resource_settings
    runs_jobs = (settings.cores or settings.nodes) and not workflow.output_settings.dryrun
    if workflow.is_main_process and runs_jobs and path.exists():
        _lock(path).close()


def hold_run_lock(path: Path = LOCK) -> None:
    """Hold a lock on `path` for as long as this process lives; end it if another one does.

    Snakemake's own lock outlives a SIGKILL and then asks for `--unlock`; the kernel drops this one
    with the process. Where the file system has no locks the run goes on without one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _held.append(_lock(path))


def _lock(path: Path) -> IO[str]:
    try:
        stream = append_to(path)
    except OSError as error:
        sys.exit(f"error: {path}: cannot be used ({error.strerror}); remove it")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        active = "another run of this workflow is active in this folder; wait for it or stop it"
        sys.exit(f"error: {path}: {active}")
    except OSError:
        pass  # a file system without locks
    return stream
