"""Faults of `tools.chaos`: a run of a subject, what is done to it, and what is wrong afterwards."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil

from tools.chaos_subjects import SECONDS, Run, Subject

LARGE = "64m"
_YEAR = 365 * 86400
_OTHERS = re.compile(
    r"\.snakemake/(?!locks/).*|results/\.workflow/(?!(running|incomplete)/).*"
    r"|tmp/snakemake.*|said-.*|.*__pycache__.*"
)


@dataclass
class Alone:
    """What a run that nothing disturbed was like."""

    subject: Subject
    folder: Path
    seconds: float = 0.0
    changes: int = 0
    results: dict[str, bytes] = field(default_factory=dict)

    def make(self) -> None:
        _copy(self.subject.folder, self.folder, self.subject)
        started = time.monotonic()
        run = Run(self.subject, self.folder, "alone")
        self.changes = _watch(run, self.folder / self.subject.output, SECONDS, None)
        self.seconds = time.monotonic() - started
        if run.wait() != 0:
            raise RuntimeError(f"{self.subject.name} fails undisturbed: {run.said}")
        self.results = self.subject.results(self.folder)


def _copy(source: Path, folder: Path, subject: Subject) -> None:
    shutil.copytree(source, folder, symlinks=True)
    for name in (subject.output, "tmp"):
        (folder / name).mkdir(exist_ok=True)


def _watch(run: Run, output: Path, seconds: float, changes: int | None) -> int:
    """Return how often files changed until a run ended, or so many changes or seconds passed."""
    end, seen, before = time.monotonic() + seconds, 0, None
    pause = 0.0
    while run.wait(pause) is None and time.monotonic() < end and seen != changes:
        state, started = [], time.monotonic()
        for path, folders, files in os.walk(output):
            with suppress(OSError):
                sizes = [os.stat(f"{path}/{name}").st_size for name in files]
                state += [(path, tuple(folders), tuple(files), sizes)]
        seen += before is not None and state != before
        before = state
        # so that to look takes little of what the run would have
        pause = 5 * (time.monotonic() - started)
    return seen


class Case:
    """One fault: a folder, a run in it, what was done to it and what is wrong."""

    def __init__(self, alone: Alone, folder: Path, chance: random.Random) -> None:
        self.alone, self.subject, self.folder, self.chance = alone, alone.subject, folder, chance
        self.output = folder / self.subject.output
        self.runs: list[Run] = []
        self.when, self.wrong = "", []
        # a file that may be gone in the end, or be named in an error
        self.damaged: str | None = None

    def fresh(self) -> None:
        _copy(self.subject.folder, self.folder, self.subject)

    def finished(self) -> None:
        _copy(self.alone.folder, self.folder, self.subject)

    def start(self) -> Run:
        self.runs.append(Run(self.subject, self.folder, str(len(self.runs))))
        return self.runs[-1]

    def moment(self, run: Run) -> None:
        """Wait until a random moment of a run: half of them by the clock, half by its files."""
        if self.chance.random() < 0.5:
            seconds = self.chance.uniform(0, 1.1 * self.alone.seconds)
            self.when = f"after {seconds:.2f} s"
            run.wait(seconds)
            return
        changes = self.chance.randint(1, max(1, self.alone.changes))
        self.when = f"at change {changes} of files"
        _watch(run, self.output, SECONDS, changes)
        run.wait(self.chance.uniform(0, 0.02))

    def ended(self, run: Run) -> int | None:
        status = run.wait()
        if status is None:
            self.wrong.append(f"runs on after {SECONDS} s")
            run.send(signal.SIGKILL, True)
        return status

    def refused(self, run: Run) -> None:
        """A run that could not end well has said why, in one line."""
        status = self.ended(run)
        errors = re.findall(r"^error: .*", run.said, flags=re.MULTILINE)
        if status and len(errors) != 1 and not self.subject.is_workflow:
            self.wrong.append(f"{len(errors)} lines of error, status {status}")

    def again(self) -> None:
        """Run the same command to its end; its results are those of one that was not disturbed."""
        run = self.start()
        status = self.ended(run)
        if status and (named := self._named(run.said)):
            self.when += ", named"
            shutil.rmtree(named) if named.is_dir() else named.unlink()
            self.output.mkdir(exist_ok=True)
            run = self.start()
            status = self.ended(run)
        if status:
            self.wrong.append(f"run again it ends with {status}: {run.said.splitlines()[-3:]}")
        self.compare()

    def _named(self, said: str) -> Path | None:
        """Return what to remove, if an error names it: of a command its output."""
        if self.damaged is None:
            return None
        if not self.subject.is_workflow:
            return self.output if str(Path(self.damaged).parent) in said else None
        found = re.search(r"^error: (\S+): changed since", said, flags=re.MULTILINE)
        if found is None or not Path(self.damaged).is_relative_to(found[1]):
            return None
        self.damaged = found[1]
        return self.folder / self.damaged

    def compare(self) -> None:
        found = self.subject.results(self.folder)
        for name, body in self.alone.results.items():
            # what nothing needs any more is not made again
            of_it = bool(self.damaged) and Path(name).is_relative_to(self.damaged)
            if name not in found and not of_it:
                self.wrong.append(f"{name} is lacking")
            elif found.get(name, body) != body:
                self.wrong.append(f"{name} is different")
        left = sorted(_names(self.folder) - _names(self.alone.folder))
        self.wrong += [f"{name} is left over" for name in left]
        texts = [run.said for run in self.runs]
        if self.subject.is_workflow:
            # Snakemake has one of its own for a disk that fails between two jobs
            texts = [text for text in texts if "/workflow_scripts/" in text]
            texts += [log.read_text() for log in self.output.glob("logs/**/*.log")]
        self.wrong += ["a traceback: " + text[-300:] for text in texts if "Traceback (most" in text]
        if _processes(self.folder, 10):
            self.wrong.append("a process is left over")

    def clean(self) -> None:
        for process in _processes(self.folder, 0):
            with suppress(psutil.Error):
                process.kill()
        if os.path.ismount(self.output):
            _mount("umount", "--lazy", self.output)
        if not self.wrong:
            shutil.rmtree(self.folder, ignore_errors=True)


def _names(folder: Path) -> set[str]:
    """Return the files and folders of a case; of Snakemake's own, what stands for running jobs.

    What a killed Snakemake leaves in TMPDIR is nobody's to remove.
    """
    names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
    return {name for name in names if not _OTHERS.fullmatch(name)}


def _processes(folder: Path, seconds: float) -> list[psutil.Process]:
    """Return the processes at work in a folder, once they had so many seconds to end."""
    end = time.monotonic() + seconds
    while True:
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, OSError):
                if Path(process.cwd()).is_relative_to(folder):
                    found.append(process)
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.2)


def _mount(*words: object) -> bool:
    return subprocess.run([*map(str, words)], capture_output=True).returncode == 0


# ---- faults --------------------------------------------------------------------------------------


def signalled(case: Case, number: int, to_group: bool) -> None:
    case.fresh()
    run = case.start()
    case.moment(run)
    run.send(number, to_group)
    case.ended(run)


def full_disk(case: Case) -> None:
    """Its disk has room for up to one and a half times the results, which are written twice."""
    case.fresh()
    size = sum(map(len, case.alone.results.values()))
    size = max(4096, int(size * case.chance.uniform(0, 1.5)))
    case.when = f"of {size:,} bytes"
    _mount("mount", "-t", "tmpfs", "-o", f"size={size}", "none", case.output)
    case.refused(case.start())
    _mount("mount", "-o", f"remount,size={LARGE}", case.output)


def read_only(case: Case) -> None:
    case.fresh()
    _mount("mount", "-t", "tmpfs", "-o", f"size={LARGE}", "none", case.output)
    run = case.start()
    case.moment(run)
    # refused while a file is open to be written
    while not _mount("mount", "-o", "remount,ro", case.output) and run.wait(0) is None:
        pass
    case.refused(run)
    _mount("mount", "-o", "remount,rw", case.output)


def two_heads(case: Case) -> None:
    case.fresh()
    runs = [case.start()]
    case.moment(runs[0])
    runs.append(case.start())
    for run in runs:
        case.refused(run)


def clock_jump(case: Case) -> None:
    """Killed, and then all files are dated up to a year before or after now.

    Of the workflow before: Snakemake itself refuses and names what comes from the future.
    """
    signalled(case, signal.SIGKILL, True)
    latest = 0 if case.subject.is_workflow else _YEAR
    for path in case.folder.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            date = time.time() + case.chance.uniform(-_YEAR, latest)
            os.utime(path, (date, date))


def lost_output(case: Case) -> None:
    path = _some_output(case)
    case.when = f"of {case.damaged}"
    path.unlink()


def cut_output(case: Case) -> None:
    path = _some_output(case)
    size = case.chance.randrange(path.stat().st_size)
    case.when = f"of {case.damaged} to {size:,} bytes"
    os.truncate(path, size)


def _some_output(case: Case) -> Path:
    case.finished()
    case.damaged = case.chance.choice([k for k, v in case.alone.results.items() if v])
    return case.folder / case.damaged


KINDS: dict[str, Callable[[Case], None]] = {
    f"{number.name} {whom}": partial(signalled, number=number, to_group=whom == "group")
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
    for whom in ("process", "group")
}
_OTHER_KINDS = (full_disk, read_only, two_heads, clock_jump, lost_output, cut_output)
KINDS |= {kind.__name__.replace("_", " "): kind for kind in _OTHER_KINDS}
NEED_A_MOUNT = ("full disk", "read only")


def can_mount(folder: Path) -> bool:
    folder.mkdir(exist_ok=True)
    able = shutil.which("mount") and _mount("mount", "-t", "tmpfs", "none", folder)
    return bool(able) and _mount("umount", folder)
