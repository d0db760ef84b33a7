"""The command that scores a suite, end to end on tiny files; what it imports."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval import link_entities
from workflow_scripts.retrieval.rankings import RankedName, write_rankings
from workflow_scripts.scoring import measurement
from workflow_scripts.scoring.bootstrap import resamples
from workflow_scripts.scoring.details import read_details
from workflow_scripts.scoring.isotropy import isotropy_score
from workflow_scripts.scoring.score_suite import main
from workflow_scripts.scoring.suite_scores import score_datasets
from workflow_scripts.scoring.tidy_scores import EncoderIds, read_scores

ENCODER = "bert/mirror-word/words-en/seed33"
PAIRS = {
    "task": "similarity",
    "split": "test",
    "left": [0, 1, 2, 3, 4],
    "right": [5, 6, 7, 8, 9],
    "gold": [1.0, 2.0, 2.0, 4.0, 0.5],
    "subset": [""] * 5,
    "dropped": {"no score": 3, "empty": 2},
}
LINKS = {
    "task": "entity-linking",
    "split": "test",
    "names": [0, 1, 2, 3, 4],
    "name_concepts": [["D0"], ["D1"], ["D2"], ["D3"], ["D3"]],
    "mentions": [[0], [1, 2], [5], [6]],
    "gold": [[["D0"]], [["D1"], ["D2"]], [["D9"]], [["D1", "D3"]]],
    "dropped": {"cui-less": 4},
}
CLASSES = {
    "task": "pair-classification",
    "split": "dev",
    "left": [0, 1, 2, 3, 4],
    "right": [5, 6, 7, 8, 9],
    "label": [1, 0, 1, 1, 0],
    "dropped": {"empty": 5},
}
STRINGS = {"task": "isotropy", "split": "test", "strings": [1, 4, 5, 7, 9], "dropped": {}}
VECTORS = np.random.default_rng(0).normal(size=(10, 6)).astype(np.float32)
COSINES = 1 - np.array(
    [
        scipy.spatial.distance.cosine(*pair)
        for pair in VECTORS.astype(float).reshape(2, 5, 6).swapaxes(0, 1)
    ]
)


@pytest.fixture
def score(tmp_path):
    """Return a function that writes a suite, runs the command and reads the scores."""
    items, vectors = tmp_path / "items.json", tmp_path / "suite.npy"
    links = tmp_path / "links.tsv"
    output, details = tmp_path / "scores.tsv", tmp_path / "scores.npz"

    def run(datasets, *options, matrix=VECTORS):
        items.write_text(json.dumps({"suite": "s", "datasets": datasets}), encoding="utf-8")
        np.save(vectors, matrix)
        main(
            [
                f"--encoder={ENCODER}",
                f"--items={items}",
                f"--vectors={vectors}",
                f"--output={output}",
                f"--details={details}",
                *options,
            ]
        )
        return read_scores(output)

    run.items, run.vectors, run.links, run.output = items, vectors, links, output
    run.details = details
    return run


def test_similarity_is_spearman_of_cosine(score):
    (row,) = score({"sts12": PAIRS})
    assert row.value == pytest.approx(
        scipy.stats.spearmanr(COSINES, PAIRS["gold"]).statistic, abs=1e-6
    )
    assert (row.dataset, row.split, row.metric) == ("sts12", "test", "spearman")
    assert (row.n, row.coverage, row.dropped) == (5, 0.5, {"no score": 3, "empty": 2})
    assert (row.model, row.recipe, row.corpus, row.seed) == ("bert", "mirror-word", "words-en", 33)


def test_pair_classification_is_the_area_under_the_curve_of_cosines(score):
    (row,) = score({"qnli": CLASSES})
    expected = sklearn.metrics.roc_auc_score(CLASSES["label"], COSINES)
    assert row.value == pytest.approx(expected, abs=1e-6)
    assert (row.dataset, row.split, row.metric) == ("qnli", "dev", "auc")
    assert (row.n, row.coverage, row.dropped) == (5, 0.5, {"empty": 5})
    details = read_details(score.details)
    assert set(details) == {"replicates/qnli/auc", "cosines/qnli", "labels/qnli"}
    np.testing.assert_allclose(details["cosines/qnli"], COSINES, atol=1e-6)
    assert details["cosines/qnli"].dtype == np.float32
    np.testing.assert_array_equal(
        details["labels/qnli"], np.array([1, 0, 1, 1, 0], dtype=np.int8), strict=True
    )


def test_isotropy_has_three_metrics_and_no_interval(score):
    rows = {row.metric: row for row in score({"words": STRINGS})}
    chosen = VECTORS[[1, 4, 5, 7, 9]].astype(np.float64)
    assert list(rows) == ["mvn", "is_eig", "is_paper"]
    assert rows["mvn"].value == pytest.approx(np.linalg.norm(chosen.mean(axis=0)), abs=1e-6)
    # A null space of one dimension: its vector is one up to the sign, which is fixed.
    for metric in ("is_eig", "is_paper"):
        assert rows[metric].value == pytest.approx(isotropy_score(chosen, metric), rel=1e-5)
    assert {(row.n, row.coverage, row.low, row.high) for row in rows.values()} == {
        (5, 1.0, None, None)
    }
    assert read_details(score.details) == {}


def test_details_hold_replicates_and_the_interval_is_theirs(score):
    write_rankings(score.links, RankedName, whole_links())
    datasets = {"ncbi-disease": LINKS, "sts12": PAIRS, "qnli": CLASSES, "words": STRINGS}
    rows = score(datasets, f"--links={score.links}")
    details = read_details(score.details)
    measured = [row for row in rows if row.dataset != "words"]
    assert [f"replicates/{row.dataset}/{row.metric}" for row in measured] == [
        name for name in details if name.startswith("replicates/")
    ]
    for row in measured:
        replicates = details[f"replicates/{row.dataset}/{row.metric}"]
        assert replicates.shape == (1000,) and replicates.dtype == np.float64
        expected = np.nanpercentile(replicates, [2.5, 97.5])
        assert [row.low, row.high] == pytest.approx(expected, abs=1e-6)
    indices = np.concatenate(list(resamples("sts12", 5)))
    gold = np.array(PAIRS["gold"])
    for items, found in list(zip(indices, details["replicates/sts12/spearman"], strict=True))[:50]:
        if len(set(gold[items])) > 1:
            expected = scipy.stats.spearmanr(COSINES[items], gold[items]).statistic
            assert found == pytest.approx(expected, abs=1e-12)
        else:
            assert np.isnan(found)


def test_scores_without_details_draw_no_resample(monkeypatch):
    monkeypatch.setattr(measurement, "replicate", None)
    (row,) = score_datasets(EncoderIds.parse(ENCODER), {"sts12": PAIRS}, VECTORS)
    assert (row.low, row.high) == (None, None)


def test_a_whole_suite_from_vectors_to_scores(score):
    datasets = {"ncbi-disease": LINKS, "sts12": PAIRS, "bli-en-fr": {"task": "lexicon-side"}}
    score({"sts12": PAIRS})
    score.items.write_text(json.dumps({"datasets": datasets}), encoding="utf-8")
    link_entities.main(
        [
            f"--vectors={score.vectors}",
            f"--items={score.items}",
            "--similarity=cosine",
            f"--output={score.links}",
        ]
    )
    rows = {(row.dataset, row.metric): row for row in score(datasets, f"--links={score.links}")}
    assert set(rows) == {
        ("ncbi-disease", "accuracy@1"),
        ("ncbi-disease", "accuracy@5"),
        ("sts12", "spearman"),
    }
    # The first two mentions are names themselves; the third has no concept in the dictionary; all
    # names are within five, so that @5 equals the coverage.
    one, five = rows["ncbi-disease", "accuracy@1"], rows["ncbi-disease", "accuracy@5"]
    assert one.value >= 0.5
    assert five.value == five.coverage == one.coverage == 0.75
    assert (five.n, five.dropped) == (4, {"cui-less": 4})


def whole_links():
    return [
        RankedName("ncbi-disease", query, part, rank, rank - 1, 0.5)
        for query, parts in enumerate(LINKS["mentions"])
        for part in range(len(parts))
        for rank in range(1, 6)
    ]


def test_rows_of_links_are_counted_as_they_stand(score):
    # Every part ranks the names in the order of the dictionary.
    write_rankings(score.links, RankedName, whole_links())
    values = [
        row.value
        for row in score(
            {"ncbi-disease": LINKS}, f"--links={score.links}", "--accuracy-at", "1", "2", "3"
        )
    ]
    assert values == [0.25, 0.5, 0.75]


def test_incomplete_links_are_refused(score):
    links = whole_links()
    cases = [
        (links[1:], r"query \(0, 0\) has 4 ranked rows of the 5"),
        (links[:5] + links[10:], r"query \(1, 1\) has 0 ranked|query \(1, 0\) has 0 ranked"),
        (
            [*links, RankedName("ncbi-disease", 9, 0, 1, 0, 0.5)],
            r"query \(9, 0\) is unknown",
        ),
        ([*links, RankedName("ncbi-disease", 0, 0, 1, 3, 0.5)], "two names of rank 1"),
        ([RankedName("other", 0, 0, 1, 3, 0.5)], "has 0 ranked rows"),
    ]
    for rows, message in cases:
        write_rankings(score.links, RankedName, rows)
        with pytest.raises(UserError, match=message):
            score({"ncbi-disease": LINKS}, f"--links={score.links}")
    assert not score.output.exists() and not score.details.exists()


@pytest.mark.parametrize(
    ("datasets", "message"),
    [
        ({"ncbi-disease": LINKS}, "give the output of link_entities with --links"),
        ({"sts12": PAIRS | {"gold": [1.0] * 5}}, "dataset sts12: all gold scores are 1"),
        ({"sts12": PAIRS | {"gold": [1.0]}}, "5, 5 and 1 items"),
        ({"sts12": PAIRS | {"left": [0, 1, 2, 3, 10]}}, "no row for string 10"),
        ({"sts12": PAIRS | {"left": [], "right": [], "gold": []}}, "of 0 pairs"),
        ({"sts12": {"task": "similarity"}}, "dataset sts12: its items have no 'left'"),
        ({"qnli": {"task": "entailment-ranking"}}, "no scoring for the task 'entailment-ranking'"),
        ({"bli-en-fr": {"task": "lexicon-side"}}, "lexicons, which are scored with score_lexicon"),
        ({"qnli": CLASSES | {"label": [1] * 5}}, "dataset qnli: 5 of 5 pairs have label 1"),
        ({"qnli": CLASSES | {"label": [1, 0, 1, 0, 2]}}, "dataset qnli: label 4 is 2, not 0 or 1"),
        ({"qnli": CLASSES | {"label": [1, 0]}}, "5, 5 and 2 items in left, right and label"),
        ({"qnli": {"task": "pair-classification"}}, "dataset qnli: its items have no 'left'"),
        ({"words": {"task": "isotropy"}}, "dataset words: its items have no 'strings'"),
        ({"words": {"task": "isotropy", "strings": []}}, "dataset words: isotropy of no vectors"),
        ({"words": STRINGS | {"strings": [3, 4, 3]}}, "string 3 is twice in its strings"),
        ({"words": STRINGS | {"strings": [3, 10]}}, "no row for string 10"),
        ({}, "the suite holds no dataset"),
    ],
)
def test_mistakes_give_one_clear_error_and_no_file(score, datasets, message):
    with pytest.raises(UserError) as caught:
        score(datasets)
    assert message in str(caught.value)
    assert not score.output.exists() and not score.details.exists()


def test_nan_names_encoder_and_string(score):
    matrix = VECTORS.copy()
    matrix[7, 2] = np.nan
    with pytest.raises(UserError) as caught:
        score({"sts12": PAIRS}, matrix=matrix)
    assert f"encoder {ENCODER}, dataset sts12" in str(caught.value)
    assert "string 7 holds NaN" in str(caught.value)


def test_a_collapsed_encoder_is_named(score):
    with pytest.raises(UserError, match=f"encoder {ENCODER}, dataset sts12: all predicted scores"):
        score({"sts12": PAIRS}, matrix=np.ones_like(VECTORS))


@pytest.mark.parametrize("command", ["score_suite", "score_lexicon"])
def test_scoring_imports_no_heavy_package(project, command):
    code = (
        f"import sys, workflow_scripts.scoring.{command}\n"
        "print([m for m in ('torch', 'faiss', 'scipy', 'sklearn', 'pandas', 'transformers') "
        "if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_tidy_scores_import_the_standard_library_only(project):
    code = "import sys, workflow_scripts.scoring.tidy_scores\nprint('numpy' in sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
