"""Which pages of the results show older values than there are, in status.js, which they load.

Pages are files that are opened from a disk, so that a page cannot ask: the head process of a run
writes as it starts which pages it is to make again, takes off each that is made, and compares at
its end all pages with what they are made from (`tables/page_records`). What a killed or failed run
leaves in status.js holds until a later run makes the page, or has nothing to do for it.
"""

import json
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text, write_text
from workflow_scripts.scoring.tidy_scores import read_scores
from workflow_scripts.tables import page_records
from workflow_scripts.tables.assemble_scores import merge_scores
from workflow_scripts.tables.render import STATUS, status_script

if TYPE_CHECKING:
    from workflow_scripts.plan.plan import Plan

INDEX, SCORECARD, SCORES = "tables/index", "tables/scorecard", "tables/scores"
# of a page: a run is to make it again, ended before it did, or what the page shows was made again
RUNNING, FAILED, OLDER = "running", "failed", "older"
# options of a run that hold for another one, and whether they take one value or more
_KEPT: dict[str, int | None] = {"--cores": 1, "-c": 1, "--jobs": 1, "-j": 1, "--profile": 1}
_KEPT |= {"--workflow-profile": 1, "--executor": 1, "-e": 1}
_KEPT |= {"--snakefile": 1, "-s": 1, "--directory": 1, "-d": 1}
_KEPT |= {"--configfile": None, "--configfiles": None}
_KEPT |= {"--config": None, "-C": None, "--sdm": None, "--software-deployment-method": None}
_MOST_NAMES = 6


def command_for_all(words: Sequence[str], target: str = "all_tables") -> str:
    """Return the command that makes all pages with the config and the resources of another one."""
    kept, section = ["snakemake"], 0
    for word in words:
        if word.startswith("-"):
            name, equals, _ = word.partition("=")
            values = _KEPT.get(name, 0)
            # of a short option the value may follow at once: -c4
            if not equals and name not in _KEPT and not word.startswith("--"):
                name, equals = word[:2], word[2:]
                values = _KEPT.get(name, 0)
            if values != 0:
                kept.append(word)
            section = 0 if equals else len(words) if values is None else values
        elif section:
            kept.append(word)
            section -= 1
    # before options that take several words
    return shlex.join([kept[0], target, *kept[1:]])


def read_status(path: Path) -> dict[str, Any]:
    """Return what an earlier run left, with no page where that cannot be read."""
    with suppress(UserError, ValueError, AttributeError):
        text = read_text(path).partition("=")[2].strip().removesuffix(";")
        status = json.loads(text)
        if isinstance(status.get("pages"), dict):
            return status
    return {"pages": {}}


class PageStatus:
    """The pages of a plan, and what a run of it does to them; `target` is the rule of them all.

    The run is a `runtime.snakemake_run.SnakemakeRun`.
    """

    def __init__(self, plan: "Plan", run: Any, target: str = "all_tables") -> None:
        self._plan, self._run, self._target = plan, run, target
        self._folder = Path(plan.config.results)
        self._file = self._folder / "tables" / STATUS
        ids = [INDEX, SCORECARD, *(f"tables/{name}" for name in plan.outputs.tables)]
        ids += [f"figures/{name}" for name in plan.outputs.figures]
        self._files = {page: self._folder / f"{page}.html" for page in ids}
        self._files[SCORES] = self._folder / f"{SCORES}.tsv"
        self._ids = {str(file): page for page, file in self._files.items()}
        self._earlier: dict[str, Any] = {}
        self._pages: dict[str, Any] = {}
        self._began = ""
        self._made: list[str] = []

    # ---- what the Snakefile calls ---------------------------------------------------------------

    def start(self) -> None:
        """Record the pages that a run will make again; until it ends, they show older values."""
        self._began = f"{datetime.fromtimestamp(time.time(), UTC):%Y-%m-%d %H:%M} UTC"
        self._read_earlier()
        run = f"The run that began {self._began}"
        why = (
            f"{run} will make this page again but has not ended: it is still running or was "
            "stopped."
        )
        jobs = self._jobs()
        todo = {page for page, job in jobs.items() if self._run.is_to_run(job)}
        kept = {page: entry for page, entry in self._earlier.items() if page not in jobs}
        self._pages = kept | {page: {"state": RUNNING, "why": why} for page in sorted(todo)}
        self._write()

    def finished(self, outputs: Iterable[str]) -> None:
        """Take off the pages among the outputs of a job that has ended; only within a run."""
        pages = (self._ids.get(str(Path(file))) for file in outputs)
        made = [page for page in pages if page is not None]
        if self._began and made:
            self._made += made
            for page in made:
                self._pages.pop(page, None)
            self._write()

    def nothing_to_do(self) -> None:
        """Take off what an earlier run left, where a run finds that all is up to date."""
        if self._run.is_head and not self._run.is_dry:
            self._read_earlier()
            if self._earlier:
                self._compare()
                self._write()

    def end(self, failed: Sequence[str] | None = None) -> None:
        """Write which pages show older values, and print it; `failed` are lines of failed jobs.

        None where the run succeeded. What is printed says to open the pages only if they are up to
        date.
        """
        self._compare()
        self._write(failed or ())
        is_there = self._files[INDEX].is_file()
        lines, shown = [], [page for page in self._pages if self._files[page].is_file()]
        if failed is None:
            if is_there and INDEX not in self._pages:
                where = f"{self._folder}/tables"
                lines.append(f"Done. Tables asked for are in {where}: open index.html there")
            else:
                made = _listing(str(self._files[page]) for page in self._made)
                lines.append(f"Done. Made: {made}" if made else "Done.")
        if shown:
            lines.append("These show older values:")
            reasons = dict.fromkeys(self._pages[page]["why"] for page in shown)
            for why in reasons:
                pages = [page for page in shown if self._pages[page]["why"] == why]
                files = [str(self._files[page]) for page in pages]
                lines.append(f"  {_listing(files)}: {why}")
        elif self._made and not is_there and failed is None:
            lines.append(f"{self._files[INDEX]}, which shows everything, is not made yet.")
        if shown or len(lines) > 1:
            lines.append(
                f"To bring everything up to date: {command_for_all(sys.argv[1:], self._target)}"
            )
        for line in lines:
            print(line)

    # ---- what is older --------------------------------------------------------------------------

    def _jobs(self) -> dict[str, Any]:
        """Return the job of each page that the run will make, by page."""
        jobs = {str(Path(file)): job for file, job in self._run.jobs().items()}
        return {page: jobs[file] for file, page in self._ids.items() if file in jobs}

    def _read_earlier(self) -> None:
        self._earlier = {
            page: entry
            for page, entry in read_status(self._file)["pages"].items()
            if page in self._files and isinstance(entry, dict)
        }

    def _compare(self) -> None:
        """Set the pages that show older values, and why."""
        jobs, pages = self._jobs(), {}
        ended = f"The run that began {self._began} ended before it made this page again."
        for page in self._files:
            job = jobs.get(page)
            if job is not None and self._run.is_to_run(job) and not self._run.has_ended(job):
                pages[page] = {"state": FAILED, "why": ended}
            # which comparing cannot see: what the run was to make may not be there yet
            elif job is None and self._earlier.get(page, {}).get("state") in (RUNNING, FAILED):
                pages[page] = self._earlier[page]
            elif why := self._difference(page):
                pages[page] = {"state": OLDER, "why": why}
        self._pages = pages

    def _difference(self, page: str) -> str:
        """Return why a page shows older values than there are, "" where it does not."""
        file = self._files[page]
        if not file.is_file():
            return ""
        again = "Its contents were made again, or removed, since then."
        try:
            if page == SCORES:
                scores = merge_scores(self._plan.cells.all_scores())
                return "" if scores == read_scores(file) else again
            record = page_records.read_record(file)
            if record is None:
                return "An earlier version of the workflow made it."
            now = self._record(page)
        except (UserError, OSError):
            return again
        changed = [key for key in now if now[key] != record.get(key)]
        if page_records.INPUTS in changed:
            return again
        if names := [key for key in changed if key != page_records.CONFIG]:
            were = "was" if len(names) == 1 else "were"
            return f"It was made before {_listing(names)} {were} made again."
        return "The config has changed since then." if changed or len(now) != len(record) else ""

    def _record(self, page: str) -> dict[str, str]:
        """Return the record that a page would have if it were made now."""
        section, name = page.split("/")
        # as its step reads it
        block = json.loads(self._plan.outputs.block(section, name))
        if page in (INDEX, SCORECARD):
            inputs = page_records.cell_files(block)
        else:
            inputs = {page_records.INPUTS: page_records.input_files(section, block)}
        return page_records.make_record(block, inputs, self._folder, self._plan.hashes.of)

    def _write(self, failed: Sequence[str] = ()) -> None:
        if not self._pages and not self._file.exists():
            return
        status: dict[str, Any] = {"pages": self._pages}
        if self._pages:
            status["command"] = command_for_all(sys.argv[1:], self._target)
            status["titles"] = {page: self._title(page) for page in self._pages}
        if failed:
            status["failed"] = list(failed)
        # a full disk is an error of the jobs
        with suppress(OSError):
            write_text(self._file, status_script(status))

    def _title(self, page: str) -> str:
        section, name = page.split("/")
        fixed = {INDEX: "Results", SCORECARD: "Scorecard", SCORES: "All scores"}
        return fixed.get(page) or getattr(self._plan.outputs, section)[name].title


def _listing(names: Iterable[str]) -> str:
    """Return a few names, and how many more there are."""
    names = list(names)
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
