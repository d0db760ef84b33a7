"""One run at a time in a results folder, by a lock that a killed run does not leave behind."""

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

from workflow_scripts.locking import lock_file
from workflow_scripts.runtime.snakemake_run import SnakemakeRun

NAME = "run.lock"
_held: list[int] = []


def refuse_second_run(run: SnakemakeRun, records: Path) -> None:
    """End a run before it plans if another one holds the lock; one that runs no job continues."""
    if run.is_head and run.runs_jobs and (records / NAME).exists():
        # of read-only results, in which no run can hold it
        with suppress(OSError):
            os.close(_lock(records / NAME))


def hold_run_lock(records: Path) -> None:
    """Hold the lock of a results folder for as long as this process lives, or end it.

    Snakemake's own lock is a clone's, outlives a SIGKILL and then asks for `--unlock`; the kernel
    drops this one with the process. On a file system without locks the run continues unlocked.
    """
    try:
        records.mkdir(parents=True, exist_ok=True)
        _held.append(_lock(records / NAME))
    except OSError as error:
        if error.errno == errno.ELOOP:
            sys.exit(f"error: {records / NAME}: cannot be used ({error.strerror}); remove it")
        remedy = "make it writable, or choose another with `results` in the config"
        sys.exit(f"error: {records.parent}: cannot be written to ({error.strerror}); {remedy}")


def _lock(path: Path) -> int:
    try:
        return lock_file(path)
    except BlockingIOError:
        active = "another run of this workflow is active in this folder; wait for it or stop it"
        sys.exit(f"error: {path}: {active}")
