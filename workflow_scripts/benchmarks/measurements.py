"""Measurements as tidy rows in a tsv file: one value of one run a row."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows, write_text

# In place of a contender: rows that say what was measured, where and with what.
ABOUT = "about"


@dataclass(frozen=True)
class Measurement:
    """One value of one run.

    `section` is tuning, embedding, quality or gpu, `task` what was tuned or embedded, `run` the
    round (1, 2, ...; 0 for what holds for all rounds). Seconds, bytes, or what `measure` says.
    """

    section: str
    task: str
    contender: str
    run: int
    measure: str
    value: str


COLUMNS = [field.name for field in fields(Measurement)]


def rows_of(
    section: str, task: str, contender: str, run: int, values: dict[str, Any]
) -> list[Measurement]:
    """Return one row for each measure of {measure: value}; tabs and newlines become spaces."""
    return [
        Measurement(section, task, contender, run, measure, " ".join(_written(value).split()))
        for measure, value in values.items()
    ]


def _written(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def replace_measured(old: Iterable[Measurement], new: Sequence[Measurement]) -> list[Measurement]:
    """Return the new rows behind those old ones whose (section, task) was not measured again."""
    measured = {(row.section, row.task) for row in new}
    return [row for row in old if (row.section, row.task) not in measured] + list(new)


def write_measurements(path: Path, rows: Iterable[Measurement]) -> None:
    """Write the rows as tsv with a head, whole or not at all."""
    lines = ["\t".join(COLUMNS), *("\t".join(map(str, astuple(row))) for row in rows)]
    write_text(path, "".join(line + "\n" for line in lines))


def read_measurements(path: Path) -> list[Measurement]:
    """Return the rows of a tsv that `write_measurements` wrote; `UserError` with line if not."""
    rows = []
    for number, fields_ in read_rows(path, len(COLUMNS), "a row of " + "<TAB>".join(COLUMNS)):
        if number == 1:
            if fields_ != COLUMNS:
                raise UserError(f"{path}:1: expected the head {' '.join(COLUMNS)}; measure anew")
            continue
        section, task, contender, run, measure, value = fields_[: len(COLUMNS)]
        if not run.isdecimal():
            raise UserError(f"{path}:{number}: run is {run!r}, not a number; measure anew")
        rows.append(Measurement(section, task, contender, int(run), measure, value))
    return rows
