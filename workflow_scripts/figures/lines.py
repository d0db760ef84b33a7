"""Score against the size of the corpus that was tuned on (paper, section 5 and Figure 5)."""

import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from workflow_scripts.figures.blocks import FigureBlock, LinesBlock, NotRun, Series, SizePoint
from workflow_scripts.figures.inputs import FigureInputs
from workflow_scripts.figures.plots import Plot, Point, interval_text, value_text
from workflow_scripts.figures.series import (
    bars_fact,
    error_bar,
    measure,
    not_run_cell,
    sample_facts,
)
from workflow_scripts.figures.style import (
    SIDE_CHARACTERS,
    draw_error_bars,
    line_count,
    line_style,
    new_figure,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = "score"
# printer's points between the bars of two lines at the same size
SHIFT = 2.5


def size_text(size: int) -> str:
    """Return a number of strings as an axis shows it: 500, 1k, 2.5k, 100k, 1M; three digits."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit:
            return f"{size / unit:.3g}{sign}"
    return f"{size:g}"


def ticks(sizes: Iterable[int]) -> list[int]:
    """Return those sizes that an axis can show with their labels apart, the smallest first.

    On the log axis, neighbours are a ninth of its length apart at least.
    """
    ordered = sorted(set(sizes))
    least = math.log(ordered[-1] / ordered[0]) / 9
    shown = ordered[:1]
    for size in ordered[1:]:
        if math.log(size / shown[-1]) >= least:
            shown.append(size)
    return shown


def _runs(content: LinesBlock) -> list[tuple[Series, list[SizePoint]]]:
    """Return the series that have points, each with those that were run."""
    found = []
    for series in content.series:
        if isinstance(series, Series):
            ran = [point for point in series.points if isinstance(point, SizePoint)]
            found += [(series, ran)] * bool(ran)
    return found


def plot_lines(
    block: FigureBlock,
    content: LinesBlock,
    inputs: FigureInputs,
    published: Mapping[tuple[str, str], Decimal],
) -> Plot:
    """Return the lines of a block, the points of each by size. Raises `UserError`, data missing."""
    cells = {}
    not_run: list[NotRun] = []
    for series in content.series:
        if isinstance(series, NotRun):
            not_run.append(series)
            cells[series.id] = not_run_cell(series)
            continue
        for point in series.points:
            if isinstance(point, NotRun):
                not_run.append(point)
                cells[f"{series.id}/{point.id}"] = not_run_cell(point)
            else:
                cells[f"{series.id}/{point.id}"] = (f"{series.label}, {point.id}", point.cell)
    table = measure(block.id, COLUMN, cells, inputs, published)
    runs = _runs(content)
    points: list[Point] = []
    numbers = [("Line", "Strings", "Score", "95% interval", "Seeds")]
    measured = []
    for series, ran in runs:
        by_size = sorted(ran, key=lambda point: inputs.corpus_size(point.record))
        for point in by_size:
            cell = table.cells[f"{series.id}/{point.id}", COLUMN]
            size = inputs.corpus_size(point.record)
            low, high = error_bar(cell)
            points.append(Point("score", series.id, size, cell.mean, low, high))
            numbers.append(
                (series.label, f"{size:,}", value_text(cell), interval_text(cell), str(cell.seeds))
            )
        metrics = {(p.dataset, p.metric) for point in ran for p in point.cell.parts}
        measured.append((series.label, sorted(metrics)))
    facts = []
    if points:
        facts = [
            *(
                f"{label}: {', '.join(f'{metric} on {dataset}' for dataset, metric in metrics)}."
                for label, metrics in measured
            ),
            "Score: mean over seeds ± sample standard deviation; a single run has none.",
            bars_fact(table.cells.values()),
            *sample_facts(table),
        ]
        if len(runs) > 1:
            facts.append(
                "Lines are drawn a little to the left or right of their sizes, so that bars stand "
                "apart; the tsv has the sizes."
            )
        if len({tuple(metrics) for _, metrics in measured}) > 1:
            facts.append(
                "The lines are measured on different data or by different metrics: their courses "
                "may be compared, their heights may not."
            )
    return Plot(
        points=tuple(points),
        facts=tuple(facts),
        numbers=tuple(numbers),
        not_run=tuple(not_run),
        draw=lambda: _draw(content, [series for series, _ in runs], points),
        values=table,
    )


def _draw(content: LinesBlock, ran: Sequence[Series], points: Sequence[Point]) -> "Figure":
    from matplotlib.ticker import NullLocator

    labels = [wrapped(series.label) for series in ran]
    figure = new_figure(2.3 + 0.14 * line_count(labels))
    axes = figure.add_subplot()
    axes.set_xscale("log")
    lines = []
    for position, series in enumerate(ran):
        own = [point for point in points if point.series == series.id]
        shift = SHIFT * (position - (len(ran) - 1) / 2)
        style = line_style(position, position)
        lines.append(draw_error_bars(axes, [point.x for point in own], own, style, shift))
    axes.xaxis.set_minor_locator(NullLocator())
    sizes = ticks(point.x for point in points)
    axes.set_xticks(sizes, [size_text(size) for size in sizes])
    axes.set(xlabel=wrapped(content.x_label), ylabel=wrapped(content.y_label, SIDE_CHARACTERS))
    axes.margins(y=0.08)
    figure.legend(lines, labels, loc="outside lower center")
    return figure
