"""The learning curve of a tuning: its points, and the picture next to the card."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from workflow_scripts.tuning.learning_curve import MOST_POINTS, LearningCurve, Point, draw_curve

SVG = "{http://www.w3.org/2000/svg}"


def curve_of(losses):
    curve = LearningCurve(len(losses), {})
    for step, loss in enumerate(losses, start=1):
        curve.add(step, {"loss": loss})
    return curve


def elements(svg, tag, style=None):
    """Return the elements of a tag and a class of an SVG, which has to be well-formed."""
    found = ElementTree.fromstring(svg).iter(SVG + tag)
    return [part for part in found if style is None or part.get("class") == style]


def test_points_are_steps_and_of_a_long_run_means_of_steps_in_a_row():
    points = curve_of([3.0, 2.0, 1.5]).points()
    assert points == {"loss": [Point(1, 3.0), Point(2, 2.0), Point(3, 1.5)]}
    # 250 steps: 84 points of three steps each, the last of one
    losses = [float(step % 7) for step in range(1, 251)]
    points = curve_of(losses).points()["loss"]
    assert len(points) == 84 <= MOST_POINTS
    assert points[0] == Point(2, (1 + 2 + 3) / 3)
    assert points[1] == Point(5, (4 + 5 + 6) / 3)
    assert points[-1] == Point(250, 250 % 7)


def test_development_scores_stay_by_themselves_and_begin_with_the_untuned_one():
    curve = LearningCurve(250, {})
    for step in range(1, 251):
        curve.add(step, {"loss": 1.0} | ({"development": step / 1000} if step % 100 == 0 else {}))
    assert curve.points(0.05)["development"] == [Point(0, 0.05), Point(100, 0.1), Point(200, 0.2)]


def test_an_interrupted_run_goes_on_to_the_same_curve():
    losses = [1 / step for step in range(1, 401)]
    whole = curve_of(losses)
    first = LearningCurve(400, {})
    for step in range(1, 203):
        first.add(step, {"loss": losses[step - 1]})
    # as the state of a run keeps it
    second = LearningCurve(400, json.loads(json.dumps(first.sums)))
    for step in range(203, 401):
        second.add(step, {"loss": losses[step - 1]})
    assert second.points() == whole.points()
    pictures = [draw_curve(curve.points(), 400, curve.width) for curve in (whole, second)]
    assert pictures[0] == pictures[1]


def test_lines_are_to_scale():
    svg = draw_curve({"loss": [Point(1, 4.0), Point(2, 1.0), Point(4, 2.0)]}, 4)
    (line,) = elements(svg, "polyline")
    (x1, y1), (x2, y2), (x4, y4) = (map(float, p.split(",")) for p in line.get("points").split())
    assert (x4 - x1) / (x2 - x1) == pytest.approx(3, abs=0.01)
    # from 4 down to 1, and a third of the way up again
    assert (y4 - y2) / (y1 - y2) == pytest.approx(1 / 3, abs=0.01)
    assert y1 < y4 < y2


def test_the_picture_names_each_measure_with_its_last_value_and_marks_the_best_score():
    scores = [Point(0, 0.4), Point(10, 0.61), Point(20, 0.58)]
    points = {"loss": [Point(1, 2.0), Point(20, 0.5)], "masked_loss": [Point(1, 3.0)]}
    svg = draw_curve(points | {"development": scores}, 20, best_step=10)
    names = [part.text for part in elements(svg, "text", "name")]
    assert names == ["loss", "development", "masked loss"]
    assert [part.text for part in elements(svg, "text", "value")] == ["0.5", "0.58", "3"]
    (ring,) = elements(svg, "circle", "best")
    dots = [(part.get("cx"), part.get("cy")) for part in elements(svg, "circle", "dot")]
    assert (ring.get("cx"), ring.get("cy")) in dots
    assert "loss: 2 at first, 0.5 at the end" in elements(svg, "desc")[0].text


def test_equal_values_names_with_marks_and_many_scores_make_a_picture_all_the_same():
    scores = [Point(step, 0.5) for step in range(5000)]
    svg = draw_curve({"loss": [Point(1, 1.0)], "a<b": [Point(1, 0)], "development": scores}, 5000)
    assert [part.text for part in elements(svg, "text", "name")] == ["loss", "development", "a<b"]
    assert len(svg) < 20_000
