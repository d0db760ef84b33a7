"""Dot plots: where points, bars and arrows are, and what is read out instead of them."""

import math
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.tables.dot_plot import BETTER, WIDTH, Change, dot_plot, ticks

CHANGE = Change("BERT <mp>", "60 → 80, n = 9", 60, 80, 70, 90, BETTER, (40, 50))


def elements(svg: str, style: str) -> list[dict[str, str]]:
    tree = ElementTree.fromstring(svg)
    return [dict(node.attrib) for node in tree.iter() if node.get("class") == style]


def texts(svg: str, style: str) -> list[str]:
    tree = ElementTree.fromstring(svg)
    return [node.text or "" for node in tree.iter() if node.get("class") == style]


def test_points_stand_where_the_axis_says():
    svg = dot_plot([CHANGE], "p", "t", "d")
    marks = [float(text) for text in texts(svg, "tick")]
    places = [float(node["x"]) for node in elements(svg, "tick")]
    scale = (places[-1] - places[0]) / (marks[-1] - marks[0])
    for style, value in (("before", 60), ("after", 80)):
        (point,) = elements(svg, style)
        assert float(point["cx"]) == pytest.approx(places[0] + scale * (value - marks[0]), abs=0.11)
    (bar,) = elements(svg, "bar")
    low, high = (round(places[0] + scale * (end - marks[0]), 1) for end in (70, 90))
    assert bar["d"].startswith(f"M{low} ") and f"H{high}M" in bar["d"]
    assert places[0] > 0 and places[-1] < WIDTH


def test_every_line_has_its_own_place_below_the_last():
    short, long = CHANGE._replace(reference=None), CHANGE._replace(label="a long label " * 4)
    svg = dot_plot([short, long, CHANGE], "p", "t", "d")
    heights = [float(node["cy"]) for node in elements(svg, "after")]
    assert [round(b - a) for a, b in pairwise(heights)] == [52, 47]
    assert len(elements(svg, "paper")) == 2
    box = ElementTree.fromstring(svg).get("viewBox").split()
    assert heights[-1] < float(box[-1])


def test_texts_stay_texts_and_are_read_out():
    svg = dot_plot([CHANGE], "p", "a & b", "<desc>")
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img" and root.get("aria-labelledby") == "p-title p-text"
    assert {node.get("id"): node.text for node in root if node.get("id")} == {
        "p-title": "a & b",
        "p-text": "<desc>",
    }
    assert texts(svg, "label") == ["BERT <mp>"]


def test_a_change_without_interval_has_no_bar():
    svg = dot_plot([Change("a", "b", 1, 1)], "p", "t", "d")
    assert elements(svg, "bar") == [] and elements(svg, "paper") == []


NUMBERS = st.floats(-1e4, 1e4).map(lambda value: round(value, 3))


@given(NUMBERS, NUMBERS)
def test_ticks_hold_the_range_in_equal_steps_of_round_numbers(one, other):
    low, high = min(one, other), max(one, other)
    marks = ticks(low, high)
    assert marks[0] <= low <= high <= marks[-1] and 2 <= len(marks) <= 6
    steps = [after - before for before, after in pairwise(marks)]
    assert steps == pytest.approx([steps[0]] * len(steps), rel=1e-6)
    assert round(steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9), 6) in (1, 2, 5)
