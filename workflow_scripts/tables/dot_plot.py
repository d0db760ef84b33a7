"""A dot plot as inline SVG: one line for each change of a score, from before to after.

Colours and sizes of text are those of classes in templates/page.css, so that a plot follows its
page into the dark and onto paper. It is drawn for a width of 340 pixels, that of a small phone, and
grows with its place.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

WIDTH = 340
# room for half of a number at both ends of the axis
_MARGIN = 16
# heights: of the texts of a line, of its drawing with and without a reference, of the axis
_TEXT, _DRAWING, _REFERENCE, _AXIS = 16, 20, 11, 22
# of texts that fit side by side
_CHARACTERS = 50
_MOST_TICKS = 6
# of the head of an arrow
_HEAD = 5

# what a change is: also classes of page.css
BETTER, WORSE, UNCLEAR = "better", "worse", "unclear"


class Change(NamedTuple):
    """A line of the plot: `label` on the left and `numbers` on the right, above the drawing.

    `low` and `high` are the ends of the bar through the point after the change. `reference` is
    another change (before, after) that is drawn below in grey, for orientation.
    """

    label: str
    numbers: str
    before: float
    after: float
    low: float | None = None
    high: float | None = None
    tone: str = UNCLEAR
    reference: tuple[float, float] | None = None

    @property
    def values(self) -> list[float]:
        """All that the axis has to hold."""
        shown = (self.before, self.after, self.low, self.high, *(self.reference or ()))
        return [value for value in shown if value is not None]


def ticks(low: float, high: float) -> list[float]:
    """Return the multiples of 1, 2 or 5 times a power of ten around a range, at most six."""
    span = high - low
    power = 10.0 ** math.floor(math.log10(span / _MOST_TICKS)) if span > 0 else 1.0
    for step in (power * factor for factor in (1, 2, 5, 10, 20)):
        first, last = math.floor(low / step), math.ceil(high / step)
        if last == first:
            last += 1
        if last - first < _MOST_TICKS:
            break
    return [round(number * step, 10) for number in range(first, last + 1)]


def dot_plot(changes: Sequence[Change], name: str, title: str, description: str) -> Markup:
    """Return the SVG of changes on one axis; `name` is an id that the page has once.

    `title` and `description` are read out instead of the drawing.
    """
    values = [value for change in changes for value in change.values]
    marks = ticks(min(values), max(values))
    scale = (WIDTH - 2 * _MARGIN) / (marks[-1] - marks[0])

    def x(value: float) -> float:
        return round(_MARGIN + scale * (value - marks[0]), 1)

    texts, bottom = [], 0
    for change in changes:
        drawn, height = _line(change, bottom, x)
        texts += drawn
        bottom += height
    grid = []
    for mark in marks:
        grid.append(f'<path class="grid" d="M{x(mark)} 0V{bottom + 3}"/>')
        grid.append(f'<text class="tick" x="{x(mark)}" y="{bottom + 15}">{mark:g}</text>')
    return svg("dots", bottom + _AXIS, name, title, description, [*grid, *texts])


def svg(
    kind: str, height: int, name: str, title: str, description: str, parts: Iterable[str]
) -> Markup:
    """Return a drawing of elements; `kind` is a class, the rest is as in `dot_plot`."""
    return Markup(
        f'<svg class="{kind}" role="img" viewBox="0 0 {WIDTH} {height}" '
        f'aria-labelledby="{name}-title {name}-text">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-text">{escape(description)}</desc>{"".join(parts)}</svg>'
    )


def _line(change: Change, top: int, x: Callable[[float], float]) -> tuple[list[str], int]:
    """Return the elements of a line below `top`, and its height."""
    is_long = len(change.label) + len(change.numbers) > _CHARACTERS
    text_line = top + 13
    parts = [f'<text class="label" x="0" y="{text_line}">{escape(change.label)}</text>']
    text_line += _TEXT if is_long else 0
    parts.append(f'<text class="value" x="{WIDTH}" y="{text_line}">{escape(change.numbers)}</text>')
    middle = text_line + 13
    before, after = x(change.before), x(change.after)
    if change.reference is not None:
        start, end = map(x, change.reference)
        parts.append(_arrow("paper", start, end, middle + 11))
    parts.append(f'<g class="{change.tone}">')
    if change.low is not None and change.high is not None:
        low, high = x(change.low), x(change.high)
        bar = f"M{low} {middle}H{high}M{low} {middle - 4}v8M{high} {middle - 4}v8"
        parts.append(f'<path class="bar" d="{bar}"/>')
    parts.append(f'<path class="way" d="M{before} {middle}H{after}"/>')
    parts.append(f'<circle class="before" cx="{before}" cy="{middle}" r="4.5"/>')
    parts.append(f'<circle class="after" cx="{after}" cy="{middle}" r="4.5"/></g>')
    height = middle + _DRAWING // 2 - top + (_REFERENCE if change.reference else 0)
    return parts, height


def _arrow(style: str, start: float, end: float, y: int) -> str:
    back = math.copysign(_HEAD, start - end)
    head = f"M{end + back:.1f} {y - 3}L{end} {y}L{end + back:.1f} {y + 3}" if start != end else ""
    return f'<path class="{style}" d="M{start} {y - 3}v6M{start} {y}H{end}{head}"/>'
