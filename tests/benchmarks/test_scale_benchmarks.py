"""Benchmarks at the size of ontologies, tiny: every way, and the other ways against plain sums."""

import numpy as np
import pytest
from command_words import as_argv

from benchmarks import run_benchmarks, scale_measures
from benchmarks.measurements import read_measurements
from benchmarks.scale_workloads import CSLS_WAYS, LINKING_WAYS, combine_names


@pytest.mark.usefixtures("inside")
def test_every_way_links_and_translates_the_same(sample_data, tiny_bert, tmp_path):
    paths = {"--data": sample_data, "--model": tiny_bert, "--output": tmp_path / "bench.md"}
    only = {"--only": "linking,linking-wide,csls-fifth,csls-whole", "--threads": 1}
    run_benchmarks.main([*as_argv(paths | only), "--quick"])
    values = {}
    for row in read_measurements(tmp_path / "bench.tsv"):
        values.setdefault((row.task, row.way), {})[row.measure] = row.value
    assert values["names", "about"]["names"] == "600"
    assert values["whole", "mirror"]["words"] == "300"
    others = [("names", way) for way in LINKING_WAYS if way != "plain"]
    others += [(share, way) for share in ("fifth", "whole") for way in CSLS_WAYS if way != "plain"]
    for place in [*others, ("wide", "mirror")]:
        assert values[place]["differing"] == "0", place
    text = (tmp_path / "bench.md").read_text()
    for told in ("making the index", "linking", "keeping them", "searching them"):
        assert f"- Aim: {told} within 4 GiB of memory: reached, " in text
    assert "| this project, `link` | 600 | " in text


@pytest.fixture
def words():
    generator = np.random.default_rng(0)
    sources, targets = (generator.normal(size=(count, 8)) for count in (40, 50))
    sources, targets = (one / np.linalg.norm(one, axis=1)[:, None] for one in (sources, targets))
    return sources.astype(np.float32), targets.astype(np.float32)


@pytest.mark.parametrize("way", [scale_measures.csls_plainly, scale_measures.csls_by_faiss])
def test_the_other_ways_compute_csls(way, words, monkeypatch):
    monkeypatch.setattr(scale_measures, "_BLOCK", 7)
    sources, targets = words
    cosines = sources.astype(np.float64) @ targets.T
    forward = -np.sort(-cosines, axis=1)[:, :10].mean(axis=1, keepdims=True)
    backward = -np.sort(-cosines, axis=0)[:10].mean(axis=0)
    expected = 2 * cosines - forward - backward
    rows, scores = way(sources, targets, 3)
    np.testing.assert_array_equal(rows, np.argsort(-expected, axis=1)[:, :3])
    np.testing.assert_allclose(scores, -np.sort(-expected, axis=1)[:, :3], atol=1e-5)


def test_brute_force_is_a_stable_sort_of_all_products():
    generator = np.random.default_rng(1)
    queries, vectors = (generator.integers(-2, 3, size=(count, 4)) for count in (9, 60))
    queries, vectors = queries.astype(np.float32), vectors.astype(np.float16)
    scores = scale_measures.best_of_products(queries, vectors, 5, block=60)[1]
    products = queries @ vectors.T.astype(np.float32)
    np.testing.assert_array_equal(scores, -np.sort(-products, axis=1)[:, :5])
    again, same = scale_measures.best_of_products(queries, vectors, 5, block=7)
    np.testing.assert_array_equal(same, scores)
    assert (np.take_along_axis(products, again, axis=1) == scores).all()


def test_other_neighbours_count_only_where_scores_differ(tmp_path):
    job = {"way": "plain", "found": tmp_path / "found.npz"}
    rows, scores = np.array([[3, 4, 5]]), np.array([[0.9, 0.8, 0.7]])
    assert scale_measures.differences((rows, scores), job) == {}
    # equally near but for rounding; another, nearer one; the same
    found = np.array([[7, 8, 5]]), np.array([[0.9 + 1e-7, 0.85, 0.7]])
    told = scale_measures.differences(found, job | {"way": "mirror"})
    assert (told["other_rows"], told["differing"]) == (2, 1)
    assert told["largest_difference"] == pytest.approx(0.05)


def test_combined_names_differ_and_are_the_same_for_a_seed():
    names = ["lung cancer", "small cell lung cancer", "heart failure", "asthma"]
    found = combine_names(names, 100, 3)
    # three beginnings and as many ends, of one word or more
    heads, tails = ("lung", "small cell lung", "heart"), ("cancer", "failure", "asthma")
    assert sorted(found) == sorted(f"{head} {tail}" for head in heads for tail in tails)
    assert combine_names(names, 5, 3) == combine_names(names, 5, 3) != combine_names(names, 5, 4)
