"""The block of config that describes a figure."""

import json
from typing import Any

import pytest
from made_inputs import outer

from workflow_scripts.errors import UserError
from workflow_scripts.figures.blocks import (
    Bucket,
    Curve,
    NotRun,
    Panel,
    SizePoint,
    parse_figure_block,
)

PART = {"dataset": "d", "metric": "spearman", "scores": ["a.tsv"]}
CURVE = {"id": "a", "label": "A", "scores": ["a.tsv"], "details": ["a.npz"], "departures": []}
POINT = {"id": "n1", "record": "c.json", "parts": [PART]}
PANEL = {"id": "p", "label": "P", "details": ["a.npz"]}
BUCKET = {"id": "b", "label": "B", "corpus": "b.txt", "parts": [PART]}
NONE = {"id": "z", "label": "Z", "not_run": "no data"}
AXES = {"x_label": "x", "y_label": "y"}


def roc(*curves: Any) -> dict[str, Any]:
    return outer("roc", dataset="qnli", curves=[*curves])


def lines(*points: Any) -> dict[str, Any]:
    series = {"id": "s", "label": "S", "points": [*points]}
    return outer("lines", **AXES, series=[series])


def cosines(*panels: Any) -> dict[str, Any]:
    return outer("cosines", dataset="qqp", panels=[*panels])


def buckets(*entries: Any, **changes: Any) -> dict[str, Any]:
    files = {"items": "items.json", "strings": "strings.txt"} | changes
    return outer("buckets", **AXES, dataset="d", **files, buckets=[*entries])


def parse(block: Any) -> Any:
    return parse_figure_block(json.dumps(block)).content


def test_entries_of_each_kind() -> None:
    curve, missing = parse(roc(CURVE | {"group": "g"}, NONE | {"group": "g"})).curves
    assert isinstance(curve, Curve)
    assert (curve.group, curve.details, float(curve.cell.tolerance)) == ("g", ("a.npz",), 0.01)
    assert [(p.dataset, p.metric, p.scores) for p in curve.cell.parts] == [
        ("qnli", "auc", ("a.tsv",))
    ]
    assert missing == NotRun("z", "Z", "no data")
    (series,) = parse(lines(POINT, {"id": "n2", "not_run": "too few"})).series
    assert isinstance(series.points[0], SizePoint)
    assert series.points[1] == NotRun("n2", "S, n2", "too few")
    assert isinstance(parse(cosines(PANEL, NONE)).panels[0], Panel)
    assert isinstance(parse(buckets(BUCKET, NONE)).buckets[0], Bucket)


def test_absent_keys_have_defaults() -> None:
    block = roc(CURVE)
    del block["notes"], block["reference"]
    figure = parse_figure_block(json.dumps(block))
    assert (figure.notes, figure.reference) == ((), None)
    assert figure.content.curves[0].group is None


def test_buckets_that_are_all_not_run_need_no_files() -> None:
    content = parse(buckets(NONE, items=None, strings=None))
    assert (content.items, content.strings) == (None, None)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (roc(CURVE) | {"kind": "rock"}, "figure `figure-roc`: unknown kind 'rock'; did you mean"),
        (roc(CURVE) | {"kind": ["roc"]}, "unknown kind ['roc']"),
        (roc(CURVE) | {"colour": "red"}, "figure `figure-roc`: unknown option 'colour'"),
        (roc(CURVE) | {"panels": []}, "unknown option 'panels'"),
        (roc(CURVE) | {"title": 3}, "option 'title' must be str"),
        (roc(CURVE) | {"notes": [3]}, "figure `figure-roc`, notes: expected strings, found 3"),
        (roc(), "figure `figure-roc`, curves: needs one at least"),
        (roc(CURVE, CURVE), "curves, ids: `a` twice"),
        (roc("a"), "figure `figure-roc`, curve 1: "),
        (roc(CURVE | {"scores": []}), "curve 1, scores: is empty"),
        (roc(CURVE | {"scores": ["a.tsv", "a.tsv"]}), "curve 1, scores: `a.tsv` twice"),
        (roc(CURVE | {"details": ["b.npz"]}), "curve 1: `details` must be the files beside"),
        (roc(CURVE | {"details": ["a.npz", "b.npz"]}), "`details` must be the files beside"),
        (roc(CURVE | {"tolerance": -1}), "curve 1: `tolerance` must be zero or more"),
        (roc(CURVE | {"not_run": "x"}), "curve 1: unknown option"),
        (roc({"id": "a", "label": "A"}), "curve 1: option 'scores' is missing"),
        (lines(), "series 1, points: needs one at least"),
        (lines(POINT, POINT), "points, ids: `n1` twice"),
        (lines(POINT | {"parts": []}), "point 1: `parts` is empty"),
        (lines(POINT | {"parts": [{}]}), "point 1, part 1: option 'dataset' is missing"),
        (lines({"id": "n2", "label": "L", "not_run": "x"}), "point 1: unknown option 'label'"),
        (outer("lines", series=[]), "option 'x_label' is missing"),
        (cosines(PANEL | {"details": "a.npz"}), "panel 1: option 'details' must be list"),
        (buckets(BUCKET | {"corpus": 1}), "bucket 1: option 'corpus' must be str"),
        (buckets(BUCKET, items=None), "figure `figure-buckets`: option 'items' is missing"),
    ],
)
def test_malformed_block_is_one_clear_line(block: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        parse(block)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_no_json_object_is_a_user_error(text: str) -> None:
    with pytest.raises(UserError, match="--block: "):
        parse_figure_block(text)
