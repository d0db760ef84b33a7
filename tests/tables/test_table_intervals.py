"""Bootstrap intervals of cells and of differences between rows, from replicates made by hand."""

from collections import defaultdict
from dataclasses import replace

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
    """Return a filled table whose scores are all .5; row `y` is compared with row `x`.

    A cell is its parts.
    """
    listed = [
        {"id": name, "label": name, "against": "x" if name == "y" else None}
        | {"cells": {column: cell(*parts) for column, parts in cells.items()}}
        for name, cells in rows.items()
    ]
    columns = [{"id": name, "label": name} for name in rows["x"]]
    scores = defaultdict(dict)
    for one in (one for cells in rows.values() for parts in cells.values() for one in parts):
        for path in one["scores"]:
            # a file is of one seed
            scores[path][one["dataset"]] = make_score(one["dataset"], 0.5, ord(path[0]))
    files = {path: [*by_dataset.values()] for path, by_dataset in scores.items()}
    block = {"id": "t", "columns": columns, "rows": listed} | changes
    return fill_table(Table.of(block), files, {})


def details(**arrays):
    """Return details files by path: a__b=... is dataset b of file a.npz."""
    files = defaultdict(dict)
    for name, values in arrays.items():
        file, dataset = name.split("__")
        files[f"{file}.npz"][KEY.format(dataset)] = values
    return files


def interval(table, arrays, column="c"):
    return add_intervals(table, arrays).cells["x", column].interval


ONE = table_of({"x": {"c": [part("d", "s.tsv")]}})
PARTS = table_of({"x": {"c": [part("d", "s.tsv", "t.tsv"), part("e", "s.tsv", "t.tsv")]}})
# two ramps that rise and fall cancel each other: their mean is .5 everywhere
FOUR = {"s__d": RAMP, "t__d": 1 - RAMP, "s__e": np.full(1001, 0.1), "t__e": np.full(1001, 0.3)}


@pytest.mark.parametrize(
    ("table", "arrays", "ends"),
    [
        (ONE, details(s__d=np.random.default_rng(0).permutation(RAMP)), (0.025, 0.975)),
        # of what is a number
        (ONE, details(s__d=np.concatenate([[np.nan] * 500, RAMP])), (0.025, 0.975)),
        (ONE, details(s__d=np.full(10, np.nan)), None),
        # of another metric
        (ONE, {"s.npz": {"replicates/d/auc": RAMP}}, None),
        # averaged over seeds and parts before the interval; where one is missing there is none
        (PARTS, details(**FOUR), (0.35, 0.35)),
        *((PARTS, details(**{k: v for k, v in FOUR.items() if k != gone}), None) for gone in FOUR),
    ],
)
def test_an_interval_is_of_the_percentiles_of_the_mean_of_all_replicates(table, arrays, ends):
    shown = interval(table, defaultdict(dict, arrays))
    assert shown == (ends and pytest.approx(ends))


def test_average_has_the_interval_of_the_mean_over_the_columns():
    table = table_of({"x": {name: [part(name, "s.tsv")] for name in "ce"}}, average=True)
    both = details(s__c=RAMP, s__e=1 - RAMP)
    assert interval(table, both, "avg") == pytest.approx((0.5, 0.5))
    one = details(s__c=RAMP)
    assert interval(table, one) is not None and interval(table, one, "avg") is None


def test_a_deviation_over_seeds_has_no_interval_over_items():
    spread = [{"id": "c", "label": "c", "statistic": "deviation"}]
    table = table_of({"x": {"c": [part("d", "s.tsv", "t.tsv")]}}, columns=spread)
    assert interval(table, details(s__d=RAMP, t__d=RAMP)) is None


TWO = table_of({"x": {"c": [part("d", "s.tsv")]}, "y": {"c": [part("d", "t.tsv")]}})


def compared(table, **arrays):
    return add_intervals(table, details(**arrays)).cells["y", "c"]


def test_rows_are_compared_pair_by_pair():
    # both vary by 1, their difference by .01: unpaired, it would not be significant
    other, noise = (np.random.default_rng(seed).permutation(RAMP) for seed in (1, 2))
    higher = compared(TWO, s__d=other, t__d=other + 0.03 + 0.01 * noise)
    assert higher.against_interval == pytest.approx((0.03025, 0.03975))
    assert higher.p_value == pytest.approx(2 / 1002)
    alike = compared(TWO, s__d=other, t__d=other + 0.01 * (noise - 0.5))
    assert alike.p_value == 1


@pytest.mark.parametrize("deviations", [1.5, -1.5])
def test_a_p_value_is_two_sided_as_that_of_a_normal_distribution(deviations):
    quantiles = stats.norm.ppf((np.arange(1000) + 0.5) / 1000)
    # in any order, added to what both rows have in common
    common, noise = (np.random.default_rng(seed).permutation(quantiles) for seed in (1, 2))
    own = compared(TWO, s__d=common, t__d=common + 0.01 * (deviations + noise))
    assert own.p_value == pytest.approx(2 * stats.norm.sf(1.5), abs=0.003)
    ends = 0.01 * (deviations + 1.96 * np.array([-1, 1]))
    assert own.against_interval == pytest.approx(ends, abs=0.0003)


def test_what_cannot_be_paired_has_no_interval_of_the_difference():
    own = TWO.cells["y", "c"]
    # resamples of 100 items and of 99 have nothing to do with each other
    fewer = replace(own, scores=(replace(own.scores[0], n=99),))
    table = replace(TWO, cells={**TWO.cells, ("y", "c"): fewer})
    for cells in (compared(table, s__d=RAMP, t__d=RAMP), compared(TWO, t__d=RAMP)):
        assert cells.interval is not None
        assert cells.against_interval is cells.p_value is None


def test_replicates_of_another_encoder_beside_the_scores_are_told(tmp_path):
    path, block = tmp_path / "s.tsv", {"id": "t", "columns": [{"id": "c", "label": "c"}]}
    cells = {"c": cell(part("d", str(path)))}
    table = Table.of(block | {"rows": [{"id": "x", "label": "x", "cells": cells}]})
    values = np.arange(1000) / 999
    write_scores(path, [make_score("d", 0.5, low=0.025, high=0.975)])
    write_replicates(tmp_path / "s.npz", {KEY.format("d"): values})
    assert read_table(table, None).cells["x", "c"].interval is not None
    for other, problem in (
        (values / 2, r"0\.0125 to 0\.4875"),
        (values[:7], r"\(7,\), not \(1000"),
    ):
        write_replicates(tmp_path / "s.npz", {KEY.format("d"): other})
        with pytest.raises(UserError, match=rf"s\.npz: damaged .*{problem}.*; remove it"):
            read_table(table, None)
