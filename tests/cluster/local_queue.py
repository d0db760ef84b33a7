"""A batch queue of this machine: two jobs at a time, for profiles/generic with `system: own`.

python local_queue.py submit FOLDER SCRIPT   # prints the job's id
python local_queue.py status FOLDER ID       # running, success or failed
python local_queue.py cancel FOLDER ID...
"""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PLACES = 2


def submit(folder: Path, script: str) -> None:
    """Print the id of a job that waits for a place and then runs the script."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "queue.log").open("a") as log:
        words = [sys.executable, __file__, "run", str(folder), script]
        streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
        process = subprocess.Popen(words, start_new_session=True, **streams)
    (folder / f"{process.pid}.submitted").write_text(script)
    print(process.pid)


def run(folder: Path, script: str) -> None:
    """Wait for a place, run the script, and note its exit status."""
    places = [(folder / f"place{number}").open("a") for number in range(PLACES)]
    while not any(map(_taken, places)):
        time.sleep(0.05)
    status = subprocess.run(["sh", script]).returncode
    ended = folder / f"{os.getpid()}.ended"
    ended.with_suffix(".writing").write_text(str(status))
    ended.with_suffix(".writing").rename(ended)


def _taken(place) -> bool:
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def status(folder: Path, job: str) -> None:
    """Print the state of a job; one that ended without a note was killed."""
    ended = folder / f"{job}.ended"
    alive = Path(f"/proc/{job}").exists()
    if ended.exists():
        print("success" if ended.read_text() == "0" else "failed")
    else:
        print("running" if alive else "failed")


def cancel(folder: Path, *jobs: str) -> None:
    """Kill jobs and what they started."""
    for job in jobs:
        try:
            os.killpg(int(job), signal.SIGTERM)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    action, folder, *words = sys.argv[1:]
    {"submit": submit, "run": run, "status": status, "cancel": cancel}[action](Path(folder), *words)
