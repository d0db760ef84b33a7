"""Histograms of the cosines of positive and negative pairs (paper, section 5 and Figure 7)."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from workflow_scripts.figures.blocks import CosinesBlock, FigureBlock, NotRun, Panel
from workflow_scripts.figures.inputs import FigureInputs
from workflow_scripts.figures.plots import Plot, Point
from workflow_scripts.figures.style import (
    LABEL_SIZE,
    NEGATIVE,
    POSITIVE,
    SMALL_SIZE,
    new_figure,
    wrapped,
)
from workflow_scripts.tables.numbers import format_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# bins of a cosine: fine ones need this many pairs of the smaller class
FINE, COARSE = 0.02, 0.05
PAIRS_OF_FINE_BINS = 200


@dataclass(frozen=True)
class Histogram:
    """One class of a panel: per cent of its pairs in each bin [bins], and their median."""

    shares: np.ndarray
    median: float


def bin_edges(cosines: Sequence[np.ndarray], width: float) -> np.ndarray:
    """Return edges [bins + 1] of equal bins that hold all cosines; zero is one of their multiples.

    Cosines that rounding put beyond -1 or 1 must be clipped.
    """
    low = min(float(values.min()) for values in cosines)
    high = max(float(values.max()) for values in cosines)
    # to six digits, so that 0.1 / 0.05 is not just above 2
    first = math.floor(round(low / width, 6))
    last = max(math.ceil(round(high / width, 6)), first + 1)
    return np.arange(first, last + 1) * width


def histogram(cosines: np.ndarray, edges: np.ndarray) -> Histogram:
    """Return the histogram of the cosines of a class; a cosine on an edge is in the upper bin."""
    # an outer edge may lie a rounding error inside the outermost cosine
    counts, _ = np.histogram(np.clip(cosines, edges[0], edges[-1]), edges)
    return Histogram(100 * counts / len(cosines), float(np.median(cosines)))


def plot_cosines(
    block: FigureBlock,
    content: CosinesBlock,
    inputs: FigureInputs,
    published: Mapping[tuple[str, str], Decimal],
) -> Plot:
    """Return the panels of a block: of each, the pairs of its first seed. Raises `UserError`."""
    ran = [panel for panel in content.panels if isinstance(panel, Panel)]
    classes: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for panel in ran:
        cosines, labels = inputs.pairs(panel.details[0], content.dataset)
        cosines = np.clip(cosines, -1, 1)
        classes[panel.id] = (cosines[labels == 1], cosines[labels == 0])
    points: list[Point] = []
    facts: list[str] = []
    panels: dict[str, tuple[Histogram, Histogram]] = {}
    edges = np.zeros(0)
    if ran:
        found = [values for pair in classes.values() for values in pair]
        width = FINE if min(map(len, found)) >= PAIRS_OF_FINE_BINS else COARSE
        edges = bin_edges(found, width)
        centres = edges[:-1] + width / 2
        for name, pair in classes.items():
            panels[name] = positive, negative = tuple(histogram(one, edges) for one in pair)
            for series, one in (("positive", positive), ("negative", negative)):
                points += [
                    Point(name, series, float(x), float(y))
                    for x, y in zip(centres, one.shares, strict=True)
                ]
                points.append(Point(name, f"median of {series}", one.median, None))
        counts = {tuple(map(len, pair)) for pair in classes.values()}
        of_pairs = " or ".join(f"{p:,} positive and {n:,} negative" for p, n in sorted(counts))
        facts = [
            f"{content.dataset}: the cosine of the two vectors of each pair, {of_pairs} pairs.",
            "Each panel shows one run, the first seed of its encoder.",
            f"Bins are {width:g} wide and the same in all panels; x in the tsv is their middle, "
            "y the share of the pairs of a class, in per cent. Panels have y axes of their own.",
            "Median: dashed, positive pairs; dotted, negative pairs.",
        ]
    return Plot(
        points=tuple(points),
        facts=tuple(facts),
        numbers=(
            ("Panel", "Median of positive pairs", "Median of negative pairs", "Runs"),
            *(
                (
                    panel.label,
                    *(format_number(one.median) for one in panels[panel.id]),
                    str(len(panel.details)),
                )
                for panel in ran
            ),
        ),
        not_run=tuple(panel for panel in content.panels if isinstance(panel, NotRun)),
        draw=lambda: _draw(ran, panels, edges),
    )


def _occupied(shares: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shares and edges from the first bin that is not empty to the last."""
    found = np.flatnonzero(shares)
    first, last = found[0], found[-1]
    return shares[first : last + 1], edges[first : last + 2]


def _draw(
    ran: Sequence[Panel],
    panels: Mapping[str, tuple[Histogram, Histogram]],
    edges: np.ndarray,
) -> "Figure":
    figure = new_figure(0.75 + 1.15 * len(ran))
    rows = figure.subplots(len(ran), 1, sharex=True, squeeze=False)[:, 0]
    for axes, panel in zip(rows, ran, strict=True):
        positive, negative = panels[panel.id]
        filled = axes.stairs(
            *_occupied(positive.shares, edges),
            fill=True,
            facecolor=POSITIVE + "80",
            edgecolor=POSITIVE,
            hatch="//////",
            linewidth=0.8,
        )
        outline = axes.stairs(*_occupied(negative.shares, edges), color=NEGATIVE, linewidth=1.4)
        medians = [
            axes.axvline(positive.median, color="black", linewidth=0.9, linestyle=(0, (4, 2))),
            axes.axvline(negative.median, color="black", linewidth=0.9, linestyle=(0, (1, 1.5))),
        ]
        axes.set_title(wrapped(panel.label, 50), loc="left", fontsize=LABEL_SIZE)
        axes.set_ylabel("Pairs of\nthe class (%)")
        axes.set_ylim(bottom=0)
        axes.set_xlim(edges[0], edges[-1])
    rows[-1].set_xlabel("Cosine similarity of the pair (−1 to 1)")
    figure.legend(
        [filled, medians[0], outline, medians[1]],
        ["positive pairs", "their median", "negative pairs", "their median"],
        loc="outside lower center",
        ncols=2,
        fontsize=SMALL_SIZE,
    )
    return figure
