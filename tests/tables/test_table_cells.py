"""Means, deviations, averages, differences and places, worked out by hand."""

import math
import statistics
from decimal import Decimal

import pytest
from result_files import cell, make_score, part

from workflow_scripts.errors import UserError
from workflow_scripts.tables import cells as shown
from workflow_scripts.tables.filling import Sample, fill_table, samples
from workflow_scripts.tables.numbers import rounded
from workflow_scripts.tables.table import Table

NOT_RUN = {"not_run": "no data"}
# (data set, value, seed) by file; the sets move against each other
OPPOSED = {"s1": [("set-a", 0.1, 1), ("set-b", 0.9, 1)]}
OPPOSED |= {"s2": [("set-a", 0.8, 2), ("set-b", 0.4, 2)]}


def run(name, *paths, **changes):
    """Return a cell of one part, dataset set-{name}."""
    return cell(part(f"set-{name}", *paths), **changes)


def score(name, value, seed=33, more=None):
    return make_score(name, value, seed, **({"n": 10} | (more or {})))


def fill(rows, scores, published=None, against=None, column=None, **changes):
    """Return a filled table of the cells of each row by column, with an average."""
    columns = [{"id": c, "label": c} | (column or {}) for c in next(iter(rows.values()))]
    against = against or {}
    listed = [
        {"id": name, "label": name, "cells": cells, "against": against.get(name)}
        for name, cells in rows.items()
    ]
    block = {"id": "t", "average": True, "columns": columns, "rows": listed} | changes
    found = {path: [score(*one) for one in of_path] for path, of_path in scores.items()}
    printed = {place: Decimal(value) for place, value in (published or {}).items()}
    return fill_table(Table.of(block), found, printed)


def against_of(cell):
    return cell.against, cell.against_difference


def test_mean_and_sample_deviation_over_seeds():
    # squares of -.3, -.1, .4 sum to .26, over n - 1 = 2
    expected = pytest.approx((0.5, math.sqrt(0.13)))
    assert shown.mean_and_deviation([0.2, 0.4, 0.9]) == expected
    assert shown.mean_and_deviation([0.25]) == (0.25, None)


def test_a_column_of_deviations_has_that_over_seeds_as_its_value():
    rows = {"x": {"a": run("a", "s1", "s2")}, "y": {"a": run("a", "s1")}}
    spread, against = {"statistic": "deviation"}, {"x": "y"}
    known = {"published": {("x", "a"): "50"}, "against": against, "column": spread}
    cells = fill(rows, OPPOSED, **known, average=False, percent=True).cells
    found = cells["x", "a"]
    # of .1 and .8, times 100
    assert found.mean == pytest.approx(100 * statistics.stdev([0.1, 0.8]))
    assert found.sd is None and found.seeds == 2
    assert found.difference == rounded(found.mean) - 50 and found.status == shown.INSIDE
    # spreads are not ranked, nor rows compared by them
    assert found.rank is None and found.against == ""
    assert cells["y", "a"].mean is None
    assert cells["y", "a"].reasons == ("a single seed has no deviation",)


def test_averages_and_parts_are_taken_per_seed_before_the_deviation():
    both = cell(part("set-a", "s1", "s2"), part("set-b", "s2", "s1"))
    rows = {"x": {c: run(c, "s1", "s2") for c in "ab"}}
    average = fill(rows, OPPOSED).cells["x", "avg"]
    for found in (average, fill({"x": {"ab": both}}, OPPOSED).cells["x", "ab"]):
        assert found.mean == pytest.approx(0.55)
        assert found.sd == pytest.approx(statistics.stdev([0.5, 0.6]))
        assert found.seeds == 2


def test_average_joins_seeds_by_number_and_not_by_order():
    values = {"a1": ("set-a", 0.0, 1), "a2": ("set-a", 1.0, 2)}
    values |= {"b1": ("set-b", 1.0, 1), "b2": ("set-b", 0.0, 2)}
    row = {"a": run("a", "a1", "a2"), "b": run("b", "b2", "b1")}
    table = fill({"x": row}, {path: [one] for path, one in values.items()})
    assert table.cells["x", "avg"].sd == 0


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"a": run("a", "s"), "b": NOT_RUN}, "averages are over whole rows only"),
        ({"a": NOT_RUN, "b": NOT_RUN}, "no data"),
        ({"a": run("a", "s"), "b": run("b", "other")}, "averages need the same seeds in all"),
    ],
)
def test_row_without_an_average_says_why(row, reason):
    cells = fill({"x": row}, {"s": [("set-a", 0.5, 1)], "other": [("set-b", 0.5, 2)]}).cells
    assert cells["x", "avg"].mean is None
    assert reason in cells["x", "avg"].reasons[0]
    assert cells["x", "a"].mean == (0.5 if "parts" in row["a"] else None)


def test_difference_is_ours_as_shown_minus_the_papers_and_only_without_differences():
    scores, published = {"s": [("set-a", 0.5004)]}, {("x", "a"): "0.527", ("x", "avg"): "0.400"}
    cells = fill({"x": {"a": run("a", "s")}}, scores, published).cells
    assert cells["x", "a"].difference == Decimal("-0.027")
    assert cells["x", "avg"].difference == Decimal("0.100")
    departing = {"a": run("a", "s", differences_from_paper=("other data",))}
    for found in fill({"x": departing}, scores, published).cells.values():
        assert (found.difference, found.status) == (None, shown.NOT_COMPARABLE)
        assert found.published is not None


def test_percent_scales_scores_and_tolerance_and_leaves_published_values():
    rows = {"x": {"a": run("a", "s", tolerance=0.01)}, "y": {"a": run("a", "t")}}
    scores = {"s": [("set-a", 0.5813, 1)], "t": [("set-a", 0.5, 1)]}
    changes = {"percent": True, "column": {"digits": 2}, "against": {"x": "y"}}
    cells = fill(rows, scores, {("x", "a"): "58.20", ("x", "avg"): "60.00"}, **changes).cells
    assert cells["x", "a"].mean == cells["x", "avg"].mean == pytest.approx(58.13)
    assert (cells["x", "a"].difference, cells["x", "a"].tolerance) == (Decimal("-0.07"), 1)
    assert against_of(cells["x", "a"]) == ("y", Decimal("8.13"))
    assert cells["x", "a"].status == shown.INSIDE and cells["x", "avg"].status == shown.OUTSIDE


@pytest.mark.parametrize(
    ("value", "is_inside"),
    [(0.5170, True), (0.5166, True), (0.5164, False), (0.537, True), (0.538, False)],
)
def test_tolerance_holds_for_values_as_shown_and_its_bound_is_inside(value, is_inside):
    row = {"a": run("a", "s", tolerance=0.01), "b": NOT_RUN, "c": run("a", "s")}
    table = fill({"x": row}, {"s": [("set-a", value)]}, {("x", "a"): "0.527", ("x", "b"): "0.5"})
    assert table.cells["x", "a"].status == (shown.INSIDE if is_inside else shown.OUTSIDE)
    assert table.cells["x", "b"].status == shown.NOT_RUN
    assert table.cells["x", "c"].status == shown.NO_PUBLISHED


def test_average_departs_in_all_that_its_columns_do_within_their_mean_tolerance():
    row = {
        "a": run(
            "a", "s", differences_from_paper=("model", "data"), tolerance=0.01, assumptions=("x",)
        ),
        "b": run(
            "b",
            "s",
            differences_from_paper=("data", "recipe"),
            tolerance=0.03,
            assumptions=("y", "x"),
        ),
    }
    average = fill({"x": row}, {"s": [("set-a", 0.5), ("set-b", 0.5)]}).cells["x", "avg"]
    assert average.reasons == ("model", "data", "recipe")
    assert average.assumptions == ("x", "y")
    assert average.tolerance == Decimal("0.02")


def test_average_over_other_columns_than_the_paper_s_is_not_compared():
    row = {"x": {"a": run("a", "s"), "b": run("a", "s")}}
    published = {("x", column): "0.5" for column in ("a", "b", "c", "avg", "change")}
    scores = {"s": [("set-a", 0.5)]}
    cells = fill(row, scores, published).cells
    assert cells["x", "a"].status == shown.INSIDE
    assert cells["x", "avg"].reasons == ("the average lacks 1 of the paper's 3 columns",)
    assert cells["x", "avg"].status == shown.NOT_COMPARABLE
    del published["x", "c"]
    assert fill(row, scores, published).cells["x", "avg"].status == shown.INSIDE
    del published["x", "b"]
    cells = fill(row, scores, published).cells
    assert cells["x", "avg"].reasons == ("the average has columns beside the paper's: b",)


def test_difference_to_another_row_is_of_the_means_as_shown():
    rows = {"x": {"a": run("a", "s")}, "y": {"a": run("a", "t")}, "z": {"a": NOT_RUN}}
    scores = {"s": [("set-a", 0.50049)], "t": [("set-a", 0.40051)]}
    cells = fill(rows, scores, against={"x": "y", "y": "z", "z": "x"}).cells
    for column in ("a", "avg"):
        assert against_of(cells["x", column]) == ("y", Decimal("0.099"))
    # nothing to stand against, and nothing that stands
    assert against_of(cells["y", "a"]) == against_of(cells["z", "a"]) == ("", None)


@pytest.mark.parametrize(
    ("values", "column", "places"),
    [
        # as shown, and equal ones share
        ({"w": 0.7541, "x": 0.7539, "y": 0.764, "z": 0.1}, {}, {"w": 2, "x": 2, "y": 1}),
        ({"x": 13.8, "y": 2.1, "z": 7.8}, {"lower_is_better": True, "digits": 2}, {"y": 1, "z": 2}),
        # nothing is better than nothing, or than an equal
        ({"x": 0.5, "y": None}, {}, {}),
        ({"x": 0.0, "y": 0.0}, {}, {}),
    ],
)
def test_places_of_a_column(values, column, places):
    scores = {name: [("set-a", value)] for name, value in values.items() if value is not None}
    rows = {name: {"a": run("a", name) if name in scores else NOT_RUN} for name in values}
    cells = fill(rows, scores, column=column).cells
    assert {name: cells[name, "a"].rank for name in values} == dict.fromkeys(values) | places


def test_samples_share_a_line_where_rows_agree_and_name_them_where_not():
    less = {"n": 7, "coverage": 0.5, "dropped": {"empty": 3}}
    scores = {
        "s": [("set-a", 0.5), ("set-b", 0.5, 33, less)],
        "t": [("set-a", 0.4), ("set-b", 0.5, 33, {"n": 8})],
    }
    rows = {name: {c: run(c, path) for c in "ab"} for name, path in (("x", "s"), ("y", "t"))}
    assert samples(fill(rows, scores)) == (
        Sample("set-a", 10, 1.0, {}),
        Sample("set-b", 7, 0.5, {"empty": 3}, ("x",)),
        Sample("set-b", 8, 1.0, {}, ("y",)),
    )


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([("other", 0.5)], "s1: no rows with dataset `set-a` and metric `spearman`"),
        ([("set-a", 0.5, 1, {"metric": "auc"})], "s1: no rows with dataset `set-a`"),
        ([("set-a", 0.5)] * 2, "s1: 2 rows with dataset `set-a`"),
    ],
)
def test_missing_and_double_scores_name_file_and_dataset(scores, message):
    with pytest.raises(UserError, match=message):
        fill({"x": {"a": run("a", "s1", "s2")}}, {"s1": scores})


def changes(differences_from_paper=()):
    rows = {"whole": {"a": run("a", "s", differences_from_paper=differences_from_paper)}}
    rows |= {"without": {"a": run("a", "t")}, "lost": {"a": NOT_RUN}}
    published = {("without", "change"): "-0.036", ("lost", "change"): "-0.071"}
    scores = {"s": [("set-a", 0.753)], "t": [("set-a", 0.7174)]}
    against = {"without": "whole", "lost": "whole"}
    return fill(rows, scores, published, against, average=False, change_of="a")


def test_changes_between_rows_synthetic_files_a_column_beside_the_paper_s():
    table = changes()
    change = table.cells["without", "change"]
    # .717 as shown less .753 as shown
    assert rounded(change.mean) == change.published == Decimal("-0.036")
    assert (change.difference, change.status) == (0, "inside")
    assert table.cells["whole", "change"].reasons[0] == "the row that others are compared with"
    lost = table.cells["lost", "change"]
    assert (lost.status, lost.published) == ("not-run", Decimal("-0.071"))
    assert "was not run" in lost.reasons[0]
    assert not table.unplaced
    assert [column.id for column in table.shown_columns] == ["a", "change"]


def test_a_change_departs_from_the_paper_where_either_row_does():
    change = changes(differences_from_paper=("another model",)).cells["without", "change"]
    assert (change.status, change.reasons) == ("not-comparable", ("another model",))


@pytest.mark.parametrize(
    ("files", "parts", "message"),
    [
        # the file of one seed instead of another's
        ({"s1": [("set-a", 0.1, 1)], "s2": [("set-a", 0.1, 1)]}, ["a"], "s2: seed 1, as s1 has"),
        (
            {"s1": [("set-a", 0.1, 1)], "s2": [("set-a", 0.1, 2, {"model": "other"})]},
            ["a"],
            "s2: scores of other/r/c, but s1 has those of m/r/c",
        ),
    ],
)
def test_the_files_of_a_cell_are_of_one_encoder_and_of_different_seeds(files, parts, message):
    with pytest.raises(UserError, match=message):
        fill({"x": {name: run(name, *files) for name in parts}}, files)


def test_the_parts_of_a_cell_have_the_same_seeds():
    both = cell(part("set-a", "s1"), part("set-b", "s1", "s2"))
    with pytest.raises(UserError, match=r"set-b.* of seeds 1, 2, but set-a of 1"):
        fill({"x": {"a": both}}, OPPOSED)
