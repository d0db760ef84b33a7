"""The command that scores a suite, end to end on tiny files; what it imports."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval import link_entities
from workflow_scripts.retrieval.rankings import RankedName, write_rankings
from workflow_scripts.scoring.score_suite import main
from workflow_scripts.scoring.tidy_scores import read_scores

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
VECTORS = np.random.default_rng(0).normal(size=(10, 6)).astype(np.float32)


@pytest.fixture
def score(tmp_path):
    """Return a function that writes a suite, runs the command and reads the scores."""
    items, vectors = tmp_path / "items.json", tmp_path / "suite.npy"
    links, output = tmp_path / "links.tsv", tmp_path / "scores.tsv"

    def run(datasets, *options, matrix=VECTORS):
        items.write_text(json.dumps({"suite": "s", "datasets": datasets}), encoding="utf-8")
        np.save(vectors, matrix)
        main(
            [
                f"--encoder={ENCODER}",
                f"--items={items}",
                f"--vectors={vectors}",
                f"--output={output}",
                *options,
            ]
        )
        return read_scores(output)

    run.items, run.vectors, run.links, run.output = items, vectors, links, output
    return run


def test_similarity_is_spearman_of_cosine(score):
    (row,) = score({"sts12": PAIRS})
    a, b = VECTORS[:5].astype(float), VECTORS[5:].astype(float)
    cosines = (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    assert row.value == pytest.approx(
        scipy.stats.spearmanr(cosines, PAIRS["gold"]).statistic, abs=1e-6
    )
    assert (row.dataset, row.split, row.metric) == ("sts12", "test", "spearman")
    assert (row.n, row.coverage, row.dropped) == (5, 0.5, {"no score": 3, "empty": 2})
    assert (row.model, row.recipe, row.corpus, row.seed) == ("bert", "mirror-word", "words-en", 33)


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
    assert not score.output.exists()


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
        ({"bli-en-fr": {"task": "lexicon-side"}}, "lexicons are scored with score_lexicon"),
        ({}, "the suite holds no dataset"),
    ],
)
def test_mistakes_give_one_clear_error_and_no_file(score, datasets, message):
    with pytest.raises(UserError) as caught:
        score(datasets)
    assert message in str(caught.value)
    assert not score.output.exists()


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
        "print([m for m in ('torch', 'faiss', 'scipy', 'pandas', 'transformers') "
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
