"""Measurements as tidy rows in a tsv file, one value of one run a row; and on what machine."""

import datetime
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, write_text
from workflow_scripts.usage import machine

# Instead of a way: rows that say what was measured, where and with what.
ABOUT = "about"
HEAD = "section\ttask\tcontender\trun\tmeasure\tvalue"
PACKAGES = ["torch", "transformers", "sentence-transformers", "pytorch-metric-learning"]
PACKAGES += ["tokenizers", "accelerate", "onnxruntime"]


class Measurement(NamedTuple):
    """One value of one run: 1, 2, ...; 0 for what holds for all runs."""

    section: str
    task: str
    way: str
    run: int
    measure: str
    value: str


def rows_of(
    section: str, task: str, way: str, run: int, values: Mapping[str, Any]
) -> list[Measurement]:
    """Return one row for each measure of {measure: value}; tabs and newlines become spaces."""
    rows = []
    for measure, value in values.items():
        text = f"{value:.6g}" if isinstance(value, float) else " ".join(str(value).split())
        rows.append(Measurement(section, task, way, run, measure, text))
    return rows


def write_measurements(path: Path, rows: Iterable[Measurement]) -> None:
    lines = [HEAD, *("\t".join(map(str, row)) for row in rows)]
    write_text(path, "".join(line + "\n" for line in lines))


def read_measurements(path: Path) -> list[Measurement]:
    """Return the rows of a tsv that `write_measurements` wrote; `UserError` for another file."""
    lines = read_lines(path)
    if lines[:1] != [HEAD]:
        raise UserError(f"{path}:1", f"expected the head {HEAD.expandtabs(1)}", "measure anew")
    fields = [line.split("\t") for line in lines[1:]]
    return [Measurement(a, b, c, int(run), d, value) for a, b, c, run, d, value in fields]


def describe_machine() -> dict[str, str]:
    """Return {what: value} of machine, packages and date."""
    return {
        "date": datetime.date.today().isoformat(),
        **machine(),
        "Python": platform.python_version(),
        **{package: version(package) for package in PACKAGES},
    }
