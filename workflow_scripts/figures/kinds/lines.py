"""Score against the size of the corpus that was tuned on (paper, section 5 and Figure 5)."""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import Field

from workflow_scripts.configuration.blocks import Block, Distinct, Id, Text
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.figures import plots, style
from workflow_scripts.figures.config import AxesFigure
from workflow_scripts.figures.plots import Entry, Plot, Point
from workflow_scripts.files import read_json
from workflow_scripts.tables.cells import Cell
from workflow_scripts.tables.config import ById
from workflow_scripts.tables.numbers import format_number, three_digits
from workflow_scripts.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMN = "score"
# printer's points between the bars of two lines at the same size
SHIFT = 2.5


class SeriesBlock(Block):
    """A line, with a point for each corpus."""

    id: Id = Field(description="Id.")
    label: Text = Field(description="Name on the page.")
    model: Text = Field(description="Model.")
    recipe: Text = Field(description="Recipe, which tunes.")
    dataset: Id = Field(description="Data set.")
    corpora: Distinct[Id] = Field(description="One corpus per point.")


class Config(AxesFigure):
    """Scores by size of the corpus."""

    series: ById[SeriesBlock] = Field(description="Lines.")


def requested_cells(config: Config) -> list[dict[str, Any]]:
    return [
        series.model_dump(exclude={"corpora"}) | {"corpus": corpus}
        for series in config.series
        for corpus in series.corpora
    ]


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    points: dict[str, list[dict[str, Any]]] = {series.id: [] for series in config.series}
    for cell in cells:
        series, label, name = (cell.requested[key] for key in ("id", "label", "corpus"))
        known = {"id": f"{series}/{name}", "label": f"{label}, {name}"}
        known["record"] = f"{run.results}/corpora/{name}.json"
        points[series].append(known | cell.values)
    lines = [
        {"id": series.id, "label": series.label, "points": points[series.id]}
        for series in config.series
    ]
    return {"x_label": config.x_label, "y_label": config.y_label, "series": lines}


def files(block: dict[str, Any]) -> list[str]:
    points = [point for series in block["series"] for point in series["points"]]
    return [point["record"] for point in plots.that_ran(points)]


def size_text(size: int) -> str:
    """Return a number of strings as an axis shows it: 500, 1k, 2.5k, 100k, 1M; three digits."""
    for unit, sign in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit:
            return f"{three_digits(size / unit)}{sign}"
    return f"{size:g}"


def ticks(sizes: Iterable[int]) -> list[int]:
    """Return those sizes, rising, whose labels stand apart: by a ninth of the log axis or more."""
    ordered = sorted(set(sizes))
    least = math.log(ordered[-1] / ordered[0]) / 9
    shown = ordered[:1]
    for size in ordered[1:]:
        if math.log(size / shown[-1]) >= least:
            shown.append(size)
    return shown


def _size(record: str) -> int:
    content = read_json(record)
    with damaged_file_error(record):
        return int(content["strings"])


def flat_fact(label: str, cells: Sequence[Cell]) -> list[str]:
    """Return a sentence about a line whose scores differ by less than half of their intervals."""
    means = [cell.mean for cell in cells if cell.mean is not None]
    widths = [high - low for low, high in (cell.interval for cell in cells if cell.interval)]
    if len(means) < 2 or not widths:
        return []
    spread, width = max(means) - min(means), min(widths)
    if spread >= width / 2:
        return []
    return [
        f"{label}: no effect of the size is shown. The highest and the lowest score differ by "
        f"{format_number(spread)}, while an interval is {format_number(width)} wide."
    ]


def plot(block: dict[str, Any]) -> Plot:
    """Return the lines of a block, the points of each by size. Raises `UserError`, data missing."""
    entries = [point for series in block["series"] for point in series["points"]]
    look = style.style_of(block)
    table = plots.measure(block, COLUMN, entries)
    drawn = [series for series in block["series"] if plots.that_ran(series["points"])]
    if not drawn:
        return Plot(entries, values=table)
    points: list[Point] = []
    numbers = [("Line", "Strings", "Score", "95% interval", "Seeds")]
    measured, flat = [], []
    for series in drawn:
        ran = plots.that_ran(series["points"])
        sizes = {point["id"]: _size(point["record"]) for point in ran}
        for name, size in sorted(sizes.items(), key=lambda item: item[1]):
            cell = table.cells[name, COLUMN]
            points.append(Point("score", series["id"], size, cell.mean, *plots.error_bar(cell)))
            numbers.append((series["label"], f"{size:,}", *plots.value_texts(cell)))
        measured.append(plots.metrics_of(ran))
        flat += flat_fact(series["label"], [table.cells[point["id"], COLUMN] for point in ran])
    facts = [
        *(
            f"{series['label']}: {', '.join(by)}."
            for series, by in zip(drawn, measured, strict=True)
        ),
        "Score: mean over seeds ± sample standard deviation; a single run has none.",
        plots.bars_fact(table.cells.values(), look.intervals),
        *flat,
        *plots.sample_facts(table),
    ]
    if len(drawn) > 1:
        facts.append(
            "Lines are drawn a little to the left or right of their sizes, so that bars stand "
            "apart; the tsv has the sizes."
        )
    if any(metrics != measured[0] for metrics in measured):
        facts.append(
            "The lines are measured on different data or by different metrics: their courses "
            "may be compared, their heights may not."
        )
    draw = partial(_draw, block, drawn, points, table)
    return Plot(entries, points, facts, numbers, draw, table)


def _draw(block: Entry, ran: Sequence[Entry], points: Sequence[Point], table: Table) -> "Figure":
    from matplotlib.ticker import NullLocator

    look, labels = style.style_of(block), []
    for series in ran:
        counts = {table.cells[point["id"], COLUMN].n for point in series["points"]}
        n = " or ".join(f"{count:,}" for count in sorted(filter(None, counts)))
        labels.append(style.wrapped(f"{series['label']} (n={n})", look.legend_characters))
    figure = style.new_figure(look, 2.3 + 0.14 * style.line_count(labels))
    axes = figure.add_subplot()
    axes.set_xscale("log")
    lines = []
    for position, series in enumerate(ran):
        own = [point for point in points if point.series == series["id"]]
        shift = SHIFT * (position - (len(ran) - 1) / 2)
        line = style.line_style(position, position)
        x: list[Any] = [point.x for point in own]
        lines.append(style.draw_error_bars(axes, x, own, line, look.intervals, shift))
    axes.xaxis.set_minor_locator(NullLocator())
    sizes = ticks(int(point.x) for point in points)
    axes.set_xticks(sizes, [size_text(size) for size in sizes])
    axes.set_xlabel(style.wrapped(block["x_label"], look.legend_characters))
    axes.set_ylabel(style.wrapped(block["y_label"], style.SIDE_CHARACTERS))
    axes.margins(y=0.08)
    figure.legend(lines, labels, loc="outside lower center")
    return figure
