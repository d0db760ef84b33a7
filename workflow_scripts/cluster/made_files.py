"""Sizes of what jobs made: what was cut or changed since is named before a run plans.

Snakemake sees that such a file is newer, and would have the jobs that read it run on what is left.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from workflow_scripts.cluster.job_events import JobEvents
from workflow_scripts.files import append_to, without_link

# size, path and, of a file that no rule declares, the folder that it is a part of
NOTES = Path(".snakemake/made.tsv")
# beside it lie tokenizer and configs, which are the encoder's too; its card may be written again
_ENCODER, _CARD = "encoder.json", "README.md"
# where Snakemake notes what a killed run was making
_INCOMPLETE = Path(".snakemake/incomplete")


class MadeFiles(JobEvents):
    """Notes the sizes of outputs as Snakemake logs the end of their job; the last note counts."""

    def __init__(self) -> None:
        super().__init__()
        self._outputs: dict[str, list[str]] = {}
        without_link(NOTES)  # `append_to` would not write

    def hear(self, event: str, record: logging.LogRecord) -> None:
        if event == "job_info":
            self._outputs[str(record.jobid)] = [str(one) for one in record.output or ()]
        elif event == "job_finished":
            outputs = self._outputs.pop(str(record.job_id), ())
            # a full disk is for the jobs to tell
            with suppress(OSError), append_to(NOTES) as stream:
                for one in outputs:
                    stream.write(f"{os.path.getsize(one)}\t{one}\n")
                    stream.writelines(_undeclared(Path(one), outputs))


def _undeclared(output: Path, outputs: list[str]) -> Iterator[str]:
    """Yield the notes of the files of an encoder, given its record, that are no outputs."""
    if output.name == _ENCODER:
        for path in output.parent.rglob("*"):
            if path.is_file() and path.name != _CARD and str(path) not in outputs:
                yield f"{path.stat().st_size}\t{path}\t{output.parent}\n"


def changed_files() -> list[str]:
    """Return what is not as large as jobs left it: files, and encoders with such a file."""
    notes = {}
    for line in NOTES.read_text(encoding="utf-8").splitlines() if NOTES.is_file() else ():
        size, path, *folder = line.split("\t")
        notes[path] = size, "".join(folder)
    # those of a killed run are made anew, and may be newer than their notes
    if _INCOMPLETE.is_dir() and any(_INCOMPLETE.iterdir()):
        return []
    changed = (note[1] or path for path, note in notes.items() if _is_other(path, *note))
    return list(dict.fromkeys(changed))


def _is_other(path: str, size: str, folder: str) -> bool:
    if os.path.isfile(path):
        return str(os.path.getsize(path)) != size
    # Snakemake makes anew what is lost of what a rule declares
    return bool(folder) and os.path.isfile(os.path.join(folder, _ENCODER))


def refuse_changed_files(workflow: Any) -> None:
    """End a run before it plans if what jobs made was changed since."""
    if workflow.is_main_process and (changed := changed_files()):
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        remedy = "remove what was changed, and it is made anew"
        sys.exit(f"error: {changed[0]}{more}: changed since a job made it; {remedy}")
