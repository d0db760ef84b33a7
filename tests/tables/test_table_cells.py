"""Means, deviations, averages, differences and places, worked out by hand."""

import json
import math
import statistics
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import Score
from workflow_scripts.tables.blocks import TableBlock, parse_table_block
from workflow_scripts.tables.cells import Sample, fill_table, mean_and_deviation, rounded


def score(dataset: str, value: float, seed: int = 33, **changes: Any) -> Score:
    fields: dict[str, Any] = {
        "model": "m",
        "recipe": "r",
        "corpus": "c",
        "seed": seed,
        "dataset": dataset,
        "split": "test",
        "metric": "spearman",
        "value": value,
        "low": None,
        "high": None,
        "n": 10,
        "coverage": 1.0,
        "dropped": {},
    }
    return Score(**(fields | changes))


def table_of(rows: dict[str, dict[str, Any]], comparable: bool = True) -> TableBlock:
    """Return a table with an average; `rows` gives the cells of each row by column."""
    columns = list(next(iter(rows.values())))
    block = {
        "id": "t",
        "title": "T",
        "average": True,
        "columns": [
            {"id": c, "label": c, "dataset": f"set-{c}", "metric": "spearman"} for c in columns
        ],
        "rows": [
            {"id": name, "label": name, "comparable": comparable, "cells": cells}
            for name, cells in rows.items()
        ],
    }
    return parse_table_block(json.dumps(block))


def files(*names: str) -> dict[str, list[str]]:
    return {"scores": list(names)}


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
    table = fill_table(table_of({"x": {c: files("s1", "s2") for c in "ab"}}), scores, {})
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
    block = table_of({"x": {"a": files("a1", "a2"), "b": files("b2", "b1")}})
    assert fill_table(block, scores, {}).cells["x", "avg"].deviation == 0


def test_row_with_a_gap_has_no_average_and_says_why() -> None:
    block = table_of({"x": {"a": files("s"), "b": {"not_run": "no data"}}})
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
    table = fill_table(table_of({"x": {"a": files("a"), "b": files("b")}}), scores, {})
    assert table.cells["x", "avg"].not_run == "averages need the same seeds in all columns"


def test_difference_is_ours_minus_the_papers_and_only_where_comparable() -> None:
    scores = {"s": [score("set-a", 0.5004)]}
    published = {("x", "a"): Decimal("0.527"), ("x", "avg"): Decimal("0.400")}
    shown = fill_table(table_of({"x": {"a": files("s")}}), scores, published).cells
    assert shown["x", "a"].difference == Decimal("-0.027")
    assert shown["x", "avg"].difference == Decimal("0.100")
    other = fill_table(table_of({"x": {"a": files("s")}}, comparable=False), scores, published)
    assert other.cells["x", "a"].difference is None
    assert other.cells["x", "a"].published == Decimal("0.527")


def test_places_follow_the_values_as_shown_and_equal_ones_share() -> None:
    values = {"w": 0.7541, "x": 0.7539, "y": 0.764, "z": 0.1}
    scores = {name: [score("set-a", value)] for name, value in values.items()}
    table = fill_table(table_of({name: {"a": files(name)} for name in values}), scores, {})
    places = {name: table.cells[name, "a"].place for name in values}
    assert places == {"w": 2, "x": 2, "y": 1, "z": None}


def test_single_value_of_a_column_has_no_place() -> None:
    block = table_of({"x": {"a": files("s")}, "y": {"a": {"not_run": "no"}}})
    table = fill_table(block, {"s": [score("set-a", 0.5)]}, {})
    assert table.cells["x", "a"].place is None


def test_a_column_of_equal_values_has_no_best() -> None:
    block = table_of({"x": {"a": files("s")}, "y": {"a": files("s")}})
    table = fill_table(block, {"s": [score("set-a", 0.0)]}, {})
    assert {table.cells[row, "a"].place for row in "xy"} == {None}


def test_samples_share_a_line_where_rows_agree_and_name_them_where_not() -> None:
    scores = {
        "s": [score("set-a", 0.5), score("set-b", 0.5, n=7, coverage=0.5, dropped={"empty": 3})],
        "t": [score("set-a", 0.4), score("set-b", 0.5, n=8)],
    }
    rows = {name: {c: files(path) for c in "ab"} for name, path in (("x", "s"), ("y", "t"))}
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
        fill_table(table_of({"x": {"a": files("s1", "s2")}}), scores, {})
    assert message in str(caught.value)


@given(st.floats(-1, 1))
def test_rounding_is_near_and_never_gives_a_negative_zero(value: float) -> None:
    number = rounded(value)
    assert abs(float(number) - value) <= 0.0005 + 1e-12
    assert not (number.is_zero() and number.is_signed())
