"""Histograms and lines as inline SVG; colours are classes of templates/report.css.

Drawn for a width of 340 pixels, that of a small phone; they grow with their place.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup, escape

from workflow_scripts.retrieval.rankings import as_written
from workflow_scripts.tables.dot_plot import WIDTH, svg, ticks

_BINS = 30
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 14, 10, 34
_HEIGHT = 190
_MOST_POINTS = 200


class Group(NamedTuple):
    """Values that are stacked in one colour: `tone` is a class of report.css."""

    label: str
    tone: str
    values: Sequence[float] | np.ndarray


Scale = Callable[[float], float]


def _axes(
    across: Sequence[float], up: Sequence[float], label_across: str, label_up: str
) -> tuple[Scale, Scale, list[str]]:
    """Return the functions from values to places, and axes with these ticks, which end them."""
    bottom, width = _HEIGHT - _BOTTOM, WIDTH - _LEFT - _RIGHT

    def x(value: float) -> float:
        return round(_LEFT + width * (value - across[0]) / (across[-1] - across[0]), 1)

    def y(value: float) -> float:
        return round(bottom - (bottom - _TOP) * (value - up[0]) / (up[-1] - up[0]), 1)

    parts = []
    for mark in up:
        parts.append(f'<path class="grid" d="M{_LEFT} {y(mark)}H{WIDTH - _RIGHT}"/>')
        parts.append(f'<text class="up" x="{_LEFT - 5}" y="{y(mark) + 4}">{mark:g}</text>')
    parts += [
        f'<text class="tick" x="{x(mark)}" y="{bottom + 14}">{mark:g}</text>' for mark in across
    ]
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(
        f'<text class="tick" x="{middle:g}" y="{bottom + 30}">{escape(label_across)}</text>'
    )
    parts.append(
        f'<text class="tick" transform="translate(10 {(_TOP + bottom) / 2:g})rotate(-90)">'
        f"{escape(label_up)}</text>"
    )
    return x, y, parts


def bin_edges(values: np.ndarray) -> np.ndarray:
    """Return the edges of about 30 bins of equal width, multiples of it, that hold all values."""
    low, high = float(values.min()), float(values.max())
    # rounded up to 1, 2 or 5 times a power of ten
    rough = (high - low) / _BINS or 0.01
    power = 10.0 ** math.floor(math.log10(rough))
    width = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    # the last bin has both of its ends; a quotient may lie just below a whole number
    first, last = math.floor(round(low / width, 9)), math.ceil(round(high / width, 9))
    last = max(last, first + 1)
    return np.round(np.arange(first, last + 1) * width, 12)


def histogram(
    groups: Sequence[Group],
    name: str,
    title: str,
    label_across: str,
    label_up: str,
    threshold: float | None = None,
) -> Markup:
    """Return a stacked histogram, with a line at the `threshold` where that is on the axis.

    `name` is an id that the page has once.
    """
    # as they are written: the cosine of equal strings may be just above 1
    arrays = [as_written(np.asarray(group.values, dtype=float)) for group in groups]
    values = np.concatenate(arrays)
    edges = bin_edges(values)
    counts = np.array([np.histogram(array, edges)[0] for array in arrays])
    across = ticks(float(edges[0]), float(edges[-1]))
    up = [tick for tick in ticks(0, float(counts.sum(axis=0).max())) if tick == int(tick)]
    x, y, parts = _axes(across, up, label_across, label_up)
    below = np.zeros(len(edges) - 1)
    for group, own in zip(groups, counts, strict=True):
        bars = [
            f"M{x(left)} {y(base)}V{y(base + count)}H{x(right)}V{y(base)}z"
            for left, right, base, count in zip(edges, edges[1:], below, own, strict=False)
            if count
        ]
        parts.append(f'<path class="{group.tone}" d="{"".join(bars)}"/>')
        below = below + own
    if threshold is not None and across[0] <= threshold <= across[-1]:
        at, is_left = x(threshold), threshold > (across[0] + across[-1]) / 2
        parts.append(f'<path class="mark" d="M{at} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        style = ' class="end"' if is_left else ""
        text_at = at - 4 if is_left else at + 4
        text = f"threshold {threshold:.4g}"
        parts.append(f'<text{style} x="{text_at}" y="{_TOP + 10}">{text}</text>')
    described = [
        f"{group.label}: {len(array):,}, median {np.median(array):.3g}"
        for group, array in zip(groups, arrays, strict=True)
        if len(array)
    ]
    return svg("chart", _HEIGHT, name, title, "; ".join(described), parts)


def thinned(number: int) -> list[int]:
    """Return rows of so many, at most 200, evenly, with the first and the last."""
    return sorted({round(row) for row in np.linspace(0, number - 1, min(number, _MOST_POINTS))})


class CurvePoint(NamedTuple):
    x: float
    y: float
    low: float
    high: float


def share_curve(
    points: Sequence[CurvePoint], name: str, title: str, label_across: str, label_up: str
) -> Markup:
    """Return a line between shares from 0 to 1 with the band of its intervals.

    With very many points, give those of `thinned`: the line looks the same.
    """
    across = ticks(0, 1)
    up = ticks(min(point.low for point in points), 1.0)
    x, y, parts = _axes(across, up, label_across, label_up)
    line = "L".join(f"{x(point.x)} {y(point.y)}" for point in points)
    upper = "L".join(f"{x(point.x)} {y(point.high)}" for point in points)
    lower = "L".join(f"{x(point.x)} {y(point.low)}" for point in reversed(points))
    parts.append(f'<path class="band" d="M{upper}L{lower}z"/><path class="curve" d="M{line}"/>')
    first, last = points[0], points[-1]
    parts.append(f'<circle class="point" cx="{x(last.x)}" cy="{y(last.y)}" r="3.5"/>')
    description = (
        f"{label_up} {first.y:.3f} at {label_across} {first.x:.3f}, {last.y:.3f} at {last.x:.3f}"
    )
    return svg("chart", _HEIGHT, name, title, description, parts)
