"""What every kind of figure hands on: its points, what they are, and how to draw them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflow_scripts.figures.blocks import NotRun
from workflow_scripts.tables.cells import ShownCell, ShownTable
from workflow_scripts.tables.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEADER = ("panel", "series", "x", "y", "low", "high")


@dataclass(frozen=True)
class Point:
    """A plotted point; `low` and `high` are the ends of its error bar, None where it has none.

    `y` is None for a mark on the x axis, such as a median.
    """

    panel: str
    series: str
    x: float | str
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Plot:
    """A figure ready to be drawn and told about.

    `facts` say what was measured and how to read it. `numbers` is a small table of the main
    numbers, its header first. `values` are those that the paper may print. `draw` returns the
    drawn figure; it is called only if there are points.
    """

    points: tuple[Point, ...]
    facts: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]
    not_run: tuple[NotRun, ...]
    draw: "Callable[[], Figure]"
    values: ShownTable | None = None


def _field(value: float | str | None) -> str:
    if value is None:
        return ""
    return f"{value:.6f}" if isinstance(value, float) else " ".join(str(value).split())


def points_tsv(points: Iterable[Point]) -> str:
    """Return the points as tab-separated rows under a header, fractions with six decimals."""
    rows = [HEADER, *((p.panel, p.series, p.x, p.y, p.low, p.high) for p in points)]
    return "".join("\t".join(map(_field, row)) + "\n" for row in rows)


def value_text(cell: ShownCell) -> str:
    """Return mean and deviation over seeds: ".674 ± .003"; a single run has no deviation."""
    if cell.deviation is None:
        return format_number(cell.mean)
    return f"{format_number(cell.mean)} ± {format_number(cell.deviation)}"


def interval_text(cell: ShownCell) -> str:
    """Return the 95% interval: ".660 to .688", or a dash."""
    return "–" if cell.interval is None else " to ".join(map(format_number, cell.interval))
