"""The overview of all tables and figures: cells counted, tasks by models, pages by task."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from workflow_scripts.tables.cells import INSIDE, OUTSIDE, Cell
from workflow_scripts.tables.filling import NO_PLACE


class Line(NamedTuple):
    """A task of a model: the cells of the tuned row and of its base, None where there is none."""

    task: str
    address: str
    encoder: str
    models: Sequence[str]
    digits: int
    base: Cell | None
    tuned: Cell | None

    @property
    def note(self) -> str:
        """The reason why there is no value."""
        missing = (cell for cell in (self.tuned, self.base) if cell and cell.mean is None)
        return next((cell.reasons[0] for cell in missing), "")


def count(cells: Iterable[Cell]) -> dict[str, int]:
    """Return how many cells there are, ran, did not run, are compared with the paper, and how."""
    placed = [cell for cell in cells if cell.reasons != (NO_PLACE,)]
    status = Counter(cell.status for cell in placed)
    ran = sum(cell.mean is not None for cell in placed)
    compared = status[INSIDE] + status[OUTSIDE]
    numbers = {"cells": len(placed), "ran": ran, "not_run": len(placed) - ran}
    assumed = sum(bool(cell.assumptions) for cell in placed if cell.is_compared)
    numbers |= {"compared": compared, "inside": status[INSIDE], "outside": status[OUTSIDE]}
    return numbers | {"assumed": assumed}


def _encoder(row: Mapping[str, Any]) -> str:
    if row["label"].startswith("+"):
        return f"{row['against_label']} {row['label']}"
    return f"{row['label']}, to {row['against_label']}"


def lines(headlines: Iterable[Mapping[str, Any]], cells: Iterable[Cell]) -> list[Line]:
    """Return the lines that `headlines` name: table, task, column, digits, and rows."""
    by_key = {(cell.table, cell.row, cell.column): cell for cell in cells}
    return [
        Line(
            *(headline["task"], f"{headline['table']}.html", _encoder(row), row["models"]),
            headline["digits"],
            *(
                by_key.get((headline["table"], row[key], headline["column"]))
                for key in ("against", "row")
            ),
        )
        for headline in headlines
        for row in headline["rows"]
    ]


def by_task(pages: Iterable[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Return tables or figures by their task, in the order in which tasks come first."""
    tasks: dict[str, list[Mapping[str, str]]] = {}
    for page in pages:
        tasks.setdefault(page["task"], []).append(page)
    return tasks
