"""Histograms and lines of reports."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from workflow_scripts.reports.charts import (
    CurvePoint,
    Group,
    bin_edges,
    histogram,
    share_curve,
    thinned,
)


def paths(svg, style):
    """Return the path data of a class; the SVG has to be well-formed."""
    return [
        part.get("d")
        for part in ElementTree.fromstring(svg).iter("path")
        if part.get("class") == style
    ]


def bars(svg, style):
    """Return (left, right, bottom, top) of the bars of a class."""
    pattern = r"M([\d.]+) ([\d.]+)V([\d.]+)H([\d.]+)V[\d.]+z"
    found = re.findall(pattern, paths(svg, style)[0])
    return [
        (float(left), float(right), float(bottom), float(top)) for left, bottom, top, right in found
    ]


@pytest.mark.parametrize(
    "values", [[0.1, 0.9], [0.35, 0.999999, 1.0], [-0.5, 2.25], [0.7, 0.7], [5000, 9999]]
)
def test_bins_are_round_and_hold_all_values(values):
    edges = bin_edges(np.array(values))
    assert edges[0] <= min(values) and edges[-1] >= max(values)
    assert len(edges) <= 40
    widths = np.diff(edges)
    assert widths == pytest.approx(widths[0])
    digits = f"{widths[0]:.6e}"
    assert digits[0] in "125" and float(digits.partition("e")[0]) == int(digits[0])
    # no empty bin at either end
    counts = np.histogram(values, edges)[0]
    assert counts[0] and counts[-1] and counts.sum() == len(values)


def test_bars_are_stacked_to_scale():
    right, wrong = [0.1] * 3 + [0.9], [0.1] * 6
    groups = [Group("right", "right", right), Group("wrong", "wrong", wrong)]
    svg = histogram(groups, "h", "Title", "score", "mentions")
    (own, far), (above,) = bars(svg, "right"), bars(svg, "wrong")
    # 3 right ones, then 6 wrong ones on them, at the same place
    assert own[:2] == above[:2] and above[2] == own[3]
    assert (above[2] - above[3]) / (own[2] - own[3]) == pytest.approx(2, rel=0.02)
    assert (far[2] - far[3]) / (own[2] - own[3]) == pytest.approx(1 / 3, rel=0.05)
    assert far[0] > own[1]
    assert "right: 4, median 0.1; wrong: 6, median 0.1" in svg


def test_a_cosine_just_above_1_is_1():
    svg = histogram([Group("hit", "plain", [0.5, 1.0000001])], "h", "T", "cosine", "n")
    assert ">1</text>" in svg and ">1.2</text>" not in svg


def test_a_threshold_is_marked_where_it_is_on_the_axis():
    groups = [Group("hit", "plain", [0.2, 0.8])]
    assert len(paths(histogram(groups, "h", "T", "x", "n", 0.5), "mark")) == 1
    assert paths(histogram(groups, "h", "T", "x", "n", 7.0), "mark") == []


def test_a_curve_and_its_band_are_to_scale():
    points = [CurvePoint(0.2, 1.0, 0.8, 1.0), CurvePoint(1.0, 0.5, 0.4, 0.6)]
    svg = share_curve(points, "c", "T", "coverage", "precision")
    (line,), (band,) = paths(svg, "curve"), paths(svg, "band")
    (x1, y1), (x2, y2) = (map(float, pair) for pair in re.findall(r"([\d.]+) ([\d.]+)", line))
    corners = [(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", band)]
    assert [x for x, _ in corners] == [x1, x2, x2, x1]
    # from 1 to .5, and the band from .4 to .6 around it
    assert (corners[2][1] - corners[1][1]) / (y2 - y1) == pytest.approx(0.2 / 0.5, rel=0.02)
    assert "precision 1.000 at coverage 0.200, 0.500 at 1.000" in svg


@pytest.mark.parametrize("number", [1, 2, 200, 201, 100_000])
def test_many_points_are_thinned_evenly(number):
    rows = thinned(number)
    assert rows[0] == 0 and rows[-1] == number - 1
    assert len(rows) == min(number, 200)
