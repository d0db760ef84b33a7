"""Sizes of what jobs made: what was cut or changed since is named before a run plans.

Snakemake sees that such a file is newer, and would have the jobs that read it run on what is left.
"""

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from workflow_scripts.cluster.job_events import JobEvents

NOTES = Path(".snakemake/made.tsv")
# where Snakemake notes what a killed run was making
_INCOMPLETE = Path(".snakemake/incomplete")


class MadeFiles(JobEvents):
    """Notes the sizes of outputs as Snakemake logs the end of their job; the last note counts."""

    def __init__(self) -> None:
        super().__init__()
        self._outputs: dict[str, list[str]] = {}

    def hear(self, event: str, record: logging.LogRecord) -> None:
        if event == "job_info":
            self._outputs[str(record.jobid)] = [str(one) for one in record.output or ()]
        elif event == "job_finished":
            outputs = self._outputs.pop(str(record.job_id), ())
            # a full disk is for the jobs to tell
            with suppress(OSError), NOTES.open("a", encoding="utf-8") as stream:
                stream.writelines(f"{os.path.getsize(one)}\t{one}\n" for one in outputs)


def changed_files() -> list[str]:
    """Return the files that are there with another size than their jobs left."""
    sizes = {}
    for line in NOTES.read_text(encoding="utf-8").splitlines() if NOTES.is_file() else ():
        size, _, path = line.partition("\t")
        sizes[path] = size
    # those of a killed run are made anew, and may be newer than their notes
    if _INCOMPLETE.is_dir() and any(_INCOMPLETE.iterdir()):
        return []
    return [
        path
        for path, size in sizes.items()
        if os.path.isfile(path) and str(os.path.getsize(path)) != size
    ]


def refuse_changed_files(workflow: Any) -> None:
    """End a run before it plans if what jobs made was changed since."""
    if workflow.is_main_process and (changed := changed_files()):
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        remedy = "remove what was changed, and it is made anew"
        sys.exit(f"error: {changed[0]}{more}: changed since a job made it; {remedy}")
