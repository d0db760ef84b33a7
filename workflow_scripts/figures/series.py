"""Values of a figure: means over seeds with deviation and interval, measured as tables are."""

from collections.abc import Iterable, Mapping
from decimal import Decimal

from workflow_scripts.figures.blocks import NotRun
from workflow_scripts.figures.inputs import FigureInputs, check_given
from workflow_scripts.tables.blocks import Cell, Column, Row, TableBlock
from workflow_scripts.tables.cells import ShownCell, ShownTable, fill_table
from workflow_scripts.tables.intervals import add_intervals, details_path


def measure(
    figure: str,
    column: str,
    cells: Mapping[str, tuple[str, Cell]],
    inputs: FigureInputs,
    published: Mapping[tuple[str, str], Decimal] | None = None,
) -> ShownTable:
    """Return the values of a figure as a table of one column: `cells` has (label, cell) by row id.

    So a value of a figure is what a table would show: the mean over parts for each seed, then mean
    and sample deviation over seeds; the 95% bootstrap interval over items. Raises `UserError` for
    files that were not given, and as `fill_table` and `add_intervals`.
    """
    for _, cell in cells.values():
        for part in cell.parts:
            for path in part.scores:
                check_given(path, inputs.scores, "--scores")
                check_given(details_path(path), inputs.details, "--details")
    rows = tuple(
        Row(name, label, None, None, {column: cell}) for name, (label, cell) in cells.items()
    )
    block = TableBlock(figure, figure, None, False, None, (), (Column(column, column),), rows)
    return add_intervals(fill_table(block, inputs.scores, published or {}), inputs.details)


def not_run_cell(entry: NotRun) -> tuple[str, Cell]:
    """Return label and cell of what was not run."""
    return entry.label, Cell(not_run=entry.reason)


def error_bar(cell: ShownCell) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of the error bar of a cell that ran.

    They are the interval; without replicates, one deviation over seeds to either side; without
    either, there is none.
    """
    if cell.interval is not None:
        return cell.interval
    if cell.deviation is None:
        return None, None
    return cell.mean - cell.deviation, cell.mean + cell.deviation


def bars_fact(cells: Iterable[ShownCell]) -> str:
    """Return the sentence that says what the error bars are."""
    ran = [cell for cell in cells if cell.mean is not None]
    with_interval = sum(cell.interval is not None for cell in ran)
    deviation = "the sample standard deviation over seeds, to either side"
    if with_interval and with_interval == len(ran):
        return "Error bars: 95% bootstrap interval over the items of the test data."
    if with_interval:
        return (
            "Error bars: 95% bootstrap interval over the items of the test data; where no "
            f"replicates were kept, {deviation}; none for a single run."
        )
    if any(cell.deviation is not None for cell in ran):
        return f"Error bars: {deviation}."
    return "No error bars: single runs, without bootstrap replicates."


def sample_facts(table: ShownTable) -> list[str]:
    """Return a sentence for each data set: its number of items, and what was left out."""
    facts = []
    for sample in table.samples:
        dropped = ", ".join(f"{reason}: {n:,}" for reason, n in sorted(sample.dropped.items()) if n)
        facts.append(
            f"{sample.dataset}: {sample.n:,} items"
            + (f"; left out, {dropped}" if dropped else "")
            + (f"; in {', '.join(sample.rows)}" if sample.rows else "")
            + "."
        )
    return facts
