"""Running time and memory by group of jobs, from what each job wrote of itself."""

import statistics
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.tables import document as doc
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import TableBlock


class Config(TableBlock):
    """A table of running times; it has no keys of its own."""


class Job(NamedTuple):
    """What a job took: wall-clock seconds, largest resident memory in MB, processor seconds."""

    seconds: float
    memory: float
    cpu_seconds: float


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    groups = run.benchmarks().items()
    return {"groups": [{"label": label, "files": names} for label, names in groups if names]}


def files(block: dict[str, Any]) -> list[str]:
    return sorted(path for group in block["groups"] for path in group["files"])


def read_benchmark(path: str) -> Job:
    """Return what a job took, as it wrote it; `UserError` for a file that is damaged."""
    with damaged_file_error(path):
        ((_, row),) = read_rows(path, Layout(["s", "max_rss", "cpu_time"]))
        return Job(*map(float, row))


def _row(label: str, jobs: Sequence[Job], rank: int | None = None) -> doc.Row:
    seconds, memory, cpu_seconds = zip(*jobs, strict=True)
    times = (statistics.median(seconds), max(seconds), sum(seconds), sum(cpu_seconds))
    texts = (f"{time:,.1f}" for time in times)
    return doc.text_row(label, f"{len(jobs):,}", *texts, f"{max(memory):,.0f}", rank=rank)


def assemble(block: dict[str, Any]) -> tuple[doc.Document, list[Cell]]:
    """Return the table, a row for each group and one over all; it has no cells to compare."""
    groups = {
        group["label"]: list(map(read_benchmark, group["files"])) for group in block["groups"]
    }
    families = [[_row(label, jobs) for label, jobs in groups.items()]]
    if groups:
        families.append([_row("All jobs", list(chain.from_iterable(groups.values())), rank=1)])
    heads = ("Number", "Median (s)", "Longest (s)", "Sum (s)", "CPU time, sum (s)")
    columns = [doc.Column(head) for head in (*heads, "Largest memory (MB)")]
    line = (
        "Wall-clock seconds of each job on the machine that made these tables, including the "
        "time to load packages unless they were already loaded."
    )
    notes = [
        "Parallel jobs take less time than the sum. Memory is that of a job's largest "
        "process, including packages that local jobs share.",
        *block["notes"],
    ]
    sheet = doc.Sheet([doc.Column("Jobs", doc.LEFT), *columns], families)
    return doc.table_document(block["id"], block["title"], [line], sheet, notes), []
