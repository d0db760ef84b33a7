"""The overview of all tables and figures: cells counted, tasks by models, pages by task."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from workflow_scripts.tables import numbers as form
from workflow_scripts.tables.cells import INSIDE, OUTSIDE, Cell
from workflow_scripts.tables.document import DASH
from workflow_scripts.tables.filling import NO_PLACE


class Line(NamedTuple):
    """A task of a model: what the tuned row and its base have, and `paper` of both.

    `note` is the reason why there is no value.
    """

    task: str
    address: str
    encoder: str
    models: Sequence[str]
    base: str
    tuned: str
    difference: str
    p: str
    is_significant: bool
    paper: str
    note: str


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


def _line(headline: Mapping[str, Any], row: Mapping[str, Any], cells: Any) -> Line:
    digits = headline["digits"]
    own = cells.get((row["row"], headline["column"]))
    base = cells.get((row["against"], headline["column"]))

    def mean(cell: Cell | None) -> str:
        return DASH if cell is None or cell.mean is None else form.format_number(cell.mean, digits)

    def paper(cell: Cell | None) -> str:
        if cell is None or cell.published is None:
            return DASH
        return form.format_published(cell.published)

    change = own and own.against_difference
    p = own and own.p_value
    return Line(
        *(headline["task"], f"{headline['table']}.html", _encoder(row), row["models"]),
        *(mean(base), mean(own)),
        DASH if change is None else form.format_difference(change, digits),
        DASH if p is None else form.format_p(p).removeprefix("= "),
        own is not None and own.is_significant,
        DASH if {paper(base), paper(own)} == {DASH} else f"{paper(base)} → {paper(own)}",
        next((cell.reasons[0] for cell in (own, base) if cell and cell.mean is None), ""),
    )


def lines(headlines: Iterable[Mapping[str, Any]], cells: Iterable[Cell]) -> list[Line]:
    """Return the lines that `headlines` name: table, task, column, digits, and rows."""
    by_table: dict[str, dict[tuple[str, str], Cell]] = {}
    for cell in cells:
        by_table.setdefault(cell.table, {})[cell.row, cell.column] = cell
    return [
        _line(headline, row, by_table.get(headline["table"], {}))
        for headline in headlines
        for row in headline["rows"]
    ]


def by_task(pages: Iterable[Mapping[str, str]]) -> dict[str, list[Mapping[str, str]]]:
    """Return tables or figures by their task, in the order in which tasks come first."""
    tasks: dict[str, list[Mapping[str, str]]] = {}
    for page in pages:
        tasks.setdefault(page["task"], []).append(page)
    return tasks
