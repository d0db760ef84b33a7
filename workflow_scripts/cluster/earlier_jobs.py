"""Jobs that an earlier run in this folder left behind when its head process died."""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from workflow_scripts.cluster.batch_systems import jobs_in_queue
from workflow_scripts.errors import printable

SECONDS_BETWEEN_LOOKS = 5.0


def jobs_still_running(folder: Path) -> list[str]:
    """Return the logs and processes of jobs of which something lives; job.sh holds their locks."""
    found = []
    for file in sorted((folder / ".snakemake" / "running").glob("*")):
        with file.open("r+") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                host, _, process = file.name.rpartition(".")
                found.append(f"{stream.read().strip()}, process {process} on {host}")
                continue
            except OSError:
                pass  # a file system without locks
        file.unlink(missing_ok=True)
    return found


def jobs_left_behind(folder: Path) -> list[str]:
    """Return what names the jobs that a run in `folder` left, in a cluster's queue or running."""
    found = jobs_in_queue(folder)
    if shutil.which("squeue"):
        command = ["squeue", "--me", "--noheader", "--format", "%i|%k|%Z"]
        listing = subprocess.run(command, capture_output=True, text=True)
        for line in listing.stdout.splitlines() if listing.returncode == 0 else []:
            job, comment, workdir = line.split("|", 2)
            # what the executor plugin writes into the comments of its jobs
            if comment.startswith(("rule_", "group_")) and workdir == str(folder):
                found.append(job)
    # those of a cluster that run on a node may be named by their locks too
    return found + jobs_still_running(folder)


def wait_for_earlier_jobs(folder: Path | None = None) -> None:
    """Wait until the jobs of an earlier run have ended, then plan this run anew with their files.

    To run beside them would do their work twice.
    """
    folder = folder or Path.cwd()
    if not (left := jobs_left_behind(folder)):
        return
    there = "jobs of an earlier run in this folder have not ended"
    todo = "waiting for them; cancel or kill them to give them up"
    jobs = printable("; ".join(left))
    print(f"{there} ({jobs}): {todo}", file=sys.stderr, flush=True)
    while jobs_left_behind(folder):
        time.sleep(SECONDS_BETWEEN_LOOKS)
    print("they have ended: starting anew", file=sys.stderr, flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])
