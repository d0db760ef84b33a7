"""Read the numbers that docs name from what runs left: plans, benchmarks, scores and tables."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from tools.rehearsal import COPIED
from tools.rehearsal_report import bytes_below, read_rules
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text
from workflow_scripts.tables.run_records import read_jobs

CONFIGS = {"default": "config/config.yaml", "paper": "config/paper.yaml"}
ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = Path("docs/example-run/tables")


class Recorded(NamedTuple):
    """A value as text, with all its digits, and where it comes from."""

    value: str
    source: str


Record = dict[str, Recorded]


def planned_jobs(config: str) -> dict[str, int]:
    """Return how many jobs of each rule a config takes, and the "total", by a dry run."""
    words = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules"]
    words += ["--configfile", config, "--", "all_tables"]
    # models of the hub are planned without a look at it
    variables = os.environ | {"HF_HUB_OFFLINE": "0"}
    # without the results and the data of the checkout
    with tempfile.TemporaryDirectory() as folder:
        for name in COPIED:
            (Path(folder) / name).symlink_to(ROOT / name)
        run = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True)
    if run.returncode:
        raise UserError(config, "the dry run failed", f"see `{shlex.join(words[1:])}`")
    return {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", run.stdout, re.M)}


def job_counts(jobs: Mapping[str, int]) -> dict[str, str]:
    """Return the numbers of a plan by their names; `jobs` has the "total" among the rules."""
    return {"jobs" if rule == "total" else f"jobs/{rule}": str(n) for rule, n in jobs.items()}


def run_numbers(results: Path, jobs: Mapping[str, int]) -> dict[str, str]:
    """Return the numbers of a run from what its jobs left, by their names.

    Raises `UserError` unless the results are one complete run of the planned jobs.
    """
    rules = read_rules(results)
    remedy = "run `make all_tables` in an empty folder, and give that one's results"
    counts = rules["jobs"].to_dict()
    planned = {rule: jobs.get(rule, 0) for rule in counts}
    if not counts or counts != planned:
        odd = ", ".join(
            f"{n} of {planned[rule]} {rule}" for rule, n in counts.items() if n != planned[rule]
        )
        raise UserError(results, f"not a run of this config ({odd or 'no benchmarks'})", remedy)
    folder = results / "benchmarks"
    files = sorted(folder.rglob("*.tsv"))
    left = read_jobs(results, (str(file.relative_to(folder).with_suffix("")) for file in files))
    common = {}
    for field in ("machine", "commit"):
        values = {getattr(job, field) for job in left.values()}
        if len(values) != 1:
            raise UserError(
                results, f"several values of {field}: {', '.join(sorted(values))}", remedy
            )
        common[field] = values.pop()
    # a job's file is written as it ends
    ends = {file: file.stat().st_mtime for file in files}
    first = min(files, key=ends.__getitem__)
    start = ends[first] - left[str(first.relative_to(folder).with_suffix(""))].seconds
    seconds = max(ends.values()) - start
    if seconds > rules["seconds"].sum() + 60:
        raise UserError(results, "the run was interrupted, or its files were touched", remedy)
    size = bytes_below(results)
    return common | {
        "seconds": f"{seconds:.0f}",
        "minutes": f"{seconds / 60:.2f}",
        "megabytes": f"{size / 1e6:.0f}",
        "gigabytes": f"{size / 1e9:.3f}",
        "processor_seconds": f"{rules['processor'].sum():.0f}",
        **{f"processor_seconds/{rule}": f"{s:.1f}" for rule, s in rules["processor"].items()},
    }


def cell_value(results: Path, name: str) -> str | None:
    """Return a value of a cell, named TABLE/ROW/COLUMN or TABLE/ROW/COLUMN/FIELD; None without."""
    table, row, column, *fields = name.split("/")
    file = results / f"tables/cells/{table}.tsv"
    if len(fields) > 1 or not file.is_file():
        return None
    layout = Layout(["row", "column", *(fields or ["mean"])])
    values = [value for _, (of, at, value) in read_rows(file, layout) if (of, at) == (row, column)]
    return values[0] if values and values[0] else None


def _plain(cell: str) -> str:
    return re.sub(r"<[^>]*>|\*\*|\\", " ", cell).strip()


def _label(cell: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", _plain(cell).lower()).strip("-")


def example_value(tables: Path, name: str) -> str | None:
    """Return a value of a table in Markdown, named TABLE/ROW/COLUMN[/FIELD] by its labels."""
    table, row, column, *fields = name.split("/")
    file = tables / f"{table}.md"
    if not file.is_file():
        return None
    lines = [line.split(" | ") for line in read_text(file).splitlines() if line.startswith("| ")]
    labels = [_label(label.removesuffix("|")) for label in lines[0]]
    for cells in lines[1:]:
        if _label(cells[0].removeprefix("|")) == row and column in labels:
            cell = cells[labels.index(column)]
            return _field_of(cell, fields[0] if fields else "mean")
    return None


def _field_of(cell: str, field: str) -> str | None:
    patterns = {
        "mean": r"^(-?[\d.]*\d)",
        "difference": r"([↑↓])([\d.]+)",
        "published": r"paper (\S+)",
    }
    match = re.search(patterns.get(field, r"(?!)"), _plain(cell))
    if match is None:
        return None
    return ("-" if match[1] == "↓" else "") + match[2] if field == "difference" else match[1]


def value_of(name: str, numbers: Mapping[str, Mapping[str, str]], results: Path) -> str | None:
    """Return what a run has under a name, which starts with the run."""
    run, _, rest = name.partition("/")
    if rest.count("/") >= 2:
        if run == "example":
            return example_value(EXAMPLE, rest)
        return cell_value(results, rest) if run == "default" else None
    return numbers.get(run, {}).get(rest)


def recorded_anew(names: Iterable[str], record: Record, results: Path) -> Record:
    """Return the record of the names that pages use: runs are read again, `measured` is kept."""
    names = sorted(names)
    sources = {run: f"dry run of {config}" for run, config in CONFIGS.items()}
    sources["example"] = "docs/example-run"
    numbers: dict[str, dict[str, str]] = {}
    for run, config in CONFIGS.items():
        if any(name.startswith(f"{run}/") for name in names):
            jobs = planned_jobs(config)
            numbers[run] = job_counts(jobs)
            if run == "default":
                numbers[run] |= run_numbers(results, jobs)
                made = (numbers[run]["commit"], numbers[run]["machine"])
                sources[run] = f"make all_tables at {', '.join(made)}"
    anew = {}
    for name in names:
        run = name.partition("/")[0]
        if run == "measured" and name in record:
            anew[name] = record[name]
        elif (value := value_of(name, numbers, results)) is not None:
            anew[name] = Recorded(value, sources[run])
    return anew
