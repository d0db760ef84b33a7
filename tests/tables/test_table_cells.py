"""Means, deviations, averages, differences and places, worked out by hand."""

import json
import math
import statistics
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_files import cell, make_score, part

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables.blocks import TableBlock, parse_table_block
from workflow_scripts.tables.cells import (
    INSIDE,
    NO_PUBLISHED,
    NOT_COMPARABLE,
    NOT_RUN,
    OUTSIDE,
    Against,
    Sample,
    fill_table,
    mean_and_deviation,
)
from workflow_scripts.tables.numbers import rounded


def score(dataset: str, value: float, seed: int = 33, **changes: Any) -> Score:
    return make_score(dataset, value, seed, **({"n": 10} | changes))


def run(name: str, *paths: str, **changes: Any) -> dict[str, Any]:
    """Return a cell of one part, dataset set-{name}."""
    return cell(part(f"set-{name}", *paths), **changes)


def table_of(
    rows: dict[str, dict[str, Any]],
    average: bool = True,
    against: dict[str, str] | None = None,
    **column: Any,
) -> TableBlock:
    """Return a table; `rows` gives the cells of each row by column."""
    block = {
        "id": "t",
        "title": "T",
        "average": average,
        "columns": [{"id": c, "label": c} | column for c in next(iter(rows.values()))],
        "rows": [
            {"id": name, "label": name, "cells": cells, "against": (against or {}).get(name)}
            for name, cells in rows.items()
        ],
    }
    return parse_table_block(json.dumps(block))


def test_mean_and_sample_deviation_over_seeds() -> None:
    mean, deviation = mean_and_deviation([0.2, 0.4, 0.9])
    assert mean == pytest.approx(0.5)
    # squares of -.3, -.1, .4 sum to .26, over n - 1 = 2
    assert deviation == pytest.approx(math.sqrt(0.13))


def test_single_seed_has_no_deviation() -> None:
    assert mean_and_deviation([0.25]) == (0.25, None)


def test_average_is_taken_per_seed_before_the_deviation() -> None:
    # the columns move against each other, so that the averages of the seeds hardly differ
    scores = {
        "s1": [score("set-a", 0.1, 1), score("set-b", 0.9, 1)],
        "s2": [score("set-a", 0.8, 2), score("set-b", 0.4, 2)],
    }
    table = fill_table(table_of({"x": {c: run(c, "s1", "s2") for c in "ab"}}), scores, {})
    average = table.cells["x", "avg"]
    assert average.mean == pytest.approx(0.55)
    assert average.deviation == pytest.approx(statistics.stdev([0.5, 0.6]))
    assert average.seeds == 2


def test_average_joins_seeds_by_number_and_not_by_order() -> None:
    scores = {
        "a1": [score("set-a", 0.0, 1)],
        "a2": [score("set-a", 1.0, 2)],
        "b1": [score("set-b", 1.0, 1)],
        "b2": [score("set-b", 0.0, 2)],
    }
    block = table_of({"x": {"a": run("a", "a1", "a2"), "b": run("b", "b2", "b1")}})
    assert fill_table(block, scores, {}).cells["x", "avg"].deviation == 0


def test_row_with_a_gap_has_no_average_and_says_why() -> None:
    block = table_of({"x": {"a": run("a", "s"), "b": {"not_run": "no data"}}})
    table = fill_table(block, {"s": [score("set-a", 0.5)]}, {})
    assert table.cells["x", "a"].mean == 0.5
    assert table.cells["x", "b"].not_run == "no data"
    assert table.cells["x", "avg"].mean is None
    assert table.cells["x", "avg"].not_run == "averages are over whole rows only"


def test_row_that_is_not_run_at_all_has_its_own_reason_for_the_average() -> None:
    block = table_of({"x": {"a": {"not_run": "no data"}, "b": {"not_run": "no data"}}})
    assert fill_table(block, {}, {}).cells["x", "avg"].not_run == "no data"


def test_columns_with_other_seeds_have_no_average() -> None:
    scores = {"a": [score("set-a", 0.5, 1)], "b": [score("set-b", 0.5, 2)]}
    table = fill_table(table_of({"x": {"a": run("a", "a"), "b": run("b", "b")}}), scores, {})
    assert table.cells["x", "avg"].not_run == "averages need the same seeds in all columns"


def test_cell_is_the_mean_of_its_parts_per_seed() -> None:
    scores = {
        "s1": [score("set-a", 0.1, 1), score("set-b", 0.9, 1)],
        "s2": [score("set-a", 0.8, 2), score("set-b", 0.4, 2)],
    }
    both = cell(part("set-a", "s1", "s2"), part("set-b", "s2", "s1"))
    shown = fill_table(table_of({"x": {"ab": both}}), scores, {}).cells["x", "ab"]
    assert shown.mean == pytest.approx(0.55)
    assert shown.deviation == pytest.approx(statistics.stdev([0.5, 0.6]))
    assert shown.seeds == 2


def test_parts_with_other_seeds_are_a_user_error() -> None:
    scores = {"s1": [score("set-a", 0.1, 1)], "s2": [score("set-b", 0.4, 2)]}
    block = table_of({"x": {"ab": cell(part("set-a", "s1"), part("set-b", "s2"))}})
    with pytest.raises(UserError, match=r"column `ab`: dataset `set-b` has seeds \[2\]"):
        fill_table(block, scores, {})


def test_difference_is_ours_as_shown_minus_the_papers_and_only_without_departures() -> None:
    scores = {"s": [score("set-a", 0.5004)]}
    published = {("x", "a"): Decimal("0.527"), ("x", "avg"): Decimal("0.400")}
    shown = fill_table(table_of({"x": {"a": run("a", "s")}}), scores, published).cells
    assert shown["x", "a"].difference == Decimal("-0.027")
    assert shown["x", "avg"].difference == Decimal("0.100")
    departing = {"a": run("a", "s", departures=("other data",))}
    other = fill_table(table_of({"x": departing}), scores, published)
    assert other.cells["x", "a"].difference is None
    assert other.cells["x", "a"].published == Decimal("0.527")
    assert other.cells["x", "a"].status == NOT_COMPARABLE
    assert other.cells["x", "avg"].status == NOT_COMPARABLE


@pytest.mark.parametrize(
    ("value", "status"),
    [(0.5170, INSIDE), (0.5166, INSIDE), (0.5164, OUTSIDE), (0.537, INSIDE), (0.538, OUTSIDE)],
)
def test_tolerance_holds_for_values_as_shown_and_its_bound_is_inside(
    value: float, status: str
) -> None:
    block = table_of({"x": {"a": run("a", "s", tolerance=0.01)}}, average=False)
    scores = {"s": [score("set-a", value)]}
    table = fill_table(block, scores, {("x", "a"): Decimal("0.527")})
    assert table.cells["x", "a"].status == status


def test_cell_without_published_value_or_run_says_so() -> None:
    block = table_of({"x": {"a": run("a", "s"), "b": {"not_run": "no data"}}}, average=False)
    table = fill_table(block, {"s": [score("set-a", 0.5)]}, {("x", "b"): Decimal("0.5")})
    assert table.cells["x", "a"].status == NO_PUBLISHED
    assert table.cells["x", "b"].status == NOT_RUN


def test_average_departs_in_all_that_its_columns_do_within_their_mean_tolerance() -> None:
    scores = {"s": [score("set-a", 0.5), score("set-b", 0.5)]}
    row = {
        "a": run("a", "s", departures=("model", "data"), tolerance=0.01),
        "b": run("b", "s", departures=("data", "recipe"), tolerance=0.03),
    }
    average = fill_table(table_of({"x": row}), scores, {}).cells["x", "avg"]
    assert average.departures == ("model", "data", "recipe")
    assert average.tolerance == Decimal("0.02")


def test_published_value_without_a_place_is_kept() -> None:
    published = {("x", "c"): Decimal("0.5"), ("y", "a"): Decimal("0.4"), ("x", "a"): Decimal(0)}
    table = fill_table(table_of({"x": {"a": {"not_run": "no"}}}), {}, published)
    assert table.unplaced == {("x", "c"): Decimal("0.5"), ("y", "a"): Decimal("0.4")}


def test_difference_to_another_row_is_of_the_means_as_shown() -> None:
    scores = {"s": [score("set-a", 0.50049)], "t": [score("set-a", 0.40051)]}
    rows = {"x": {"a": run("a", "s")}, "y": {"a": run("a", "t")}, "z": {"a": {"not_run": "no"}}}
    block = table_of(rows, against={"x": "y", "y": "z", "z": "x"})
    cells = fill_table(block, scores, {}).cells
    assert cells["x", "a"].against == Against("y", Decimal("0.099"))
    assert cells["x", "avg"].against == Against("y", Decimal("0.099"))
    # nothing to stand against, and nothing that stands
    assert cells["y", "a"].against is None
    assert cells["z", "a"].against is None


def test_lowest_is_the_best_where_lower_is_better() -> None:
    values = {"x": 13.794, "y": 2.11, "z": 7.891}
    scores = {name: [score("set-a", value)] for name, value in values.items()}
    rows = {name: {"a": run("a", name)} for name in values}
    table = fill_table(table_of(rows, lower_is_better=True, digits=2), scores, {})
    assert {name: table.cells[name, "a"].place for name in values} == {"x": None, "y": 1, "z": 2}


def test_places_follow_the_values_as_shown_and_equal_ones_share() -> None:
    values = {"w": 0.7541, "x": 0.7539, "y": 0.764, "z": 0.1}
    scores = {name: [score("set-a", value)] for name, value in values.items()}
    table = fill_table(table_of({name: {"a": run("a", name)} for name in values}), scores, {})
    places = {name: table.cells[name, "a"].place for name in values}
    assert places == {"w": 2, "x": 2, "y": 1, "z": None}


def test_single_value_of_a_column_has_no_place() -> None:
    block = table_of({"x": {"a": run("a", "s")}, "y": {"a": {"not_run": "no"}}})
    table = fill_table(block, {"s": [score("set-a", 0.5)]}, {})
    assert table.cells["x", "a"].place is None


def test_a_column_of_equal_values_has_no_best() -> None:
    block = table_of({"x": {"a": run("a", "s")}, "y": {"a": run("a", "s")}})
    table = fill_table(block, {"s": [score("set-a", 0.0)]}, {})
    assert {table.cells[row, "a"].place for row in "xy"} == {None}


def test_samples_share_a_line_where_rows_agree_and_name_them_where_not() -> None:
    scores = {
        "s": [score("set-a", 0.5), score("set-b", 0.5, n=7, coverage=0.5, dropped={"empty": 3})],
        "t": [score("set-a", 0.4), score("set-b", 0.5, n=8)],
    }
    rows = {name: {c: run(c, path) for c in "ab"} for name, path in (("x", "s"), ("y", "t"))}
    assert fill_table(table_of(rows), scores, {}).samples == (
        Sample("set-a", 10, 1.0, {}),
        Sample("set-b", 7, 0.5, {"empty": 3}, ("x",)),
        Sample("set-b", 8, 1.0, {}, ("y",)),
    )


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({}, "s1: named by the table but not given with --scores"),
        ({"s1": [score("other", 0.5)]}, "s1: no row with dataset `set-a` and metric `spearman`"),
        (
            {"s1": [score("set-a", 0.5, metric="accuracy@1")]},
            "s1: no row with dataset `set-a` and metric `spearman`",
        ),
        ({"s1": [score("set-a", 0.5)] * 2}, "s1: 2 rows with dataset `set-a`"),
        (
            {"s1": [score("set-a", 0.5)], "s2": [score("set-a", 0.6)]},
            "s2: seed 33 of dataset `set-a` is also in s1",
        ),
    ],
)
def test_missing_and_double_scores_name_file_and_dataset(
    scores: dict[str, list[Score]], message: str
) -> None:
    with pytest.raises(UserError) as caught:
        fill_table(table_of({"x": {"a": run("a", "s1", "s2")}}), scores, {})
    assert message in str(caught.value)


@given(st.floats(-1, 1))
def test_rounding_is_near_and_never_gives_a_negative_zero(value: float) -> None:
    number = rounded(value)
    assert abs(float(number) - value) <= 0.0005 + 1e-12
    assert not (number.is_zero() and number.is_signed())


def change_block(**changes: Any) -> TableBlock:
    rows = []
    for name, against in (("whole", None), ("without", "whole"), ("lost", "whole")):
        cells = {"a": cell(part("one", f"{name}.tsv"))}
        if name == "lost":
            cells = {"a": {"not_run": "no model"}}
        row = {"id": name, "label": name, "cells": cells}
        rows.append(row | ({"against": against} if against else {}))
    block = {
        "id": "t",
        "title": "T",
        "columns": [{"id": "a", "label": "A"}],
        "rows": rows,
        "change_of": "a",
    }
    return parse_table_block(json.dumps(block | changes))


def test_changes_between_rows_stand_in_a_column_beside_the_paper_s():
    scores = {"whole.tsv": [make_score("one", 0.753)], "without.tsv": [make_score("one", 0.7174)]}
    published = {("without", "change"): Decimal("-0.036"), ("lost", "change"): Decimal("-0.071")}
    table = fill_table(change_block(), scores, published)
    change = table.cells["without", "change"]
    # .717 as shown less .753 as shown
    assert (rounded(change.mean), change.published, change.difference) == (
        *(Decimal("-0.036"), Decimal("-0.036")),
        Decimal("0.000"),
    )
    assert change.status == "inside"
    assert table.cells["whole", "change"].not_run == "the row that others are compared with"
    lost = table.cells["lost", "change"]
    assert (lost.status, lost.published) == ("not-run", Decimal("-0.071"))
    assert "was not run" in lost.not_run
    assert not table.unplaced
    assert [column.id for column in table.block.shown_columns] == ["a", "change"]


def test_a_change_departs_from_the_paper_where_either_row_does():
    scores = {"whole.tsv": [make_score("one", 0.5)], "without.tsv": [make_score("one", 0.4)]}
    table_block = change_block()
    rows = list(table_block.rows)
    whole = replace(rows[0].cells["a"], departures=("another model",))
    rows[0] = replace(rows[0], cells={"a": whole})
    table = fill_table(
        replace(table_block, rows=tuple(rows)), scores, {("without", "change"): Decimal("-0.1")}
    )
    change = table.cells["without", "change"]
    assert (change.status, change.departures) == ("not-comparable", ("another model",))


def test_changes_of_an_unknown_column_are_an_error():
    with pytest.raises(UserError, match="`change_of` is `b`, which is no column"):
        change_block(change_of="b")
