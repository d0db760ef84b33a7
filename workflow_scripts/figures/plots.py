"""What every kind of figure shares: its points, values measured as tables are, and facts told."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow_scripts.errors import UserError
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.document import DASH
from workflow_scripts.tables.filling import samples
from workflow_scripts.tables.numbers import format_number
from workflow_scripts.tables.table import Table, details_path

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

# a curve, point, panel or bucket as the block has it: id, label, and parts or why there are none
Entry = Mapping[str, Any]


class Point(NamedTuple):
    """A plotted point with the ends of its error bar; a mark on the x axis has no `y`."""

    panel: str
    series: str
    x: float | str
    y: float | None
    low: float | None = None
    high: float | None = None


class Plot(NamedTuple):
    """A figure ready to be drawn and described.

    `entries` are all that the block has, run or not. If any of them ran, `facts` say what was
    measured and how to read it, `numbers` is a small table, its header first, and `draw` returns
    the figure. `values` has the scores next to the published ones; None if none can be compared.
    """

    entries: Sequence[Entry]
    points: Sequence[Point] = ()
    facts: Sequence[str] = ()
    numbers: Sequence[tuple[str, ...]] = ()
    draw: "Callable[[], Figure] | None" = None
    values: Table | None = None

    @property
    def not_run(self) -> list[tuple[str, str]]:
        """The label of what was not run, and why."""
        return [(entry["label"], entry["not_run"]) for entry in self.entries if "not_run" in entry]


def _field(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.6f}" if isinstance(value, float) else " ".join(str(value).split())


def points_tsv(points: Iterable[Point]) -> str:
    """Return the points as tab-separated rows under a header, fractions with six decimals."""
    return "".join("\t".join(map(_field, row)) + "\n" for row in (Point._fields, *points))


def entry(cell: Any, *keys: str) -> dict[str, Any]:
    """Return the entry of a requested cell: these keys, and parts or why not."""
    return {key: cell.requested[key] for key in keys if key in cell.requested} | cell.values


def that_ran(entries: Iterable[Entry]) -> list[Entry]:
    return [entry for entry in entries if "not_run" not in entry]


def metrics_of(entries: Iterable[Entry]) -> list[str]:
    """Return what entries that ran are measured by: metric and data set, sorted."""
    parts = {(part["dataset"], part["metric"]) for entry in entries for part in entry["parts"]}
    return [f"{metric} on {dataset}" for dataset, metric in sorted(parts)]


def measure(block: Entry, column: str, entries: Sequence[Entry]) -> Table:
    """Return the values of a figure as a table of one column, a row for each entry.

    So a value of a figure is what a table would show. `UserError` for missing files and scores.
    """
    from workflow_scripts.tables.intervals import read_table

    rows = [
        {key: entry[key] for key in ("id", "label")} | {"cells": {column: entry}}
        for entry in entries
    ]
    table = Table.of(
        {"id": block["id"], "columns": [{"id": column, "label": column}], "rows": rows}
    )
    return read_table(table, block["reference"])


def read_pairs(scores: str, dataset: str) -> "tuple[np.ndarray, np.ndarray]":
    """Return cosines, float64 [pairs], and labels, int8 [pairs] of 0 and 1, stored with scores.

    Raises `UserError` for a data set of another task.
    """
    from workflow_scripts.scoring.bootstrap_replicates import (
        cosines_key,
        labels_key,
        read_replicates,
    )

    path = details_path(scores)
    details = read_replicates(path)
    if cosines_key(dataset) not in details:
        raise UserError(
            path,
            f"no cosines and labels of dataset `{dataset}`",
            "it must be of task pair-classification: fix the figure",
        )
    return details[cosines_key(dataset)].astype("float64"), details[labels_key(dataset)]


def value_texts(cell: Cell) -> tuple[str, str, str]:
    """Return mean and deviation over seeds (".674 ± .003"), 95% interval, and number of seeds."""
    assert cell.mean is not None
    mean = format_number(cell.mean)
    interval = DASH if cell.interval is None else " to ".join(map(format_number, cell.interval))
    if cell.sd is not None:
        mean += f" ± {format_number(cell.sd)}"
    return mean, interval, str(cell.seeds)


def error_bar(cell: Cell) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of the error bar of a cell: its interval, or one deviation to either side."""
    if cell.interval is not None:
        return cell.interval
    if cell.mean is None or cell.sd is None:
        return None, None
    return cell.mean - cell.sd, cell.mean + cell.sd


def bars_fact(cells: Iterable[Cell], are_drawn: bool) -> str:
    """Return the sentence that says what the error bars are, if they are drawn."""
    if not are_drawn:
        return "The config turns error bars off; the tsv has their ends."
    ran = [cell for cell in cells if cell.mean is not None]
    with_interval = sum(cell.interval is not None for cell in ran)
    deviation = "the sample standard deviation over seeds, in both directions"
    bootstrap = "Error bars: 95% bootstrap interval over the items of the test data"
    if with_interval and with_interval == len(ran):
        return f"{bootstrap}."
    if with_interval:
        return f"{bootstrap}; where no replicates were kept, {deviation}; none for a single run."
    if any(cell.sd is not None for cell in ran):
        return f"Error bars: {deviation}."
    return "No error bars: single runs, without bootstrap replicates."


def sample_facts(table: Table) -> list[str]:
    """Return a sentence for each data set: its number of items, and what was left out."""
    facts = []
    for sample in samples(table):
        dropped = ", ".join(f"{reason}: {n:,}" for reason, n in sorted(sample.dropped.items()) if n)
        left_out = f"; left out, {dropped}" if dropped else ""
        rows = f"; in {', '.join(sample.rows)}" if sample.rows else ""
        facts.append(f"{sample.dataset}: {sample.n:,} items{left_out}{rows}.")
    return facts
