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

# scores by file; the sets move against each other
OPPOSED = {
    "s1": [make_score("set-a", 0.1, 1), make_score("set-b", 0.9, 1)],
    "s2": [make_score("set-a", 0.8, 2), make_score("set-b", 0.4, 2)],
}


def run(name, *paths, **told):
    """Return a cell of one part, dataset set-{name}."""
    return cell(part(f"set-{name}", *paths), **told)


def fill(rows, published=None, against=None, column=None, told=None, scores=None, **changes):
    """Return a filled table, with an average, of the cells of each row by column.

    A cell is its block, a reason why it is not run, or its value, by seed where it has several:
    then its data set is set-{column}, and `told` what its block says more by (row, column).
    """
    scores, listed = dict(scores or {}), []
    for row, cells in rows.items():
        blocks = {}
        for name, content in cells.items():
            if isinstance(content, str):
                content = {"not_run": content}
            elif not isinstance(content, dict) or "parts" not in content:
                values = content if isinstance(content, dict) else {33: content}
                files = {f"{row}/{name}/{seed}": (seed, value) for seed, value in values.items()}
                for path, (seed, value) in files.items():
                    scores[path] = [make_score(f"set-{name}", value, seed)]
                content = run(name, *files, **(told or {}).get((row, name), {}))
            blocks[name] = content
        listed.append(
            {"id": row, "label": row, "cells": blocks, "against": (against or {}).get(row)}
        )
    columns = [{"id": name, "label": name} | (column or {}) for name in next(iter(rows.values()))]
    block = {"id": "t", "average": True, "columns": columns, "rows": listed} | changes
    printed = {key: Decimal(value) for key, value in (published or {}).items()}
    return fill_table(Table.of(block), scores, printed)


def against_of(cell):
    return cell.against, cell.against_difference


def test_mean_and_sample_deviation_over_seeds():
    # squares of -.3, -.1, .4 sum to .26, over n - 1 = 2
    expected = pytest.approx((0.5, math.sqrt(0.13)))
    assert shown.mean_and_deviation([0.2, 0.4, 0.9]) == expected
    assert shown.mean_and_deviation([0.25]) == (0.25, None)


def test_a_column_of_deviations_has_that_over_seeds_as_its_value():
    rows = {"x": {"a": {1: 0.1, 2: 0.8}}, "y": {"a": 0.1}}
    known = {"column": {"statistic": "deviation"}, "against": {"x": "y"}, "percent": True}
    cells = fill(rows, {("x", "a"): "50"}, **known, average=False).cells
    spread = cells["x", "a"]
    assert spread.mean == pytest.approx(100 * statistics.stdev([0.1, 0.8]))
    assert spread.sd is None and spread.seeds == 2
    assert spread.difference == rounded(spread.mean) - 50 and spread.status == shown.INSIDE
    # spreads are not ranked, nor rows compared by them
    assert spread.rank is None and spread.against == ""
    single = cells["y", "a"]
    assert (single.mean, single.reasons) == (None, ("a single seed has no deviation",))


def test_averages_and_parts_are_taken_per_seed_before_the_deviation():
    both = cell(part("set-a", "s1", "s2"), part("set-b", "s2", "s1"))
    rows = {"x": {name: run(name, "s1", "s2") for name in "ab"}}
    average = fill(rows, scores=OPPOSED).cells["x", "avg"]
    for mean in (average, fill({"x": {"ab": both}}, scores=OPPOSED).cells["x", "ab"]):
        assert mean.mean == pytest.approx(0.55)
        assert mean.sd == pytest.approx(statistics.stdev([0.5, 0.6]))
        assert mean.seeds == 2 and mean.values == pytest.approx({1: 0.5, 2: 0.6})


def test_average_joins_seeds_by_number_and_not_by_order():
    table = fill({"x": {"a": {1: 0.0, 2: 1.0}, "b": {2: 0.0, 1: 1.0}}})
    assert table.cells["x", "avg"].sd == 0


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"a": 0.5, "b": "no data"}, "averages need complete rows"),
        ({"a": "no data", "b": "no money"}, "averages need complete rows"),
        ({"a": "no data", "b": "no data"}, "no data"),
        ({"a": 0.5, "b": {2: 0.5}}, "averages need the same seeds in all columns"),
    ],
)
def test_row_without_an_average_says_why(row, reason):
    cells = fill({"x": row}).cells
    assert (cells["x", "avg"].mean, cells["x", "avg"].reasons) == (None, (reason,))
    assert cells["x", "a"].mean == (None if isinstance(row["a"], str) else 0.5)


def test_difference_is_ours_as_shown_minus_the_papers_and_only_without_differences():
    rows, published = {"x": {"a": 0.5004}}, {("x", "a"): "0.527", ("x", "avg"): "0.400"}
    cells = fill(rows, published).cells
    assert cells["x", "a"].difference == Decimal("-0.027")
    assert cells["x", "avg"].difference == Decimal("0.100")
    told = {("x", "a"): {"differences_from_paper": ("other data",)}}
    for departing in fill(rows, published, told=told).cells.values():
        assert (departing.difference, departing.status) == (None, shown.NOT_COMPARABLE)
        assert departing.published is not None


def test_percent_scales_scores_and_tolerance_and_leaves_published_values():
    changes = {"percent": True, "column": {"digits": 2}, "against": {"x": "y"}}
    published = {("x", "a"): "58.20", ("x", "avg"): "60.00"}
    cells = fill({"x": {"a": 0.5813}, "y": {"a": 0.5}}, published, **changes).cells
    assert cells["x", "a"].mean == cells["x", "avg"].mean == pytest.approx(58.13)
    assert (cells["x", "a"].difference, cells["x", "a"].tolerance) == (Decimal("-0.07"), 1)
    assert against_of(cells["x", "a"]) == ("y", Decimal("8.13"))
    assert cells["x", "a"].status == shown.INSIDE and cells["x", "avg"].status == shown.OUTSIDE


@pytest.mark.parametrize(
    ("value", "status"),
    [
        *((value, shown.INSIDE) for value in (0.5170, 0.5166, 0.537)),
        *((value, shown.OUTSIDE) for value in (0.5164, 0.538)),
    ],
)
def test_tolerance_holds_for_values_as_shown_and_its_bound_is_inside(value, status):
    row = {"a": value, "b": "no data", "c": value}
    cells = fill({"x": row}, {("x", "a"): "0.527", ("x", "b"): "0.5"}).cells
    statuses = [cells["x", name].status for name in "abc"]
    assert statuses == [status, shown.NOT_RUN, shown.NO_PUBLISHED]


def test_average_departs_in_all_that_its_columns_do_within_their_mean_tolerance():
    first = {"differences_from_paper": ("model", "data"), "assumptions": ("x",), "tolerance": 0.01}
    other = {"differences_from_paper": ("data", "recipe"), "assumptions": ("y", "x")}
    told = {("x", "a"): first, ("x", "b"): other | {"tolerance": 0.03}}
    average = fill({"x": {"a": 0.5, "b": 0.5}}, told=told).cells["x", "avg"]
    assert average.reasons == ("model", "data", "recipe")
    assert average.assumptions == ("x", "y")
    assert average.tolerance == Decimal("0.02")


@pytest.mark.parametrize(
    ("columns", "reasons"),
    [
        ("abc", ("the average lacks 1 of the paper's 3 columns",)),
        ("ab", ()),
        ("a", ("the average has columns that the paper's lacks: b",)),
    ],
)
def test_average_over_other_columns_than_the_paper_s_is_not_compared(columns, reasons):
    published = {("x", column): "0.5" for column in (*columns, "avg", "change")}
    cells = fill({"x": {"a": 0.5, "b": 0.5}}, published).cells
    assert cells["x", "a"].status == shown.INSIDE
    average = cells["x", "avg"]
    assert average.reasons == reasons
    assert average.status == (shown.NOT_COMPARABLE if reasons else shown.INSIDE)


def test_difference_to_another_row_is_of_the_means_as_shown():
    rows = {"x": {"a": 0.50049}, "y": {"a": 0.40051}, "z": {"a": "no data"}}
    cells = fill(rows, against={"x": "y", "y": "z", "z": "x"}).cells
    for column in ("a", "avg"):
        assert against_of(cells["x", column]) == ("y", Decimal("0.099"))
    # nothing to compare with, and nothing to compare
    assert against_of(cells["y", "a"]) == against_of(cells["z", "a"]) == ("", None)


@pytest.mark.parametrize(
    ("values", "column", "places"),
    [
        # as shown, and equal ones share
        ({"w": 0.7541, "x": 0.7539, "y": 0.764, "z": 0.1}, {}, {"w": 2, "x": 2, "y": 1}),
        ({"x": 13.8, "y": 2.1, "z": 7.8}, {"lower_is_better": True, "digits": 2}, {"y": 1, "z": 2}),
        # nothing is better than nothing, or than an equal
        ({"x": 0.5, "y": "no data"}, {}, {}),
        ({"x": 0.0, "y": 0.0}, {}, {}),
    ],
)
def test_places_of_a_column(values, column, places):
    cells = fill({name: {"a": value} for name, value in values.items()}, column=column).cells
    assert {name: cells[name, "a"].rank for name in values} == dict.fromkeys(values) | places


def test_samples_share_a_line_where_rows_agree_and_name_them_where_not():
    less = {"n": 7, "coverage": 0.5, "dropped": {"empty": 3}}
    scores = {
        "s": [make_score("set-a", 0.5), make_score("set-b", 0.5, **less)],
        "t": [make_score("set-a", 0.4), make_score("set-b", 0.5, n=8)],
    }
    rows = {name: {c: run(c, path) for c in "ab"} for name, path in (("x", "s"), ("y", "t"))}
    assert samples(fill(rows, scores=scores)) == (
        Sample("set-a", 100, 1.0, {}),
        Sample("set-b", 7, 0.5, {"empty": 3}, ("x",)),
        Sample("set-b", 8, 1.0, {}, ("y",)),
    )


def changes(*differences):
    rows = {"whole": {"a": 0.753}, "without": {"a": 0.7174}, "lost": {"a": "no data"}}
    published = {("without", "change"): "-0.036", ("lost", "change"): "-0.071"}
    told = {("whole", "a"): {"differences_from_paper": differences}}
    against = {"without": "whole", "lost": "whole"}
    return fill(rows, published, against, told=told, average=False, change_of="a")


def test_changes_between_rows_are_a_column_beside_the_paper_s():
    table = changes()
    change, lost = table.cells["without", "change"], table.cells["lost", "change"]
    # .717 as shown less .753 as shown
    assert rounded(change.mean) == change.published == Decimal("-0.036")
    assert (change.difference, change.status) == (0, shown.INSIDE)
    assert table.cells["whole", "change"].reasons == ("the row that others are compared with",)
    assert (lost.status, lost.published) == (shown.NOT_RUN, Decimal("-0.071"))
    assert "was not run" in lost.reasons[0]
    assert not table.unplaced
    assert [column.id for column in table.shown_columns] == ["a", "change"]
    # a change departs from the paper where either row does
    change = changes("another model").cells["without", "change"]
    assert (change.status, change.reasons) == (shown.NOT_COMPARABLE, ("another model",))


A1 = make_score("set-a", 0.1, 1)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[make_score("other", 0.5)]], "s1: no rows with dataset `set-a` and metric `spearman`"),
        ([[make_score("set-a", 0.5, metric="auc")]], "s1: no rows with dataset `set-a`"),
        ([[A1, A1]], "s1: 2 rows with dataset `set-a`"),
        # the file of one seed instead of another's
        ([[A1], [A1]], "^s1, s2: scores of m/r/c/seed1, m/r/c/seed1, not of one"),
        (
            [[A1], [make_score("set-a", 0.1, 2, model="other")]],
            "s1, s2: .* other/r/c/seed2, not of one",
        ),
    ],
)
def test_scores_that_a_cell_cannot_be_made_of_are_named_by_file(scores, message):
    files = {f"s{number}": of_file for number, of_file in enumerate(scores, 1)}
    with pytest.raises(UserError, match=message):
        fill({"x": {"a": run("a", *files)}}, scores=files)


def test_the_parts_of_a_cell_have_the_same_seeds():
    both = cell(part("set-a", "s1"), part("set-b", "s1", "s2"))
    with pytest.raises(UserError, match=r"set-b.* of seeds 1, 2, but set-a of 1"):
        fill({"x": {"a": both}}, scores=OPPOSED)
