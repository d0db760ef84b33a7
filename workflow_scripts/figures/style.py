"""How figures look: sizes of a two-column paper, lines told apart by more than colour, files."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.files import atomic_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from workflow_scripts.figures.plots import Point

# inches: a column of an A4 paper in two columns, so that a figure is printed at its own size
COLUMN_WIDTH = 3.15
# both columns
PAGE_WIDTH = 6.5
DOTS_PER_INCH = 200
LABEL_SIZE, SMALL_SIZE = 8, 7
# that fit beside the sign of a legend (small), and beside an axis of an inch and a half
LEGEND_CHARACTERS, SIDE_CHARACTERS = 40, 24

# Okabe and Ito's palette, told apart with any colour vision, without yellow, too pale for lines
COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (9, 2.5))),
    *((0, (4, 1.2, 1, 1.2, 1, 1.2)), (0, (2.5, 1.5)), (0, (9, 1.5, 2.5, 1.5))),
)
HATCHES = ("", "//////", "......", "xxxxxx", "------", "\\\\\\\\\\\\", "||||||")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
# the two classes of pairs
POSITIVE, NEGATIVE = "#E69F00", "#0072B2"
GREY = "#555555"

# of a share of the figure: a millionth of its width
_POSITION_DIGITS = 6
_SETTINGS: dict[Any, Any] = {
    "font.family": "sans-serif",
    **dict.fromkeys(("font.size", "axes.titlesize", "axes.labelsize"), LABEL_SIZE),
    **dict.fromkeys(("xtick.labelsize", "ytick.labelsize"), SMALL_SIZE),
    **dict.fromkeys(("legend.fontsize", "legend.title_fontsize"), SMALL_SIZE),
    "legend.frameon": False,
    "legend.handlelength": 3.6,
    **dict.fromkeys(("axes.linewidth", "xtick.major.width", "ytick.major.width"), 0.6),
    **dict.fromkeys(("axes.spines.top", "axes.spines.right"), False),
    "lines.linewidth": 1.2,
    "lines.markersize": 4,
    "hatch.linewidth": 0.5,
    "figure.constrained_layout.use": True,
    "savefig.dpi": DOTS_PER_INCH,
    # text stays text: it can be searched, selected and read aloud
    "svg.fonttype": "none",
    # ids of the SVG come from its content and this, not from chance
    "svg.hashsalt": "figures",
    # a dollar sign in a label is no formula
    "text.parse_math": False,
}


@contextmanager
def figure_style() -> Iterator[None]:
    """Draw with these settings alone, whatever the user's matplotlibrc says."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def new_figure(height: float, width: float = COLUMN_WIDTH) -> "Figure":
    """Return an empty figure, of the width of a column unless said otherwise; in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def line_style(position: int, family: int) -> dict[str, Any]:
    """Return the style of the line at a position; without its colour, of its family, it differs."""
    colour = COLOURS[family % len(COLOURS)]
    return {
        "color": colour,
        "linestyle": DASHES[position % len(DASHES)],
        "marker": MARKERS[position % len(MARKERS)],
        "markerfacecolor": "white" if position % 2 else colour,
        "markeredgewidth": 0.8,
    }


def wrapped(text: str, width: int = LEGEND_CHARACTERS) -> str:
    """Return a text in lines of `width` characters at most; longer words are broken."""
    return "\n".join(textwrap.wrap(" ".join(text.split()), width))


def line_count(texts: list[str]) -> int:
    """Return the number of lines of wrapped texts together."""
    return sum(text.count("\n") + 1 for text in texts)


def draw_error_bars(
    axes: "Axes",
    x: Sequence[float],
    points: "Sequence[Point]",
    style: Mapping[str, Any],
    shift: float = 0.0,
) -> "Line2D":
    """Draw points at x joined by a line, which is returned, with a bar from low to high.

    `shift` moves all sideways, in printer's points, so that bars of several lines stand apart.
    """
    from matplotlib.transforms import ScaledTranslation

    moved = ScaledTranslation(shift / 72, 0, axes.figure.dpi_scale_trans)
    shifted = {"transform": axes.transData + moved, "color": style["color"]}
    # under the marker; solid, since dashes would hide short bars
    bar = {"linewidth": 0.8, "markersize": 4, "zorder": 1.5, **shifted}
    for position, point in zip(x, points, strict=True):
        if point.low is not None and point.high is not None:
            axes.plot([position] * 2, [point.low, point.high], "-_", **bar)
    heights: list[Any] = [point.y for point in points]
    (line,) = axes.plot(x, heights, **{**style, **shifted})
    # lines that are moved do not widen the axes by themselves
    for height in ("y", "low", "high"):
        heights = [getattr(point, height) for point in points]
        axes.update_datalim([at for at in zip(x, heights, strict=True) if at[1] is not None])
    axes.autoscale_view()
    return line


def nothing_run() -> "Figure":
    """Return a figure that says that nothing of it was run."""
    figure = new_figure(1.6)
    text = "Nothing of this figure was run;\nthe note beside it says why."
    figure.text(0.5, 0.5, text, ha="center", va="center", color=GREY)
    return figure


def _settle_layout(figure: "Figure") -> None:
    """Lay a figure out, and put its axes at rounded positions.

    The last digits of the solver's positions differ from run to run, and ids in an SVG come from
    all digits.
    """
    # as fine as it is saved: texts have other sizes in coarse dots
    figure.set_dpi(DOTS_PER_INCH)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for axes in figure.axes:
        left, bottom, width, height = (
            round(bound, _POSITION_DIGITS) for bound in axes.get_position(original=True).bounds
        )
        axes.set_position((left, bottom, width, height))


def save_figure(figure: "Figure", prefix: str | Path) -> None:
    """Write a figure as .png and .svg, each whole or not at all; equal figures give equal bytes."""
    _settle_layout(figure)
    # without dates and versions of the software
    metadata_of = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None}}
    for ending, metadata in metadata_of.items():
        with atomic_file(f"{prefix}.{ending}") as temporary:
            figure.savefig(temporary, format=ending, metadata=metadata)
