"""The bootstrap against scipy's, on the same data; resamples are fixed by data set and size."""

import hashlib
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.stats
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.scoring import bootstrap
from workflow_scripts.scoring.bootstrap import (
    item_counts,
    paired_p_value,
    percentile_interval,
    replicate,
    resamples,
)
from workflow_scripts.scoring.counted_metrics import accuracy_metric, auc_metric, spearman_metric


def all_resamples(dataset, n, number=1000):
    return np.concatenate(list(resamples(dataset, n, number)))


def data(n=400):
    """Predicted and gold scores with ties, labels and hits of n items."""
    generator = np.random.default_rng(5)
    gold = np.round(generator.normal(size=n), 1)
    predicted = gold + generator.normal(size=n)
    return predicted, gold, (gold > 0.3).astype(int)


def statistic_of(name):
    """Return our metric, and that of scipy or scikit-learn on a resample."""
    predicted, gold, labels = data()
    if name == "spearman":
        return spearman_metric(predicted, gold), lambda i: float(
            scipy.stats.spearmanr(predicted[i], gold[i]).statistic
        )
    if name == "auc":
        return auc_metric(predicted, labels), lambda i: sklearn.metrics.roc_auc_score(
            labels[i], predicted[i]
        )
    return accuracy_metric(labels), lambda i: labels[i].mean()


NAMES = ["spearman", "auc", "accuracy"]


@pytest.mark.parametrize("name", NAMES)
def test_each_replicate_is_the_statistic_of_its_resample(name):
    metric, statistic = statistic_of(name)
    found = replicate("sts12", 400, {name: metric})[name]
    assert found.shape == (1000,) and found.dtype == np.float64
    indices = all_resamples("sts12", 400)
    for row in (0, 1, 2, 162, 163, 164, 500, 999):
        assert found[row] == pytest.approx(statistic(indices[row]), abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_interval_agrees_with_scipy_s_percentile_bootstrap(name):
    metric, statistic = statistic_of(name)
    found = replicate("sts12", 400, {name: metric})[name]
    theirs = scipy.stats.bootstrap(
        (np.arange(400),),
        statistic,
        n_resamples=1000,
        method="percentile",
        vectorized=False,
        rng=np.random.default_rng(9),
    )
    # Both ends are quantiles of 1000 draws: their standard error is about a tenth of the
    # statistic's own (sqrt(.025 * .975 / 1000) over the density at two deviations, .06).
    tolerance = 4 * 0.1 * theirs.standard_error * np.sqrt(2)
    interval = theirs.confidence_interval
    assert percentile_interval(found) == pytest.approx([interval.low, interval.high], abs=tolerance)


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_the_interval_of_given_replicates_is_scipy_s(level):
    metric, _ = statistic_of("spearman")
    found = replicate("sts12", 400, {"spearman": metric})["spearman"]
    # scipy, given our replicates and asked for none of its own.
    given_ours = scipy.stats.bootstrap(
        (np.arange(400),),
        np.mean,
        n_resamples=0,
        confidence_level=level,
        method="percentile",
        bootstrap_result=SimpleNamespace(bootstrap_distribution=found),
    ).confidence_interval
    assert percentile_interval(found, level) == pytest.approx(
        [given_ours.low, given_ours.high], abs=1e-12
    )


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    generator = np.random.default_rng(3)
    covered = 0
    for trial in range(200):
        hits = generator.random(100) < 0.6
        found = replicate(f"trial{trial}", 100, {"accuracy": accuracy_metric(hits)})["accuracy"]
        low, high = percentile_interval(found)
        covered += low <= 0.6 <= high
    # 95 in 100, within four standard errors.
    assert covered / 200 >= 0.95 - 4 * 0.0154


def test_resamples_are_fixed_by_data_set_and_number_of_items():
    one = all_resamples("sts12", 50)
    assert one.shape == (1000, 50) and one.min() == 0 and one.max() == 49
    np.testing.assert_array_equal(one, all_resamples("sts12", 50))
    assert (one != all_resamples("sts13", 50)).any()
    assert (one != all_resamples("sts12", 51)[:, :50]).any()
    # The seed is the one documented, so a file of replicates stays valid.
    seed = int.from_bytes(hashlib.sha256(b"sts12\n50").digest()[:16], "big")
    expected = np.random.default_rng(seed).integers(50, size=(1000, 50))
    np.testing.assert_array_equal(one, expected)


def test_chunks_do_not_change_the_resamples(monkeypatch):
    whole = all_resamples("sts12", 33)
    for draws in (1, 33 * 7, 10**9):
        monkeypatch.setattr(bootstrap, "_DRAWS_AT_ONCE", draws)
        np.testing.assert_array_equal(all_resamples("sts12", 33), whole)


def test_chunks_stay_small():
    assert max(chunk.size for chunk in resamples("qnli", 5463, 30)) <= 1 << 16
    assert next(resamples("large", 10**6, 1)).shape == (1, 10**6)


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 99))
@settings(deadline=None)
def test_counts_are_the_occurrences_of_each_item(n, number, seed):
    indices = np.random.default_rng(seed).integers(n, size=(number, n))
    expected = [[(row == item).sum() for item in range(n)] for row in indices]
    np.testing.assert_array_equal(item_counts(indices), expected)


def test_metrics_of_one_data_set_share_their_resamples():
    hits = np.arange(30) % 3 == 0
    metrics = {"a": accuracy_metric(hits), "b": accuracy_metric(~hits)}
    found = replicate("bel", 30, metrics)
    np.testing.assert_allclose(found["a"] + found["b"], 1)


def test_replicates_without_a_value_are_left_out():
    found = replicate(
        "qnli", 3, {"auc": auc_metric(np.array([0.1, 0.5, 0.3]), np.array([0, 1, 0]))}
    )
    undefined = np.isnan(found["auc"])
    # Without the only positive (8/27) or with nothing else (1/27).
    assert undefined.mean() == pytest.approx(9 / 27, abs=0.06)
    assert percentile_interval(found["auc"]) == (1.0, 1.0)
    assert paired_p_value(np.append(found["auc"] - 2, np.nan)) == pytest.approx(
        2 / ((~undefined).sum() + 1)
    )
    for function in (percentile_interval, paired_p_value):
        with pytest.raises(ValueError, match="no replicate is defined"):
            function(np.array([np.nan]))


def test_the_p_value_by_hand():
    nine_up = np.array([1.0] * 9 + [-1.0])
    assert paired_p_value(nine_up) == pytest.approx(2 * (1 + 1) / 11)
    assert paired_p_value(-nine_up) == paired_p_value(nine_up)
    assert paired_p_value(np.ones(999)) == pytest.approx(2 / 1000)
    # Equal replicates speak for neither side.
    assert paired_p_value(np.zeros(999)) == 1
    assert paired_p_value(np.array([-1.0, 1.0])) == 1
    assert paired_p_value(np.array([1.0, 1.0, 0.0])) == 1


def test_a_paired_bootstrap_sees_what_two_intervals_hide():
    # Two encoders that agree on nearly every item: their intervals overlap, the difference is
    # certain.
    generator = np.random.default_rng(4)
    first = generator.random(500) < 0.5
    second = first.copy()
    second[np.flatnonzero(~first)[:12]] = True
    found = replicate("bel", 500, {"a": accuracy_metric(first), "b": accuracy_metric(second)})
    a, b = percentile_interval(found["a"]), percentile_interval(found["b"])
    assert a[0] < b[0] < a[1] < b[1]
    assert paired_p_value(found["b"] - found["a"]) == pytest.approx(2 / 1001)
