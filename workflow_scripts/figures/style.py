"""How figures look: fonts and sizes of a paper, lines told apart by more than colour, files."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.configuration.print_style import FigureStyle
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from workflow_scripts.figures.plots import Point

DOTS_PER_INCH = 300
# how many characters fit next to an axis of an inch and a half
SIDE_CHARACTERS = 24

# Okabe and Ito's palette for any colour vision, without its yellow, which is too pale for lines
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
# of bars that stand side by side
BARS: tuple[dict[str, Any], ...] = tuple(
    {"facecolor": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.6}
    for colour, hatch in zip(
        ("white", "#56B4E9", "#E69F00", "#009E73", "#CC79A7"), HATCHES[:5], strict=True
    )
)

USUAL = FigureStyle()
# of a share of the figure: a millionth of its width
_POSITION_DIGITS = 6
_SETTINGS: dict[Any, Any] = {
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
    # TrueType: publishers refuse fonts of type 3
    "pdf.fonttype": 42,
    # ids of the SVG come from its content and this, not from chance
    "svg.hashsalt": "figures",
    # a dollar sign in a label does not start a formula
    "text.parse_math": False,
}
# that matplotlib brings; the second is like Times
_FONTS = {"sans-serif": "DejaVu Sans", "serif": "STIXGeneral"}


def _font_settings(look: FigureStyle) -> dict[Any, Any]:
    """Return the settings of fonts. Raises `UserError` for a font that is not installed."""
    from matplotlib.font_manager import findfont

    family = _FONTS.get(look.font, look.font)
    try:
        findfont(family, fallback_to_default=False)
    except ValueError:
        raise UserError(
            "figure_style.font",
            f"no font `{look.font}` is installed",
            f"use {' or '.join(_FONTS)}, or install the font and remove matplotlib's font cache",
        ) from None
    sizes = ("font.size", "axes.titlesize", "axes.labelsize")
    small = ("xtick.labelsize", "ytick.labelsize", "legend.fontsize", "legend.title_fontsize")
    return {
        # what a font lacks, such as the sign of a language, is taken from the first
        "font.family": list(dict.fromkeys((family, _FONTS["sans-serif"]))),
        **dict.fromkeys(sizes, look.font_size),
        **dict.fromkeys(small, look.small_size),
    }


@contextmanager
def figure_style(look: FigureStyle = USUAL) -> Iterator[None]:
    """Draw with these settings alone, whatever the user's matplotlibrc says."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS | _font_settings(look))
        yield


def style_of(block: Mapping[str, Any]) -> FigureStyle:
    """Return the style that the block of a figure has."""
    return FigureStyle(**block.get("style", {}))


def new_figure(look: FigureStyle, height: float, is_wide: bool = False) -> "Figure":
    """Return an empty figure of the width of a column, or of both.

    The height is that with text of the usual size, in inches.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width = look.page_width if is_wide else look.column_width
    figure = Figure(figsize=(width, height * look.scale))
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


def wrapped(text: str, width: int) -> str:
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
    has_bars: bool = True,
    shift: float = 0.0,
) -> "Line2D":
    """Draw points at x joined by a line, which is returned, with a bar from low to high.

    Without bars it is the line alone. `shift` moves all sideways, in printer's points, so that bars
    of several lines stand apart.
    """
    from matplotlib.transforms import ScaledTranslation

    moved = ScaledTranslation(shift / 72, 0, axes.figure.dpi_scale_trans)
    shifted = {"transform": axes.transData + moved, "color": style["color"]}
    # under the marker; solid, since dashes would hide short bars
    bar = {"linewidth": 0.8, "markersize": 4, "zorder": 1.5, **shifted}
    for position, point in zip(x, points, strict=True):
        if has_bars and point.low is not None and point.high is not None:
            axes.plot([position] * 2, [point.low, point.high], "-_", **bar)
    heights: list[Any] = [point.y for point in points]
    (line,) = axes.plot(x, heights, **{**style, **shifted})
    # lines that are moved do not widen the axes by themselves
    for height in ("y", "low", "high") if has_bars else ("y",):
        heights = [getattr(point, height) for point in points]
        axes.update_datalim([at for at in zip(x, heights, strict=True) if at[1] is not None])
    axes.autoscale_view()
    return line


def nothing_run(look: FigureStyle) -> "Figure":
    """Return a figure that says that nothing of it was run."""
    figure = new_figure(look, 1.6)
    text = "Nothing of this figure was run;\nits note says why."
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
    """Write a figure as .png, .svg and .pdf, each whole or not at all.

    Equal figures give equal bytes.
    """
    _settle_layout(figure)
    # without dates and versions of the software
    metadata_of = {
        **{"png": {"Software": None}, "svg": {"Date": None, "Creator": None}},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    for ending, metadata in metadata_of.items():
        with atomic_file(f"{prefix}.{ending}") as temporary:
            figure.savefig(temporary, format=ending, metadata=metadata)
