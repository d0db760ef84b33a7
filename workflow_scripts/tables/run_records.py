"""What a run left next to its scores (seconds, logs and cards), and what made the scores.

Machine, commit and versions are those that the jobs recorded, not those of the page. The files are
read when the pages are made; a missing file is left out, and the pages say so. The Snakefile passes
on when and how the run was started, through the environment.
"""

import json
import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json
from workflow_scripts.project_files import PROJECT
from workflow_scripts.usage import STARTED, installed_versions, machine_text, started

UNKNOWN = "not known"
# of the usage files, which older ones lack
_RECORDED = ("machine", "commit", "versions")
# that can move a score where vectors are there; what made these is in their own records
_SCORED_WITH = ("python", "numpy", "scipy", "scikit-learn", "faiss-cpu")
# of these, the most frequent are shown
_MOST = 6


class JobRecord(NamedTuple):
    """What a job wrote of itself; "" where it did not, as before there was such a record."""

    seconds: float
    machine: str = ""
    commit: str = ""
    versions: str = ""


def note_start() -> None:
    """Keep when and by which command a run was started, and of which commit, for its steps."""
    command = [Path(sys.argv[0]).name, *sys.argv[1:]]
    about = {"command": command, "started": time.time(), "commit": commit()}
    about |= {"environment": sys.prefix, "versions": installed_versions()}
    os.environ[STARTED] = json.dumps(about)


def duration(seconds: float) -> str:
    """Return seconds as people say them: 12 s, 3 min 5 s, 2 h 14 min."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60:,} h {minutes % 60} min"


def read_jobs(results: Path, jobs: Iterable[str]) -> dict[str, JobRecord]:
    """Return what the jobs of a config wrote, by "rule/wildcards"; not those without a file."""
    recorded = {}
    for job in sorted(jobs):
        file = results / f"benchmarks/{job}.tsv"
        # one of another program is not shown
        with suppress(UserError, ValueError):
            rows = read_rows(file, Layout(["s"], optional=_RECORDED))
            for _, (seconds, *about) in islice(rows, 1):
                recorded[job] = JobRecord(float(seconds), *about)
    return recorded


def step_records(
    results: Path, jobs: Mapping[str, JobRecord], ids: Iterable[str]
) -> list[list[Any]]:
    """Return [step, seconds, whether its log is there] of the steps that are of `ids`.

    An id is an encoder or what one is scored on: a step's name starts with its rule and continues
    with the id, or with an encoder and its suite.
    """
    known = set(ids)
    records = []
    for step, job in jobs.items():
        _, _, of = step.partition("/")
        if of in known or of.rpartition("/")[0] in known:
            records.append([step, round(job.seconds, 1), (results / f"logs/{step}.log").is_file()])
    return records


def cards(results: Path, encoders: Iterable[str]) -> list[str]:
    return [
        encoder for encoder in encoders if (results / f"encoders/{encoder}/README.md").is_file()
    ]


def _git(*words: str) -> str:
    # variables may name another repository, as within a hook of git's
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", str(PROJECT), *words]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=own)
    return run.stdout.strip()


def commit() -> str:
    """Return the commit of the project's folder, and whether it was edited since."""
    with suppress(OSError, subprocess.CalledProcessError):
        if Path(_git("rev-parse", "--show-toplevel")) == PROJECT:
            return _git("describe", "--always", "--abbrev=12", "--dirty=, edited since")
    return f"{UNKNOWN}: no git checkout"


def _number(count: int, of: str) -> str:
    return f"1 {of.removesuffix('s')}" if count == 1 else f"{count:,} {of}"


def _counted(values: Iterable[str], of: str) -> str:
    """Return the different values; if several, with how many `of` something have each."""
    counts = Counter(value or UNKNOWN for value in values).most_common()
    if len(counts) < 2:
        return counts[0][0] if counts else UNKNOWN
    shown = [f"{value} ({_number(count, of)})" for value, count in counts[:_MOST]]
    more = [f"and {len(counts) - _MOST} others"] if len(counts) > _MOST else []
    return "; ".join([*shown, *more])


def _packages(records: Iterable[Mapping[str, str]], of: str) -> list[str]:
    """Return a line for each package: its version, or all of them and how many have each."""
    records = list(records)
    names = dict.fromkeys(name for record in records for name in record)
    lines = [
        f"{name} {_counted((record[name] for record in records if name in record), of)}"
        for name in names
    ]
    unknown = sum(not record for record in records)
    return [*lines, f"{UNKNOWN} ({_number(unknown, of)})"] if unknown else lines


def _recorded_versions(file: Path) -> dict[str, str]:
    """Return the versions that the record of an encoder or of vectors has; {} where it has none."""
    with suppress(UserError, AttributeError):
        return dict(read_json(file).get("versions", {}))
    return {}


def _versions_of_job(job: JobRecord) -> dict[str, str]:
    pairs = (part.split(" ", 1) for part in job.versions.split(", ") if " " in part)
    return {name: number for name, number in pairs if name in _SCORED_WITH}


def _of_jobs(jobs: Mapping[str, JobRecord], field: str) -> str:
    """Return the machines or commits of the jobs that make all but the pages."""
    pages = ("assemble_", "draw_")
    made = (job for name, job in jobs.items() if not name.startswith(pages))
    return _counted((getattr(job, field) for job in made), "jobs")


def _time_text() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"


def provenance(
    results: Path, jobs: Mapping[str, JobRecord], encoders: Iterable[str]
) -> dict[str, list[str]]:
    """Return what made encoders, vectors and scores, and what made the page: {what: lines}.

    `encoders` are those that are shown; untuned ones are models and have no record of their own.
    """
    tuned = [encoder for encoder in encoders if f"tune_encoder/{encoder}" in jobs]
    embedded = [job.partition("/")[2] for job in jobs if job.startswith("embed_suite/")]
    scored = [job for name, job in jobs.items() if name.startswith(("score_", "classify_"))]
    lines_by_name = {
        f"Encoders ({len(tuned):,})": _packages(
            (_recorded_versions(results / f"encoders/{encoder}/encoder.json") for encoder in tuned),
            "encoders",
        ),
        f"Vectors ({len(embedded):,} files)": _packages(
            (_recorded_versions(results / f"embeddings/{encoder}.json") for encoder in embedded),
            "files",
        ),
        f"Scores ({len(scored):,} files)": _packages(map(_versions_of_job, scored), "files"),
        "Machines": [_of_jobs(jobs, "machine")],
        "Commits": [_of_jobs(jobs, "commit")],
        "This page": [
            *(text for text in installed_versions() if text.startswith(("python ", "snakemake "))),
            *(machine_text(), f"commit {commit()}", _time_text()),
        ],
    }
    return {name: lines for name, lines in lines_by_name.items() if lines}


def facts(jobs: Mapping[str, JobRecord]) -> dict[str, str]:
    """Return what the overview says of the run: time, machines, commits, command."""
    start: dict[str, Any] = started()
    wall = f"; this run began {duration(time.time() - start['started'])} before" if start else ""
    seconds = sum(job.seconds for job in jobs.values())
    return {
        "Time": f"{len(jobs):,} jobs, together {duration(seconds)}{wall}; page of {_time_text()}",
        "Machine": _of_jobs(jobs, "machine"),
        "Commit": _of_jobs(jobs, "commit"),
        "Command": shlex.join(start["command"]) if start else f"{UNKNOWN}: made by the step alone",
    }
