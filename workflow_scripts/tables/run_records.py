"""What a run left beside its scores: seconds, logs and cards, the command, the commit, the machine.

Read as they are when the pages are made; what is not there is left out, and the pages say so. The
Snakefile hands on when and how the run was started, by the environment.
"""

import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any

from workflow_scripts.benchmarks.measurements import machine
from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.errors import UserError

# of the environment, for the steps of a run: {"command": [...], "started": seconds}
STARTED = "WORKFLOW_STARTED"
# packages whose version can move a score
PACKAGES = "torch transformers tokenizers sentence-transformers numpy scipy faiss-cpu snakemake"


def note_start() -> None:
    """Keep when and by which command a run was started, for its steps."""
    command = [Path(sys.argv[0]).name, *sys.argv[1:]]
    os.environ[STARTED] = json.dumps({"command": command, "started": time.time()})


def duration(seconds: float) -> str:
    """Return seconds as people say them: 12 s, 3 min 5 s, 2 h 14 min."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def read_seconds(results: Path) -> dict[str, float]:
    """Return the seconds of each job that has a benchmark file, by "rule/wildcards"."""
    folder, found = results / "benchmarks", {}
    for file in sorted(folder.rglob("*.tsv")):
        # one of another program is not shown
        with suppress(UserError, ValueError):
            for _, row in islice(read_headed_rows(file, ["s"]), 1):
                found[str(file.relative_to(folder).with_suffix(""))] = float(row["s"])
    return found


def step_records(results: Path, seconds: Mapping[str, float], ids: Iterable[str]) -> list[list]:
    """Return [step, seconds, whether its log is there] of the steps that are of `ids`.

    An id is an encoder or what one is scored on: a step's name starts with its rule and goes on
    with the id, or with an encoder and its suite.
    """
    known = set(ids)
    found = []
    for step, value in seconds.items():
        _, _, of = step.partition("/")
        if of in known or of.rpartition("/")[0] in known:
            found.append([step, round(value, 1), (results / f"logs/{step}.log").is_file()])
    return found


def cards(results: Path, encoders: Iterable[str]) -> list[str]:
    return [one for one in encoders if (results / f"encoders/{one}/README.md").is_file()]


def _git(*words: str) -> str:
    return subprocess.run(
        ["git", *words], capture_output=True, text=True, check=True
    ).stdout.strip()


def commit() -> str:
    """Return the commit of the project's folder, and whether it was edited since."""
    try:
        if Path(_git("rev-parse", "--show-toplevel")) == Path.cwd():
            return _git("describe", "--always", "--abbrev=12", "--dirty=, edited since")
    except (OSError, subprocess.CalledProcessError):
        pass
    return "not known: no git checkout"


def installed() -> dict[str, str]:
    """Return the versions of Python and of the packages that can move a score."""
    found = {"python": platform.python_version()}
    for package in PACKAGES.split():
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def facts(seconds: Mapping[str, float]) -> dict[str, str]:
    """Return what the overview says of the run: time, machine, commit, command."""
    about = machine()
    told = os.environ.get(STARTED)
    start: dict[str, Any] = json.loads(told) if told else {}
    now = time.time()
    ended = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M} UTC"
    wall = f"; this run began {duration(now - start['started'])} before" if start else ""
    jobs = f"{len(seconds):,} jobs, together {duration(sum(seconds.values()))}"
    return {
        "Time": f"{jobs}{wall}; page of {ended}",
        "Machine": f"{about['processor']}, {about['cores']} cores, {about['memory']}, "
        f"{about['system']}",
        "Commit": commit(),
        "Command": shlex.join(start["command"]) if start else "not known: made by the step alone",
    }
