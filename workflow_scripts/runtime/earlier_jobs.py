"""Jobs that an earlier run of the same results left behind when its head process died.

That run may have been another clone's: what records its jobs is kept with the results.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from workflow_scripts.errors import printable
from workflow_scripts.files import append_to
from workflow_scripts.runtime.batch_systems import jobs_in_queue
from workflow_scripts.runtime.snakemake_run import SnakemakeRun

SECONDS_BETWEEN_LOOKS = 5.0
# what jobs of a run are called in SLURM's queue, a line for each run
_SLURM_RUNS = "slurm_runs"


def note_slurm_run(run: SnakemakeRun, records: Path) -> None:
    """Keep by what name the jobs of this run will be in SLURM's queue, if it submits them there.

    Ends the run where SLURM is not installed: its plugin would try again for ever.
    """
    if run.slurm_name is not None:
        if shutil.which("sbatch") is None:
            remedy = "start on a login node of the cluster, or run without this profile"
            sys.exit(f"error: executor slurm: no program sbatch on this machine; {remedy}")
        with append_to(records / _SLURM_RUNS) as stream:
            stream.write(f"{run.slurm_name}\n")


def jobs_still_running(records: Path) -> list[str]:
    """Return the logs and processes of jobs of which something lives; job.sh holds their locks."""
    running = []
    for file in sorted((records / "running").glob("*")):
        with file.open("r+") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                host, _, process = file.name.rpartition(".")
                running.append(f"{stream.read().strip()}, process {process} on {host}")
                continue
            except OSError:
                pass  # a file system without locks
        file.unlink(missing_ok=True)
    return running


def jobs_left_behind(records: Path) -> list[str]:
    """Return what names the jobs that a run left, in a cluster's queue or running."""
    jobs = jobs_in_queue()
    runs = records / _SLURM_RUNS
    if shutil.which("squeue") and runs.is_file():
        names = set(runs.read_text().split())
        command = ["squeue", "--me", "--noheader", "--format", "%i|%j"]
        listing = subprocess.run(command, capture_output=True, text=True)
        lines = listing.stdout.splitlines() if listing.returncode == 0 else []
        jobs += [job for job, _, name in (line.partition("|") for line in lines) if name in names]
    # those of a cluster that run on a node may be named by their locks too
    return jobs + jobs_still_running(records)


def wait_for_earlier_jobs(records: Path) -> None:
    """Wait until the jobs of an earlier run have ended, then plan this run again with their files.

    To run alongside them would do their work twice.
    """
    if not (left := jobs_left_behind(records)):
        (records / _SLURM_RUNS).unlink(missing_ok=True)
        return
    there = "jobs of an earlier run in this folder have not ended"
    todo = "waiting for them; cancel or kill them to stop waiting"
    jobs = printable("; ".join(left))
    print(f"{there} ({jobs}): {todo}", file=sys.stderr, flush=True)
    while jobs_left_behind(records):
        time.sleep(SECONDS_BETWEEN_LOOKS)
    print("they have ended: starting", file=sys.stderr, flush=True)
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *sys.argv[1:]])
