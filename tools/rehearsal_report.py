"""What a rehearsal took, rule by rule, and what its scorecard says: docs/rehearsal.md."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from workflow_scripts.datasets.headed_rows import read_headed_rows
from workflow_scripts.files import write_text
from workflow_scripts.tables.tidy_cells import TidyCell, read_cells

_MEGABYTE = 2**20
_COLUMNS = ["s", "max_rss", "io_out", "cpu_time"]
# what the overlay of a rehearsal adds to the reasons of a cell
_STAND_IN = {
    r"the data are not the paper's": "stand-in data",
    r"model \S+ is not the paper's": "stand-in model",
}


class Rule(NamedTuple):
    """What the jobs of a rule took together; memory, in MB, is that of the largest."""

    name: str
    jobs: int
    seconds: float
    longest: float
    processor: float
    memory: float
    written: float


def read_rules(results: Path) -> list[Rule]:
    """Return the rules whose jobs left a benchmark, by name."""
    found: dict[str, list[dict[str, str]]] = {}
    folder = results / "benchmarks"
    for file in sorted(folder.rglob("*.tsv")):
        rule = file.relative_to(folder).parts[0].removesuffix(".tsv")
        found.setdefault(rule, []).extend(row for _, row in read_headed_rows(file, _COLUMNS))
    return [_rule(name, rows) for name, rows in sorted(found.items())]


def _rule(name: str, rows: list[dict[str, str]]) -> Rule:
    def of(column: str) -> list[float]:
        return [float(row[column]) if row[column] not in ("NA", "-") else 0.0 for row in rows]

    seconds = of("s")
    sums = {key: sum(of(column)) for key, column in (("cpu", "cpu_time"), ("out", "io_out"))}
    memory = max(of("max_rss"))
    return Rule(name, len(rows), sum(seconds), max(seconds), sums["cpu"], memory, sums["out"])


def bytes_below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> list[str]:
    heads = list(heads)
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)], *map(list, rows)]
    return ["| " + " | ".join(map(str, line)) + " |" for line in lines]


def count_reasons(cells: Iterable[TidyCell]) -> tuple[Counter[str], Counter[str]]:
    """Return how many published cells have each status, and each reason."""
    status: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for cell in cells:
        if cell.published is not None:
            status[cell.status] += 1
            said = {_said(reason) for reason in cell.reasons if reason}
            reasons.update(f"{cell.status}: {reason}" for reason in said)
    return status, reasons


def _said(reason: str) -> str:
    for pattern, stand_in in _STAND_IN.items():
        if re.fullmatch(pattern, reason):
            return stand_in
    return reason


def _rule_rows(rules: list[Rule]) -> list[list[str]]:
    rows = [
        [rule.name, f"{rule.jobs:,}", f"{rule.seconds:,.0f}", f"{rule.longest:,.1f}"]
        + [f"{value:,.0f}" for value in (rule.processor, rule.memory, rule.written)]
        for rule in rules
    ]
    jobs, seconds, processor, written = (
        sum(getattr(rule, name) for rule in rules)
        for name in ("jobs", "seconds", "processor", "written")
    )
    longest, memory = (max(getattr(r, name) for r in rules) for name in ("longest", "memory"))
    total = ["all", f"{jobs:,}", f"{seconds:,.0f}", f"{longest:,.1f}"]
    return [*rows, total + [f"{value:,.0f}" for value in (processor, memory, written)]]


def report(folder: Path, how: str) -> str:
    """Return the page of a rehearsal in a folder; `how` says what was run, on what, how long."""
    results = folder / "results"
    files = sorted(results.glob("*/cells/*.tsv"))
    status, reasons = count_reasons(cell for file in files for cell in read_cells(file))
    heads = ("rule", "jobs", "seconds", "longest", "processor seconds", "largest MB", "MB written")
    rooms = [f"results/{one.name}" for one in sorted(results.iterdir()) if one.is_dir()]
    sizes = [
        (place, f"{bytes_below(folder / place) / _MEGABYTE:,.1f}")
        for place in ("mirror", "data", *rooms)
    ]
    lines = [
        "# Dress rehearsal",
        "",
        "Made by `make rehearsal` (tools/rehearsal.py): config/paper.yaml from an empty folder to",
        "the last table, with tiny random models in the place of the papers' and stand-ins for",
        "their data. Not one value in it says anything of the papers; it shows that every job",
        "runs, and how jobs, time and bytes are shared out.",
        "",
        how,
        "",
        "## Rules",
        "",
        *_table(heads, _rule_rows(read_rules(results))),
        "",
        "Seconds are sums over jobs, which run side by side. Memory is that of the largest",
        "process, with what the packages take that local jobs share.",
        "",
        "## Bytes",
        "",
        *_table(("folder", "MB"), sizes),
        "",
        "## Published cells",
        "",
        *_table(("status", "cells"), status.most_common()),
        "",
        *_table(("reason (a cell may have several)", "cells"), reasons.most_common()),
        "",
    ]
    return "\n".join(lines)


def write_report(folder: Path, path: Path, how: str) -> None:
    write_text(path, report(folder, how))
