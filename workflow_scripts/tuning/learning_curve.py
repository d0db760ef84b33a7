"""The learning curve of a tuning: its measures step by step, and their picture for the card.

Plain SVG, written without a library: it takes a millisecond, where importing one takes as long as
a small tuning, and equal measures give equal bytes.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

# a measure has so many points at most, each the mean of several steps
MOST_POINTS = 120
DEVELOPMENT = "development"
# what a reader wants of a measure, by the last word of its name
_NOTES = {
    "loss": "lower is better",
    "accuracy": "higher is better",
    "alignment": "lower: two versions are closer",
    "uniformity": "lower: spread more evenly",
    DEVELOPMENT: "higher is better; ring: weights kept",
}
_MOST_PANELS = 8
_CAPTION = 22
_WIDTH, _HEIGHT, _COLUMNS = 340, 172, 2
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 56, 44, 30
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#59636e}.name{font-size:14px;font-weight:600;"
    "fill:#1b2026}.end{text-anchor:end}.value{fill:#1b2026}.axis{stroke:#ccd3da;fill:none}.line{stroke:#0b4f9c;"
    "stroke-width:2;fill:none;stroke-linejoin:round}.dot{fill:#0b4f9c}.best{fill:none;"
    "stroke:#8a4500;stroke-width:2}.page{fill:#fff}@media(prefers-color-scheme:dark){"
    "text{fill:#a7b1bb}.name,.value{fill:#e5e9ed}.axis{stroke:#3a434d}.line{stroke:#8fbcf5}"
    ".dot{fill:#8fbcf5}.best{stroke:#f2b36d}.page{fill:#14181c}}"
)


class Point(NamedTuple):
    step: float
    value: float


class LearningCurve:
    """Measures of the steps so far, as sums over `width` steps in a row; scores one by one.

    `sums` is plain lists, which the state of a run keeps: {measure: [[first step, sum, number]]}.
    """

    def __init__(self, steps: int, sums: dict[str, list[list[float]]]) -> None:
        self.width = max(math.ceil(steps / MOST_POINTS), 1)
        self.sums = sums

    def add(self, step: int, measures: Mapping[str, float]) -> None:
        """Add the measures of a step; steps come in their order."""
        for name, value in measures.items():
            first = step if name == DEVELOPMENT else step - (step - 1) % self.width
            bins = self.sums.setdefault(name, [])
            if not bins or bins[-1][0] != first:
                bins.append([first, 0.0, 0])
            bins[-1][1] += value
            bins[-1][2] += 1

    def points(self, untuned: float | None = None) -> dict[str, list[Point]]:
        """Return the points of each measure; of the development score also the one before."""
        points = {
            name: [Point(first + (number - 1) / 2, total / number) for first, total, number in bins]
            for name, bins in self.sums.items()
        }
        if untuned is not None:
            points[DEVELOPMENT] = [Point(0, untuned), *points.get(DEVELOPMENT, [])]
        return points


def draw_curve(
    points: Mapping[str, Sequence[Point]], steps: int, width: int = 1, best_step: int | None = None
) -> str:
    """Return an SVG with a panel for each measure; a ring marks the best development score.

    `points` have `width` steps each, of `steps` in all.
    """
    # the loss and what it is for come first
    names = sorted(points, key=lambda name: (name != "loss", name != DEVELOPMENT))[:_MOST_PANELS]
    panels = [
        _panel(name, points[name], steps, best_step, number) for number, name in enumerate(names)
    ]
    caption = f"Each point is the mean of {width:,} steps." if width > 1 else ""
    across, down = min(len(names), _COLUMNS), math.ceil(len(names) / _COLUMNS)
    size = across * _WIDTH, down * _HEIGHT + (_CAPTION if caption else 0)
    texts = [
        f"{name}: {_number(points[name][0].value)} at first, "
        f"{_number(points[name][-1].value)} at the end"
        for name in names
    ]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
        f'viewBox="0 0 {size[0]} {size[1]}" role="img" aria-labelledby="title text">',
        f'<title id="title">Learning curve, {steps:,} steps</title>',
        f'<desc id="text">{escape("; ".join(texts))}</desc>',
        f"<style>{_STYLE}</style>",
        '<rect class="page" width="100%" height="100%"/>',
        *panels,
        *([f'<text x="{_LEFT}" y="{size[1] - 6}">{caption}</text>'] if caption else []),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.3g}"


def _thinned(points: Sequence[Point], kept: int | None) -> list[Point]:
    """Return every n-th point and the last, and that of the step that is marked."""
    shown = {*points[:: math.ceil(len(points) / MOST_POINTS)], points[-1]}
    return [point for point in points if point in shown or point.step == kept]


def _panel(
    name: str, all_points: Sequence[Point], steps: int, best_step: int | None, number: int
) -> str:
    """Return the group of one measure: name, axis with the extremes, line and last value."""
    low, high = (choose(point.value for point in all_points) for choose in (min, max))
    points = _thinned(all_points, best_step)
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT

    def place(point: Point) -> tuple[float, float]:
        x = _LEFT + (right - _LEFT) * point.step / steps
        y = bottom - (bottom - _TOP) * (point.value - low) / ((high - low) or 1.0)
        return round(x, 1), round(y, 1)

    line = " ".join(f"{x:g},{y:g}" for x, y in map(place, points))
    end_x, end_y = place(points[-1])
    end = f'x="{end_x + 8:g}" y="{end_y + 4:g}"'
    parts = [
        f'<g transform="translate({number % _COLUMNS * _WIDTH} {number // _COLUMNS * _HEIGHT})">',
        f'<text class="name" x="{_LEFT}" y="17">{escape(name.replace("_", " "))}</text>',
        f'<text x="{_LEFT}" y="33">{_NOTES.get(name.rpartition("_")[2], "")}</text>',
        f'<path class="axis" d="M{_LEFT} {_TOP - 4}V{bottom}H{right}"/>',
        f'<polyline class="line" points="{line}"/>',
        f'<circle class="dot" cx="{end_x:g}" cy="{end_y:g}" r="3.5"/>',
        f'<text class="value" {end}>{_number(points[-1].value)}</text>',
        *_range_texts(low, high, bottom),
        f'<text x="{_LEFT}" y="{bottom + 16}">0</text>',
        f'<text class="end" x="{right}" y="{bottom + 16}">step {steps:,}</text>',
    ]
    for x, y in (place(point) for point in points if name == DEVELOPMENT):
        parts.append(f'<circle class="dot" cx="{x:g}" cy="{y:g}" r="2.5"/>')
    for x, y in (place(p) for p in points if name == DEVELOPMENT and p.step == best_step):
        parts.append(
            f'<circle class="best" cx="{x:g}" cy="{y:g}" r="7"><title>best</title></circle>'
        )
    return "\n".join([*parts, "</g>"])


def _range_texts(low: float, high: float, bottom: int) -> list[str]:
    ends = [(low, bottom)] if low == high else [(low, bottom), (high, _TOP + 4)]
    return [
        f'<text class="end" x="{_LEFT - 6}" y="{y}">{_number(value)}</text>' for value, y in ends
    ]
