"""Scores of cells as tab-separated files: what search_grid writes and choose_settings reads."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows, write_text
from workflow_scripts.tuning_grid.cells import Cell

UNTUNED = "untuned"
_RESULTS = ("seed", "value", "first_loss", "last_loss", "steps", "reason")


@dataclass(frozen=True)
class CellScore:
    """The score of a cell with one seed; `cell` is its number, None for the untuned model.

    `value` is a fraction (Spearman's rho or accuracy), None where there is no score: `reason` then
    says why. Losses and steps are those of the tuning, None and 0 where it did not end.
    """

    cell: int | None
    seed: int
    value: float | None
    first_loss: float | None = None
    last_loss: float | None = None
    steps: int = 0
    reason: str = ""


def write_slice(
    path: str | Path, axes: Sequence[str], cells: Iterable[Cell], scores: Iterable[CellScore]
) -> None:
    """Write one row for each score: cell, its value of each axis as JSON, seed and results.

    Values have six decimals, as tidy scores have; losses are written in full.
    """
    settings = {cell.number: cell.settings for cell in cells}
    lines = ["\t".join(["cell", *axes, *_RESULTS])]
    for score in scores:
        if score.cell is None:
            place = [UNTUNED, *("" for _ in axes)]
        else:
            place = [str(score.cell), *(json.dumps(settings[score.cell][axis]) for axis in axes)]
        results = [
            str(score.seed),
            "" if score.value is None else f"{score.value:.6f}",
            *("" if loss is None else repr(loss) for loss in (score.first_loss, score.last_loss)),
            str(score.steps),
            " ".join(score.reason.split()),
        ]
        lines.append("\t".join([*place, *results]))
    write_text(path, "\n".join(lines) + "\n")


def read_slice(path: str | Path, axes: Sequence[str], cells: Sequence[Cell]) -> list[CellScore]:
    """Return the scores of a file of `write_slice`; `cells` are those of the whole grid, in order.

    Raises `UserError` with file and line for another header, a malformed row, or a cell that is
    not the grid's.
    """
    header = ["cell", *axes, *_RESULTS]
    rows = read_rows(path, len(header), f"a row of {' '.join(header)}")
    if next(rows, (1, []))[1] != header:
        raise UserError(f"{path}:1: expected the header {' '.join(header)}; delete the file")
    return [
        _read_row(dict(zip(header, row, strict=False)), cells, f"{path}:{n}") for n, row in rows
    ]


def _read_row(row: dict[str, str], cells: Sequence[Cell], place: str) -> CellScore:
    try:
        cell = None if row["cell"] == UNTUNED else cells[int(row["cell"])]
        if cell and any(json.loads(row[axis]) != value for axis, value in cell.settings.items()):
            raise ValueError("cell of another grid")
        return CellScore(
            cell=cell.number if cell else None,
            seed=int(row["seed"]),
            value=_number(row["value"]),
            first_loss=_number(row["first_loss"]),
            last_loss=_number(row["last_loss"]),
            steps=int(row["steps"]),
            reason=row["reason"],
        )
    except (ValueError, IndexError) as error:
        raise UserError(f"{place}: malformed score ({error}); delete the file") from error


def _number(text: str) -> float | None:
    if not text:
        return None
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not finite")
    return number


def as_json(score: CellScore) -> str:
    """Return a score as one line of JSON."""
    return json.dumps(vars(score), sort_keys=True)


def from_json(line: str) -> CellScore:
    """Return the score of a line of `as_json`; `ValueError` for any other."""
    content: Any = json.loads(line)
    try:
        return CellScore(**content)
    except TypeError as error:
        raise ValueError(f"no score: {line[:80]}") from error
