"""Sum up the benchmark files of Snakemake: running time and memory by group of jobs."""

import argparse
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.tables.block_values import (
    LIST,
    OPTIONAL_LIST,
    TEXT,
    check_distinct,
    checked,
    read_object,
    strings,
)
from workflow_scripts.tables.listing import (
    LEFT,
    RIGHT,
    Field,
    Listing,
    ListingPage,
    fields,
    write_listing_page,
)

# what Snakemake writes where it could not measure
NOT_MEASURED = ("NA", "-", "")
DASH = "–"
_COLUMNS = ["s", "max_rss", "cpu_time"]


@dataclass(frozen=True)
class Job:
    """One run of a job: wall-clock seconds, largest resident memory in MB, seconds of CPU time.

    None where it was not measured.
    """

    seconds: float | None
    memory: float | None
    cpu_seconds: float | None


@dataclass(frozen=True)
class Group:
    """Jobs that stand in one row, by their benchmark files."""

    label: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class RunningTimeBlock:
    """What the table shows."""

    id: str
    title: str
    notes: tuple[str, ...]
    groups: tuple[Group, ...]


def parse_block(text: str) -> RunningTimeBlock:
    """Return the block of a JSON object: `id`, `title`, `groups` (`label files`) and `notes`.

    Raises `UserError` naming the key that is wrong, and for a file in two groups.
    """
    known = {"id": TEXT, "title": TEXT, "groups": LIST, "notes": OPTIONAL_LIST}
    block = read_object(text, "--block", known)
    where = f"table `{block['id']}`"
    groups = []
    for number, value in enumerate(block["groups"], start=1):
        group = checked(value, f"{where}, group {number}", {"label": TEXT, "files": LIST})
        files = strings(group["files"], f"{where}, group {number}")
        groups.append(Group(group["label"], files))
    check_distinct([group.label for group in groups], f"{where}, labels of groups")
    check_distinct([path for group in groups for path in group.files], f"{where}, files")
    return RunningTimeBlock(
        block["id"], block["title"], strings(block["notes"], f"{where}, notes"), tuple(groups)
    )


def _number(text: str, place: str, column: str) -> float | None:
    if text in NOT_MEASURED:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise UserError(
            f"{place}: `{column}` is {text!r}, not a number; delete the file and run the job again"
        )
    return value


def read_benchmark(path: Path) -> list[Job]:
    """Return the runs of a benchmark file of Snakemake, one for each repeat.

    Raises `UserError` with file and line where a column is missing or holds no number.
    """
    jobs = []
    for line, row in read_headed_rows(path, _COLUMNS):
        values = [_number(row[column], f"{path}:{line}", column) for column in _COLUMNS]
        jobs.append(Job(*values))
    if not jobs:
        raise UserError(f"{path}: no run in it; delete the file and run the job again")
    return jobs


def _measured(values: Sequence[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def _shown(value: float | None, digits: int) -> str:
    return DASH if value is None else f"{value:,.{digits}f}"


def _row(label: str, jobs: Sequence[Job], *, is_bold: bool = False) -> tuple[Field, ...]:
    seconds = _measured([job.seconds for job in jobs])
    memory = _measured([job.memory for job in jobs])
    cpu = _measured([job.cpu_seconds for job in jobs])
    texts = (
        label,
        f"{len(jobs):,}",
        _shown(statistics.median(seconds) if seconds else None, 1),
        _shown(max(seconds, default=None), 1),
        _shown(sum(seconds) if seconds else None, 1),
        _shown(sum(cpu) if cpu else None, 1),
        _shown(max(memory, default=None), 0),
    )
    return tuple(Field(text, is_bold) for text in texts)


def _gaps(jobs: Sequence[Job]) -> list[str]:
    """Return the line that says how many jobs lack a number, if any do."""
    names = {"seconds": "time", "memory": "memory", "cpu_seconds": "CPU time"}
    missing = {
        name: sum(getattr(job, attribute) is None for job in jobs)
        for attribute, name in names.items()
    }
    parts = [f"{name} of {count:,}" for name, count in missing.items() if count]
    if not parts:
        return []
    return [f"Not measured, and left out of the numbers: {', '.join(parts)} of {len(jobs):,} jobs."]


def running_time_page(
    block: RunningTimeBlock, benchmarks: Mapping[str, Sequence[Job]]
) -> ListingPage:
    """Return the table: a row for each group that has jobs, and one over all of them."""
    by_group = {
        group.label: [job for path in group.files for job in benchmarks[path]]
        for group in block.groups
    }
    everything = [job for jobs in by_group.values() for job in jobs]
    rows = [
        _row(label, jobs) if jobs else fields(label, "0", *[DASH] * 5)
        for label, jobs in by_group.items()
    ]
    families = [tuple(rows)] if rows else []
    if everything:
        families.append((_row("All jobs", everything, is_bold=True),))
    return ListingPage(
        id=block.id,
        title=block.title,
        lines=(
            "Wall-clock seconds of each job, start of the process and loading of packages "
            "included, on the machine that made these tables.",
        ),
        listing=Listing(
            caption="",
            header=(
                "Jobs",
                "Number",
                "Median (s)",
                "Longest (s)",
                "Sum (s)",
                "CPU time, sum (s)",
                "Largest memory (MB)",
            ),
            alignment=(LEFT, *[RIGHT] * 6),
            families=tuple(families),
        ),
        notes=(
            "Jobs that run side by side take less time than the sum. Snakemake samples memory and "
            "CPU time, so those of jobs of a second or less are too low.",
            *_gaps(everything),
            *block.notes,
        ),
    )


def main(argv: list[str] | None = None) -> None:
    """Read benchmark files and write the table of running times in four forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--block", required=True, help="JSON object: id, title, notes, groups of benchmark files"
    )
    parser.add_argument(
        "--output-prefix", required=True, help="path of the outputs without .tsv, .md, .html, .tex"
    )
    arguments = parser.parse_args(argv)
    block = parse_block(arguments.block)
    files = [path for group in block.groups for path in group.files]
    benchmarks = {path: read_benchmark(Path(path)) for path in files}
    write_listing_page(arguments.output_prefix, running_time_page(block, benchmarks))


if __name__ == "__main__":
    run_command(main)
