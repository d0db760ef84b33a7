"""Bootstrap intervals of cells and of differences between rows, from replicates made by hand."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from result_files import cell, make_score, part
from scipy import stats

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.bootstrap_replicates import write_replicates
from workflow_scripts.scoring.tidy_scores import write_scores
from workflow_scripts.tables.filling import fill_table
from workflow_scripts.tables.intervals import add_intervals, read_table
from workflow_scripts.tables.table import Table

KEY = "replicates/{}/spearman"
RAMP = np.arange(1001) / 1000  # 2.5% and 97.5% are .025 and .975


def table_of(rows, **changes):
    """Return a filled table whose scores are all .5; row `y` stands against row `x`."""
    block = {
        **{"id": "t", "columns": [{"id": name, "label": name} for name in rows["x"]]},
        "rows": [
            {"id": name, "label": name, "cells": cells, "against": "x" if name == "y" else None}
            for name, cells in rows.items()
        ],
    }
    scores: dict[str, dict[str, Any]] = defaultdict(dict)
    parts = [part for row in rows.values() for one in row.values() for part in one["parts"]]
    for one in parts:
        for path in one["scores"]:
            # a file is of one seed
            scores[path][one["dataset"]] = make_score(one["dataset"], 0.5, ord(path[0]))
    found = {path: list(by_dataset.values()) for path, by_dataset in scores.items()}
    return fill_table(Table.of(block | changes), found, {})


def details(**arrays):
    """Return details files by path: a__b=... is dataset b of file a.npz."""
    found: dict[str, dict[str, np.ndarray]] = defaultdict(dict)
    for name, values in arrays.items():
        file, dataset = name.split("__")
        found[f"{file}.npz"][KEY.format(dataset)] = values
    return found


def interval(table, row="x", column="c"):
    return table.cells[row, column].interval


def one_cell(*parts):
    return table_of({"x": {"c": cell(*parts or (part("d", "s.tsv"),))}})


def test_interval_is_of_the_percentiles_of_what_is_a_number():
    shown = add_intervals(one_cell(), details(s__d=np.random.default_rng(0).permutation(RAMP)))
    assert interval(shown) == pytest.approx((0.025, 0.975))
    holed = details(s__d=np.concatenate([[np.nan] * 500, RAMP]))
    assert interval(add_intervals(one_cell(), holed)) == pytest.approx((0.025, 0.975))


@pytest.mark.parametrize(
    "arrays", [details(s__d=np.full(10, np.nan)), {"s.npz": {"replicates/d/auc": RAMP}}]
)
def test_no_number_or_another_metric_gives_no_interval(arrays):
    assert interval(add_intervals(one_cell(), arrays)) is None


PARTS = (part("d", "s.tsv", "t.tsv"), part("e", "s.tsv", "t.tsv"))


def test_replicates_are_averaged_over_seeds_and_parts_before_the_interval():
    # two ramps that rise and fall cancel each other: their mean is .5 everywhere
    arrays = details(s__d=RAMP, t__d=1 - RAMP, s__e=np.full(1001, 0.1), t__e=np.full(1001, 0.3))
    # mean over the four of (ramp, 1 - ramp, .1, .3)
    assert interval(add_intervals(one_cell(*PARTS), arrays)) == pytest.approx((0.35, 0.35))


@pytest.mark.parametrize("missing", ["t__d", "s__e"])
def test_cell_without_all_its_replicates_has_no_interval(missing):
    names = {"s__d", "t__d", "s__e", "t__e"} - {missing}
    arrays = details(**dict.fromkeys(names, RAMP))
    assert interval(add_intervals(one_cell(*PARTS), arrays)) is None


def test_average_has_the_interval_of_the_mean_over_the_columns():
    rows = {"x": {"c": cell(part("d", "s.tsv")), "e": cell(part("e", "s.tsv"))}}
    table = table_of(rows, average=True)
    arrays = details(s__d=RAMP, s__e=1 - RAMP)
    assert interval(add_intervals(table, arrays), column="avg") == pytest.approx((0.5, 0.5))
    without = add_intervals(table, details(s__d=RAMP))
    assert interval(without, column="c") is not None
    assert interval(without, column="avg") is None


def two_rows():
    return table_of({"x": {"c": cell(part("d", "s.tsv"))}, "y": {"c": cell(part("d", "t.tsv"))}})


def paired(other_row, own):
    return add_intervals(two_rows(), details(s__d=other_row, t__d=own)).cells["y", "c"]


def test_rows_are_compared_pair_by_pair():
    # both vary by 1, their difference by .01: unpaired, it would not be significant
    rng = np.random.default_rng(1)
    common = rng.normal(0, 1, 1000)
    against = paired(common, common + 0.03 + rng.normal(0, 0.01, 1000))
    expected = (0.03 - 1.96 * 0.01, 0.03 + 1.96 * 0.01)
    assert against.against_interval == pytest.approx(expected, abs=0.004)
    # the normal distribution's own p of three deviations is .0027
    assert against.p_value == pytest.approx(2 * stats.norm.sf(3), abs=0.004)


def test_p_value_is_two_sided_and_large_without_a_difference():
    rng = np.random.default_rng(2)
    # the quantiles of a normal distribution, in any order
    noise = 0.01 * rng.permutation(stats.norm.ppf((np.arange(1000) + 0.5) / 1000))
    common = rng.normal(0, 1, 1000)
    assert paired(common, common + noise).p_value > 0.5
    found = [paired(common, common + sign * 0.015 + noise).p_value for sign in (1, -1)]
    assert found == pytest.approx([2 * stats.norm.sf(1.5)] * 2, abs=0.01)


def test_difference_without_replicates_of_the_other_row_has_no_interval():
    cell = add_intervals(two_rows(), details(t__d=RAMP)).cells["y", "c"]
    assert (cell.against_interval, cell.p_value) == (None, None)


def test_a_deviation_over_seeds_has_no_interval_over_items():
    row = {"x": {"c": cell(part("d", "s.tsv", "t.tsv"))}}
    spread = [{"id": "c", "label": "c", "statistic": "deviation"}]
    arrays = details(s__d=RAMP, t__d=RAMP)
    assert interval(add_intervals(table_of(row), arrays)) is not None
    assert interval(add_intervals(table_of(row, columns=spread), arrays)) is None


def test_rows_on_other_items_are_not_paired():
    # resamples of 100 items and of 99 have nothing to do with each other
    table = two_rows()
    own = table.cells["y", "c"]
    fewer = replace(own, scores=(replace(own.scores[0], n=99),))
    table = replace(table, cells={**table.cells, ("y", "c"): fewer})
    cell = add_intervals(table, details(s__d=RAMP, t__d=RAMP)).cells["y", "c"]
    assert cell.interval is not None
    assert cell.against_interval is cell.p_value is None


def test_replicates_of_another_encoder_beside_the_scores_are_told(tmp_path):
    path, block = tmp_path / "s.tsv", {"id": "t", "columns": [{"id": "c", "label": "c"}]}
    cells = [cell(part("d", str(path)))]
    block["rows"] = [{"id": "x", "label": "x", "cells": {"c": cells[0]}}]
    write_scores(path, [make_score("d", 0.5, low=0.025, high=0.975)])
    write_replicates(tmp_path / "s.npz", {KEY.format("d"): RAMP})
    assert read_table(Table.of(block), None).cells["x", "c"].interval is not None
    write_replicates(tmp_path / "s.npz", {KEY.format("d"): RAMP / 2})
    with pytest.raises(UserError, match=r"s\.npz: damaged .*0\.0125 to 0\.4875.*; remove it"):
        read_table(Table.of(block), None)
