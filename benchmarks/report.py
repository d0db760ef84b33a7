"""The tables and verdicts of docs/explanation/performance.md, from the tidy measurements alone.

The report's prose is its own: what stands between `<!-- measured: NAME -->` and `<!-- end -->` is
written again for each NAME of `PARTS`, and nothing else.
"""

import re
import textwrap
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import measurements as tsv
from benchmarks import workloads as ways
from benchmarks.measurements import ABOUT, PACKAGES, Measurement
from benchmarks.report_columns import Part, Values
from benchmarks.report_parts import PARTS
from workflow_scripts.files import read_text, write_text

REPORT = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "performance.md"
BLOCK = re.compile(r"(<!-- measured: (\S+) -->\n).*?(?=<!-- end -->\n)", re.DOTALL)


def _about(values: Values, section: str, task: str) -> dict[str, Any]:
    """Return what describes a task, the medians of our way, and its number of runs."""
    about: dict[str, Any] = {"runs": 0}
    for (*place, way, measure), found in values.items():
        if place == [section, task] and way == ABOUT:
            about[measure] = int(found[0]) if found[0].isdecimal() else found[0]
        elif place == [section, task] and way == ways.OURS:
            about.setdefault(measure, median(map(float, found.values())))
            about["runs"] = max(about["runs"], len(found))
    return about


def write_part(part: Part, values: Values) -> str:
    measured = {(section, task, way) for section, task, way, _ in values}
    rows = [row for row in part.rows if (part.section, *row[1:]) in measured]
    if not rows:
        return part.missing + "\n"
    about = _about(values, part.section, rows[0][1])
    text = part.about.format(**about)
    if "date" in about:
        about["cores"] = f"{about['cores']} cores"
        machine, versions = ("processor", "cores", "memory", "system"), ("Python", *PACKAGES)
        text += f" {about['date']}; " + ", ".join(about[key] for key in machine if key in about)
        text += "; " + ", ".join(f"{key} {about[key]}" for key in versions if key in about) + "."
    table = [["", *(column.text for column in part.columns)]]
    for label, *place in rows:
        cells = [column.write(column.of(values, part.section, *place)) for column in part.columns]
        table.append([label, *cells])
    lines = ["| " + " | ".join(row) + " |\n" for row in table]
    lines.insert(1, "|---" + "|--:" * len(part.columns) + "|\n")
    verdicts = [aim.verdict(values, part.section, part.rows[0][1]) for aim in part.aims]
    filled = textwrap.fill(text, 100, break_on_hyphens=False)
    return "".join([filled, "\n\n", *lines, "\n", *verdicts, part.after(values)])


def save_report(output: Path, new: Sequence[Measurement]) -> None:
    """Put new measurements instead of old ones of the same tasks; write tsv and report."""
    measures = output.with_suffix(".tsv")
    old = tsv.read_measurements(measures) if measures.exists() else []
    measured = {row[:2] for row in new}
    rows = [row for row in old if row[:2] not in measured] + list(new)
    values: dict[tuple[str, str, str, str], dict[int, str]] = defaultdict(dict)
    for section, task, way, run, measure, value in rows:
        values[section, task, way, measure][run] = value
    prose = read_text(output if output.exists() else REPORT)
    text = BLOCK.sub(lambda found: f"{found[1]}\n{write_part(PARTS[found[2]], values)}\n", prose)
    tsv.write_measurements(measures, rows)
    write_text(output, text)
