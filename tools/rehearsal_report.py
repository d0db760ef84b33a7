"""What a rehearsal took, rule by rule, and what its scorecard says: rehearsal-report.md."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import yaml

from tools.doc_pages import markdown_table
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.tables.cells import Cell, read_cells

_MEGABYTE = 2**20
_COLUMNS = ["s", "max_rss", "io_out", "cpu_time"]
RECORD = "rehearsal.jsonl"
OVERLAY = "config/rehearsal.yaml"
DATA, MODEL, LENGTH = "synthetic data", "synthetic model", "shortened training"
# values and weights; the tables are made of them
_COMPARED = ("scores/**/*.tsv", "encoders/**/*.safetensors")
_RUN_HEADS = ("tables", "never released", "seeds", "through", "jobs", "processor seconds")
_RUN_HEADS += ("calls", "killed", "failed", "same bytes")


def read_rules(results: Path) -> pandas.DataFrame:
    """Return what the jobs of each rule took together, by its name, of those with a benchmark.

    Columns: jobs, seconds, longest (s), processor (s), memory (MB of the largest), written (MB).
    """
    folder = results / "benchmarks"
    rows = [
        (file.relative_to(folder).parts[0].removesuffix(".tsv"), *row)
        for file in sorted(folder.rglob("*.tsv"))
        for _, row in read_rows(file, Layout(_COLUMNS))
    ]
    jobs = pandas.DataFrame(rows, columns=["rule", *_COLUMNS]).replace(["NA", "-"], "0")
    jobs = jobs.astype(dict.fromkeys(_COLUMNS, float))
    return jobs.groupby("rule").agg(
        **{"jobs": ("s", "size"), "seconds": ("s", "sum"), "longest": ("s", "max")},
        **{"processor": ("cpu_time", "sum"), "memory": ("max_rss", "max")},
        written=("io_out", "sum"),
    )


def bytes_below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _table(heads: Sequence[str], rows: Iterable[Iterable[object]]) -> list[str]:
    return markdown_table(heads, rows, numbers=len(heads) - 1)


def synthetic_reasons(overlay: Mapping[str, Any]) -> dict[str, str]:
    """Return {pattern: what stands in} of the reasons that cells get from what overrides a config.

    All others are the config's own: the papers' run has them too.
    """
    found = {"the data are not the paper's": DATA, r"model \S+ is not the paper's": MODEL}
    if len(overlay.get("seeds", [])) == 1:
        found["a single seed has no deviation"] = "one seed instead of several"
    for name in overlay.get("corpora", {}):
        found[f"corpus {re.escape(name)} is not the paper's"] = DATA
    for recipe in overlay.get("recipes", {}).values():
        found |= {
            f"recipe: {key} {value}, in the paper .*": MODEL if key == "layer" else LENGTH
            for key, value in recipe.items()
        }
    return found


class Reasons(NamedTuple):
    """How many published cells have each status, synthetic input, other reason, and assumption."""

    status: Counter[str]
    made: Counter[str]
    own: Counter[str]
    assumed: Counter[str]


def count_reasons(cells: Iterable[Cell], synthetic_files: Mapping[str, str]) -> Reasons:
    """Count the states of published cells; `synthetic_files` has patterns of reasons."""
    found = Reasons(*(Counter() for _ in Reasons._fields))
    status, made, own, assumed = found
    for cell in cells:
        if cell.published is not None:
            status[cell.status] += 1
            assumed.update(cell.assumptions)
            said = {
                reason: next(
                    (to for one, to in synthetic_files.items() if re.fullmatch(one, reason)), None
                )
                for reason in cell.reasons
                if reason
            }
            made.update({label for label in said.values() if label is not None})
            own.update(f"{cell.status}: {reason}" for reason, label in said.items() if not label)
    return found


def _rule_rows(rules: pandas.DataFrame) -> list[list[str]]:
    """Return the rows of a table: those of the rules, and of all together."""
    total, largest = rules.sum(), ["longest", "memory"]
    total[largest] = rules[largest].max()
    digits = {"longest": 1}
    return [
        [str(name), *(f"{value:,.{digits.get(column, 0)}f}" for column, value in row.items())]
        for name, row in [*rules.iterrows(), ("all", total)]
    ]


def read_calls(folder: Path) -> list[dict[str, Any]]:
    """Return what the calls of a rehearsal were, each with its `status` if it came to its end."""
    calls: list[dict[str, Any]] = []
    for line in (folder / RECORD).read_text(encoding="utf-8").splitlines():
        facts = json.loads(line)
        if "status" in facts:
            calls[-1] |= facts
        else:
            calls.append(facts)
    return calls


def _same(folder: Path, other: Path) -> str:
    """Return of how many files that both runs have the bytes are the same."""
    files = [file for one in _COMPARED for file in (folder / "results").glob(one)]
    pairs = [(file, other / file.relative_to(folder)) for file in files]
    both = [pair for pair in pairs if pair[1].is_file()]
    same = sum(one.read_bytes() == its.read_bytes() for one, its in both)
    return f"{same:,} of {len(both):,}"


def _run_row(folder: Path, first: Path) -> list[str]:
    """Return what the last call on a folder was, and what all calls on it came to."""
    calls = read_calls(folder)
    last, jobs = calls[-1], _rule_rows(read_rules(folder / "results"))[-1]
    return [
        ", ".join(last["tables"] or ["all"]),
        "with" if last["complete"] else "without",
        str(last["seeds"]),
        last["through"] or f"{last['cores']} cores",
        jobs[1],
        jobs[4],
        str(len(calls)),
        str(sum("status" not in call for call in calls)),
        str(sum(call.get("status", 0) != 0 for call in calls)),
        "" if folder == first else _same(first, folder),
    ]


def report(folder: Path, beside: Iterable[Path] = ()) -> str:
    """Return the page of a rehearsal in a folder, and of other ones compared with it."""
    results = folder / "results"
    files = sorted(results.glob("*/cells/*.tsv"))
    overlay = yaml.safe_load((folder / OVERLAY).read_text(encoding="utf-8"))
    cells = (cell for file in files for cell in read_cells(file))
    status, made, own, assumed = count_reasons(cells, synthetic_reasons(overlay))
    heads = ("rule", "jobs", "seconds", "longest", "processor seconds", "largest MB", "MB written")
    folders = [f"results/{one.name}" for one in sorted(results.iterdir()) if one.is_dir()]
    sizes = [
        (place, f"{bytes_below(folder / place) / _MEGABYTE:,.1f}")
        for place in ("mirror", "data", *folders)
    ]
    lines = [
        "# Dress rehearsal",
        "",
        "Made by `make rehearsal` (tools/rehearsal.py): config/paper.yaml from an empty folder to",
        "the last table, with tiny random models instead of the papers' and synthetic files for",
        "their data. Not one value in it says anything of the papers; it shows that every job",
        "runs, and how jobs, time and bytes are shared out.",
        "",
        "## Runs",
        "",
        *_table(_RUN_HEADS, [_run_row(one, folder) for one in (folder, *beside)]),
        "",
        "Never released: rows whose texts, models or data are not available. Same bytes: files of",
        "scores and weights that are those of the first run, of all that both have made. A call",
        "that was killed, or in which a job failed, was taken up by the next. The cores were",
        "shared with other work.",
        "",
        "## Rules",
        "",
        "All that follows is of the first run.",
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
        *_table(("what stands in (a cell may have several)", "cells"), made.most_common()),
        "",
        "Reasons that are config/paper.yaml's own, and stay where models and data are the papers':",
        "" if own else "none.",
        *(_table(("reason (a cell may have several)", "cells"), own.most_common()) if own else ()),
        "",
        "What the papers do not state and config/paper.yaml assumes; with the papers' models and",
        "data these cells are compared, and say so:",
        "",
        *_table(("assumed (a cell may assume several)", "cells"), assumed.most_common()),
        "",
    ]
    return "\n".join(lines)
