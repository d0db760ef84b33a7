"""Cluster jobs that an earlier run in this folder left behind when its head process died."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from workflow_scripts.cluster.batch_systems import jobs_in_queue

SECONDS_BETWEEN_LOOKS = 5.0


def jobs_left_behind(folder: Path) -> list[str]:
    """Return the ids of queued and running cluster jobs that a run in `folder` submitted."""
    found = jobs_in_queue(folder)
    if shutil.which("squeue"):
        command = ["squeue", "--me", "--noheader", "--format", "%i|%k|%Z"]
        listing = subprocess.run(command, capture_output=True, text=True)
        for line in listing.stdout.splitlines() if listing.returncode == 0 else []:
            job, comment, workdir = line.split("|", 2)
            # what the executor plugin writes into the comments of its jobs
            if comment.startswith(("rule_", "group_")) and workdir == str(folder):
                found.append(job)
    return found


def wait_for_earlier_jobs(folder: Path | None = None) -> None:
    """Wait until the jobs of an earlier run have ended, then plan this run anew with their files.

    To run beside them would do their work twice.
    """
    folder = folder or Path.cwd()
    if not (left := jobs_left_behind(folder)):
        return
    there = f"{len(left)} jobs of an earlier run in this folder are still in the queue"
    todo = "waiting for them; cancel them to give them up"
    print(f"{there} ({', '.join(left)}): {todo}", file=sys.stderr, flush=True)
    while jobs_left_behind(folder):
        time.sleep(SECONDS_BETWEEN_LOOKS)
    print("they have ended: starting anew", file=sys.stderr, flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])
