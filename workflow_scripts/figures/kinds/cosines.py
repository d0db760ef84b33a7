"""Histograms of the cosines of positive and negative pairs (paper, section 5 and Figure 7)."""

import math
from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow_scripts.figures import plots, style
from workflow_scripts.figures.config import PairsFigure
from workflow_scripts.figures.plots import Entry, Plot, Point
from workflow_scripts.tables.numbers import format_number

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

# bins of a cosine: fine ones need this many pairs of the smaller class
FINE, COARSE = 0.02, 0.05
PAIRS_OF_FINE_BINS = 200


class Config(PairsFigure):
    """Histograms of the cosines of pairs, a panel for each row."""


requested_cells = PairsFigure.requested_cells


def resolve(config: Config, cells: Any, run: Any) -> dict[str, Any]:
    panels = [plots.entry(cell, "id", "label") for cell in cells]
    return {"dataset": config.dataset, "panels": panels}


class Histogram(NamedTuple):
    """One class of a panel: per cent of its pairs in each bin [bins], and their median."""

    shares: "np.ndarray"
    median: float


def bin_edges(cosines: "Sequence[np.ndarray]", width: float) -> "np.ndarray":
    """Return edges [bins + 1] of equal bins that hold all cosines; zero is one of their multiples.

    Cosines that rounding put beyond -1 or 1 must be clipped.
    """
    import numpy as np

    low = min(float(values.min()) for values in cosines)
    high = max(float(values.max()) for values in cosines)
    # to six digits, so that 0.1 / 0.05 is not just above 2
    first = math.floor(round(low / width, 6))
    last = max(math.ceil(round(high / width, 6)), first + 1)
    return np.arange(first, last + 1) * width


def histogram(cosines: "np.ndarray", edges: "np.ndarray") -> Histogram:
    """Return the histogram of the cosines of a class; a cosine on an edge is in the upper bin."""
    import numpy as np

    # an outer edge may lie a rounding error inside the outermost cosine
    counts, _ = np.histogram(np.clip(cosines, edges[0], edges[-1]), edges)
    return Histogram(100 * counts / len(cosines), float(np.median(cosines)))


def plot(block: dict[str, Any]) -> Plot:
    """Return the panels of a block: of each, the pairs of its first seed. Raises `UserError`."""
    import numpy as np

    ran, dataset = plots.that_ran(block["panels"]), block["dataset"]
    if not ran:
        return Plot(block["panels"])
    pairs: list[tuple[np.ndarray, np.ndarray]] = []
    for panel in ran:
        cosines, labels = plots.read_pairs(panel["parts"][0]["scores"][0], dataset)
        cosines = np.clip(cosines, -1, 1)
        pairs.append((cosines[labels == 1], cosines[labels == 0]))
    values_of_all = list(chain.from_iterable(pairs))
    width = FINE if min(map(len, values_of_all)) >= PAIRS_OF_FINE_BINS else COARSE
    edges = bin_edges(values_of_all, width)
    centres = edges[:-1] + width / 2
    points: list[Point] = []
    panels: list[tuple[Histogram, Histogram]] = []
    numbers = [("Panel", "Median of positive pairs", "Median of negative pairs", "Runs")]
    for panel, (positive, negative) in zip(ran, pairs, strict=True):
        histograms = histogram(positive, edges), histogram(negative, edges)
        panels.append(histograms)
        for series, classed in zip(("positive", "negative"), histograms, strict=True):
            shares = zip(centres, classed.shares, strict=True)
            points += [Point(panel["id"], series, float(x), float(y)) for x, y in shares]
            points.append(Point(panel["id"], f"median of {series}", classed.median, None))
        medians = (format_number(classed.median) for classed in histograms)
        numbers.append((panel["label"], *medians, str(len(panel["parts"][0]["scores"]))))
    counts = {(len(positive), len(negative)) for positive, negative in pairs}
    of_pairs = " or ".join(f"{p:,} positive and {n:,} negative" for p, n in sorted(counts))
    facts = [
        f"{dataset}: the cosine of the two vectors of each pair, {of_pairs} pairs.",
        "Each panel shows one run, the first seed of its encoder.",
        f"Bins are {width:g} wide and the same in all panels; x in the tsv is their middle, "
        "y the share of the pairs of a class, in per cent. Panels have y axes of their own.",
        "Median: dashed, positive pairs; dotted, negative pairs.",
    ]
    draw = partial(_draw, block, ran, panels, edges)
    return Plot(block["panels"], points, facts, numbers, draw)


def _occupied(shares: "np.ndarray", edges: "np.ndarray") -> "tuple[np.ndarray, np.ndarray]":
    """Return shares and edges from the first bin that is not empty to the last."""
    occupied = [number for number, share in enumerate(shares) if share]
    first, last = occupied[0], occupied[-1]
    return shares[first : last + 1], edges[first : last + 2]


def _draw(
    block: Entry,
    ran: Sequence[Entry],
    panels: Sequence[tuple[Histogram, Histogram]],
    edges: "np.ndarray",
) -> "Figure":
    figure = style.new_figure(style.style_of(block), 0.75 + 1.15 * len(ran))
    rows = figure.subplots(len(ran), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel, (positive, negative) in zip(rows, ran, panels, strict=True):
        look = {"facecolor": style.POSITIVE + "80", "edgecolor": style.POSITIVE, "hatch": "//////"}
        shares = _occupied(positive.shares, edges)
        filled = axes.stairs(*shares, fill=True, linewidth=0.8, **look)
        shares = _occupied(negative.shares, edges)
        outline = axes.stairs(*shares, color=style.NEGATIVE, linewidth=1.4)
        line = {"color": "black", "linewidth": 0.9}
        middle = axes.axvline(positive.median, linestyle=(0, (4, 2)), **line)
        other_middle = axes.axvline(negative.median, linestyle=(0, (1, 1.5)), **line)
        axes.set_title(style.wrapped(panel["label"], 50), loc="left")
        axes.set_ylabel("Pairs of\nthe class (%)")
        axes.set_ylim(bottom=0)
        axes.set_xlim(edges[0], edges[-1])
    rows[-1].set_xlabel("Cosine similarity of the pair (−1 to 1)")
    labels = ("positive pairs", "median of positive", "negative pairs", "median of negative")
    signs = (filled, middle, outline, other_middle)
    figure.legend(signs, labels, loc="outside lower center", ncols=2)
    return figure
