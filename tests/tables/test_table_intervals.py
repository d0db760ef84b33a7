"""Bootstrap intervals of cells and of differences between rows, from replicates made by hand."""

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats
from table_files import cell, make_score, part

from workflow_scripts.errors import UserError
from workflow_scripts.tables.blocks import parse_table_block
from workflow_scripts.tables.cells import ShownTable, fill_table
from workflow_scripts.tables.intervals import add_intervals

KEY = "replicates/{}/spearman"
RAMP = np.arange(1001) / 1000  # 2.5% and 97.5% are .025 and .975


def table_of(rows: dict[str, dict[str, Any]], **changes: Any) -> ShownTable:
    """Return a filled table whose scores are all .5; row `y` stands against row `x`."""
    block = {
        "id": "t",
        "title": "T",
        "columns": [{"id": name, "label": name} for name in next(iter(rows.values()))],
        "rows": [
            {"id": name, "label": name, "cells": cells, "against": "x" if name == "y" else None}
            for name, cells in rows.items()
        ],
    }
    parsed = parse_table_block(json.dumps(block | changes))
    seeds: dict[str, int] = {}
    scores = {}
    for row in rows.values():
        for one in row.values():
            for each in one.get("parts", []):
                for path in each["scores"]:
                    seed = seeds.setdefault(path, len(seeds))
                    scores.setdefault(path, []).append(make_score(each["dataset"], 0.5, seed))
    unique = {path: list({s.dataset: s for s in found}.values()) for path, found in scores.items()}
    return fill_table(parsed, unique, {})


def details(**arrays: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    """Return details files by path: a__b=... is dataset b of file a.npz."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, values in arrays.items():
        file, dataset = name.split("__")
        found.setdefault(f"{file}.npz", {})[KEY.format(dataset)] = values
    return found


def interval(table: ShownTable, row: str = "x", column: str = "c") -> tuple[float, float] | None:
    return table.cells[row, column].interval


def test_interval_is_of_the_percentiles() -> None:
    table = table_of({"x": {"c": cell(part("d", "s.tsv"))}})
    shown = add_intervals(table, details(s__d=np.random.default_rng(0).permutation(RAMP)))
    assert interval(shown) == pytest.approx((0.025, 0.975))


def test_replicates_are_averaged_over_seeds_and_parts_before_the_interval() -> None:
    parts = [part("d", "s.tsv", "t.tsv"), part("e", "s.tsv", "t.tsv")]
    table = table_of({"x": {"c": cell(*parts)}})
    # two ramps that rise and fall cancel each other: their mean is .5 everywhere
    arrays = details(s__d=RAMP, t__d=1 - RAMP, s__e=np.full(1001, 0.1), t__e=np.full(1001, 0.3))
    # mean over the four of (ramp, 1 - ramp, .1, .3)
    assert interval(add_intervals(table, arrays)) == pytest.approx((0.35, 0.35))


@pytest.mark.parametrize("missing", ["t__d", "s__e"])
def test_cell_without_all_its_replicates_has_no_interval(missing: str) -> None:
    parts = [part("d", "s.tsv", "t.tsv"), part("e", "s.tsv", "t.tsv")]
    table = table_of({"x": {"c": cell(*parts)}})
    arrays = {"s__d": RAMP, "t__d": RAMP, "s__e": RAMP, "t__e": RAMP}
    del arrays[missing]
    assert interval(add_intervals(table, details(**arrays))) is None


def test_replicates_of_another_metric_do_not_count() -> None:
    table = table_of({"x": {"c": cell(part("d", "s.tsv"))}})
    arrays = {"s.npz": {"replicates/d/auc": RAMP}}
    assert interval(add_intervals(table, arrays)) is None


def test_replicates_that_are_no_number_are_left_out() -> None:
    table = table_of({"x": {"c": cell(part("d", "s.tsv"))}})
    holed = np.concatenate([[np.nan] * 500, RAMP])
    assert interval(add_intervals(table, details(s__d=holed))) == pytest.approx((0.025, 0.975))
    assert interval(add_intervals(table, details(s__d=np.full(10, np.nan)))) is None


def test_average_has_the_interval_of_the_mean_over_the_columns() -> None:
    rows = {"x": {"c": cell(part("d", "s.tsv")), "e": cell(part("e", "s.tsv"))}}
    table = table_of(rows, average=True)
    arrays = details(s__d=RAMP, s__e=1 - RAMP)
    assert interval(add_intervals(table, arrays), column="avg") == pytest.approx((0.5, 0.5))
    without = add_intervals(table, details(s__d=RAMP))
    assert interval(without, column="c") is not None
    assert interval(without, column="avg") is None


def paired(other_row: np.ndarray, own: np.ndarray) -> Any:
    table = table_of({"x": {"c": cell(part("d", "s.tsv"))}, "y": {"c": cell(part("d", "t.tsv"))}})
    return add_intervals(table, details(s__d=other_row, t__d=own)).cells["y", "c"].against


def test_rows_are_compared_pair_by_pair() -> None:
    # both vary by 1, their difference by .01: unpaired, it would not be significant
    rng = np.random.default_rng(1)
    common = rng.normal(0, 1, 1000)
    against = paired(common, common + 0.03 + rng.normal(0, 0.01, 1000))
    low, high = against.interval
    assert low == pytest.approx(0.03 - 1.96 * 0.01, abs=0.004)
    assert high == pytest.approx(0.03 + 1.96 * 0.01, abs=0.004)
    # the normal distribution's own p of three deviations is .0027
    assert against.p_value == pytest.approx(2 * stats.norm.sf(3), abs=0.004)


def test_p_value_is_two_sided_and_large_without_a_difference() -> None:
    rng = np.random.default_rng(2)
    # the quantiles of a normal distribution, in any order
    noise = 0.01 * rng.permutation(stats.norm.ppf((np.arange(1000) + 0.5) / 1000))
    common = rng.normal(0, 1, 1000)
    assert paired(common, common + noise).p_value > 0.5
    up, down = (paired(common, common + s * 0.015 + noise).p_value for s in (1, -1))
    expected = 2 * stats.norm.sf(1.5)
    assert up == pytest.approx(expected, abs=0.01)
    assert down == pytest.approx(expected, abs=0.01)


def test_difference_without_replicates_of_the_other_row_has_no_interval() -> None:
    table = table_of({"x": {"c": cell(part("d", "s.tsv"))}, "y": {"c": cell(part("d", "t.tsv"))}})
    against = add_intervals(table, details(t__d=RAMP)).cells["y", "c"].against
    assert against is not None
    assert (against.interval, against.p_value) == (None, None)


def test_other_numbers_of_replicates_are_a_user_error() -> None:
    table = table_of({"x": {"c": cell(part("d", "s.tsv", "t.tsv"))}})
    with pytest.raises(UserError, match=r"t\.npz, dataset `d`: 10 replicates, but 1001 in s\.npz"):
        add_intervals(table, details(s__d=RAMP, t__d=RAMP[:10]))
    rows = {"x": {"c": cell(part("d", "s.tsv"))}, "y": {"c": cell(part("d", "t.tsv"))}}
    with pytest.raises(UserError, match="rows `y` and `x` have 10 and 1001 replicates"):
        add_intervals(table_of(rows), details(s__d=RAMP, t__d=RAMP[:10]))
