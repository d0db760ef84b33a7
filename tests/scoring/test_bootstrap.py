"""The bootstrap against scipy's, on the same data; resamples are fixed by data set and size."""

import hashlib
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import roc_auc_score

from workflow_scripts.scoring import bootstrap
from workflow_scripts.scoring.bootstrap import paired_p_value, percentile_interval, replicate
from workflow_scripts.scoring.evidence import Predictions
from workflow_scripts.scoring.metrics import auc, spearman
from workflow_scripts.scoring.weighted_metrics import share_metric

GENERATOR = np.random.default_rng(5)
GOLD = np.round(GENERATOR.normal(size=400), 1)
GUESSED = GOLD + GENERATOR.normal(size=400)
LABELS = (GOLD > 0.3).astype(int)
PAIRS = Predictions(n=400, predicted=GUESSED, gold=GOLD)
LABELLED = Predictions(n=400, predicted=GUESSED, gold=LABELS)


def all_resamples(dataset, n):
    return np.concatenate(list(bootstrap.resamples(dataset, n)))


@pytest.mark.parametrize(
    ("metric", "statistic"),
    [
        (spearman.metric(PAIRS), lambda i: scipy.stats.spearmanr(GUESSED[i], GOLD[i])[0]),
        (auc.metric(LABELLED), lambda i: roc_auc_score(LABELS[i], GUESSED[i])),
        (share_metric(LABELS), lambda i: LABELS[i].mean()),
    ],
)
def test_replicates_and_interval_agree_with_scipy_s_percentile_bootstrap(metric, statistic):
    found = replicate("sts12", 400, {"name": metric})["name"]
    assert found.shape == (1000,) and found.dtype == np.float64
    indices = all_resamples("sts12", 400)
    for row in (0, 1, 2, 162, 163, 164, 500, 999):
        assert found[row] == pytest.approx(statistic(indices[row]), abs=1e-12)
    options = {"method": "percentile", "vectorized": False, "rng": np.random.default_rng(9)}
    theirs = scipy.stats.bootstrap((np.arange(400),), statistic, n_resamples=1000, **options)
    # Both ends are quantiles of 1000 draws: their standard error is about a tenth of the
    # statistic's own (sqrt(.025 * .975 / 1000) over the density at two deviations, .06).
    tolerance = 4 * 0.1 * theirs.standard_error * np.sqrt(2)
    interval = theirs.confidence_interval
    assert percentile_interval(found) == pytest.approx([interval.low, interval.high], abs=tolerance)
    # scipy, given our replicates and asked for none of its own
    options = {"method": "percentile", "n_resamples": 0}
    options["bootstrap_result"] = SimpleNamespace(bootstrap_distribution=found)
    ours = scipy.stats.bootstrap(([0] * 400,), np.mean, **options).confidence_interval
    assert percentile_interval(found) == pytest.approx([ours.low, ours.high], abs=1e-12)


def test_resamples_are_fixed_by_data_set_and_number_of_items_whatever_the_chunks(monkeypatch):
    one = all_resamples("sts12", 50)
    assert (one != all_resamples("sts13", 50)).any()
    assert (one != all_resamples("sts12", 51)[:, :50]).any()
    # The seed is the one documented, so a file of replicates stays valid.
    seed = int.from_bytes(hashlib.sha256(b"sts12\n50").digest()[:16], "big")
    expected = np.random.default_rng(seed).integers(50, size=(1000, 50))
    np.testing.assert_array_equal(one, expected)
    assert max(chunk.size for chunk in bootstrap.resamples("qnli", 5463)) <= 1 << 16
    assert next(bootstrap.resamples("large", 10**6)).shape == (1, 10**6)
    for draws in (1, 50 * 7, 10**9):
        monkeypatch.setattr(bootstrap, "_DRAWS_AT_ONCE", draws)
        np.testing.assert_array_equal(all_resamples("sts12", 50), one)


def test_replicates_without_a_value_are_left_out():
    metric = auc.metric(Predictions(n=3, predicted=[0.1, 0.5, 0.3], gold=[0, 1, 0]))
    found = replicate("qnli", 3, {"auc": metric})["auc"]
    undefined = np.isnan(found)
    # Without the only positive (8/27) or with nothing else (1/27).
    assert undefined.mean() == pytest.approx(9 / 27, abs=0.06)
    assert percentile_interval(found) == (1.0, 1.0)
    expected = pytest.approx(2 / ((~undefined).sum() + 1))
    assert paired_p_value(np.append(found - 2, np.nan)) == expected
    for function in (percentile_interval, paired_p_value):
        with pytest.raises(ValueError, match="no replicate is defined"):
            function(np.array([np.nan]))


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        ([1] * 9 + [-1], 2 * (1 + 1) / 11),
        ([-1] * 9 + [1], 2 * (1 + 1) / 11),
        ([1] * 999, 2 / 1000),
        # Equal replicates speak for neither side.
        ([0] * 999, 1),
        ([-1, 1], 1),
        ([1, 1, 0], 1),
    ],
)
def test_the_p_value_by_hand(differences, expected):
    assert paired_p_value(np.array(differences)) == pytest.approx(expected)
