"""Running time and memory by group of jobs, from what each job wrote of itself."""

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.tables import document as doc
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import TableBlock

# what stands where it could not be measured, in files of Snakemake's own benchmarks
NOT_MEASURED = ("NA", "-", "")


class Config(TableBlock):
    """A table of running times; it has no keys of its own."""


class Job(NamedTuple):
    """One run of a job: wall clock, largest resident memory in MB, CPU; None if not measured."""

    seconds: float | None
    memory: float | None
    cpu_seconds: float | None


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    groups = run.benchmarks().items()
    return {"groups": [{"label": label, "files": names} for label, names in groups if names]}


def files(block: dict[str, Any]) -> list[str]:
    return sorted(path for group in block["groups"] for path in group["files"])


def read_benchmark(path: str) -> list[Job]:
    """Return the runs of a benchmark file, one for each repeat; `UserError` without columns."""
    layout = Layout(["s", "max_rss", "cpu_time"])
    with damaged_file_error(path):
        return [
            Job(*(None if value in NOT_MEASURED else float(value) for value in row))
            for _, row in read_rows(path, layout)
        ]


def _measured(jobs: Sequence[Job], name: str) -> list[float]:
    return [value for job in jobs if (value := getattr(job, name)) is not None]


def _row(label: str, jobs: Sequence[Job], rank: int | None = None) -> doc.Row:
    measures = [(of, "seconds", 1) for of in (statistics.median, max, sum)]
    measures += [(sum, "cpu_seconds", 1), (max, "memory", 0)]
    values = []
    for of, name, digits in measures:
        measured = _measured(jobs, name)
        values.append(f"{of(measured):,.{digits}f}" if measured else doc.DASH)
    return doc.text_row(label, f"{len(jobs):,}", *values, rank=rank)


def _gaps(jobs: Sequence[Job]) -> list[str]:
    names = {"seconds": "time", "memory": "memory", "cpu_seconds": "CPU time"}
    missing = {text: len(jobs) - len(_measured(jobs, name)) for name, text in names.items()}
    if not (parts := [f"{text} of {count:,}" for text, count in missing.items() if count]):
        return []
    return [f"Not measured, and left out of the numbers: {', '.join(parts)} of {len(jobs):,} jobs."]


def assemble(block: dict[str, Any]) -> tuple[doc.Document, list[Cell]]:
    """Return the table, a row for each group and one over all; it has no cells to compare."""
    groups = {}
    for group in block["groups"]:
        groups[group["label"]] = [job for path in group["files"] for job in read_benchmark(path)]
    everything = [job for jobs in groups.values() for job in jobs]
    families = [[_row(label, jobs) for label, jobs in groups.items()]]
    if everything:
        families.append([_row("All jobs", everything, rank=1)])
    heads = ("Number", "Median (s)", "Longest (s)", "Sum (s)", "CPU time, sum (s)")
    columns = [doc.Column(head) for head in (*heads, "Largest memory (MB)")]
    line = (
        "Wall-clock seconds of each job on the machine that made these tables, including the "
        "time to load packages unless they were already loaded."
    )
    notes = [
        "Parallel jobs take less time than the sum. Memory is that of a job's largest "
        "process, including packages that local jobs share.",
    ]
    notes += [*_gaps(everything), *block["notes"]]
    sheet = doc.Sheet([doc.Column("Jobs", doc.LEFT), *columns], families)
    return doc.table_document(block["id"], block["title"], [line], sheet, notes), []
