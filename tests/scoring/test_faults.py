"""Faults at the command line: exit code 2, one line, no file; then the mended run succeeds."""

import json
import subprocess
import sys

import numpy as np
import pytest

from workflow_scripts.retrieval.rankings import RankedTranslation, write_rankings
from workflow_scripts.scoring.details import read_details
from workflow_scripts.scoring.tidy_scores import read_scores

VECTORS = np.random.default_rng(0).normal(size=(8, 5)).astype(np.float32)
LEFT, RIGHT = [0, 1, 2, 3], [4, 5, 6, 7]
SUITE = {
    "pairs": {"task": "similarity", "left": LEFT, "right": RIGHT, "gold": [1, 2, 3, 4]},
    "qnli": {"task": "pair-classification", "left": LEFT, "right": RIGHT, "label": [0, 1, 0, 1]},
    "words": {"task": "isotropy", "strings": [0, 1, 2, 5, 6, 7]},
}
SIDES = {
    "source": {"task": "lexicon-side", "vocabulary": [0, 1], "train": [0], "test": [0, 1]},
    "target": {"task": "lexicon-side", "vocabulary": [3, 4, 5], "train": [3], "test": [4, 5]},
}


@pytest.fixture
def run_command(project, tmp_path):
    """Return a function that runs a scoring command and returns exit code and standard error."""

    def run(command, *options):
        result = subprocess.run(
            [
                *(sys.executable, "-m", f"workflow_scripts.scoring.{command}"),
                "--encoder=m/r/c/seed1",
                f"--output={tmp_path / 'out' / 'scores.tsv'}",
                f"--details={tmp_path / 'out' / 'scores.npz'}",
                *map(str, options),
            ],
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
        )
        return result.returncode, result.stderr

    return run


@pytest.fixture
def score_suite(run_command, tmp_path):
    """Return a function that writes items and vectors of a suite and scores it."""

    def score(items, vectors=VECTORS):
        (tmp_path / "items.json").write_text(items, encoding="utf-8")
        np.save(tmp_path / "suite.npy", vectors)
        files = (f"--items={tmp_path / 'items.json'}", f"--vectors={tmp_path / 'suite.npy'}")
        return run_command("score_suite", *files)

    return score


@pytest.fixture
def score_lexicon(run_command, tmp_path):
    """Return a function that writes the sides of a lexicon and its rankings, and scores it."""
    ranked = [
        RankedTranslation("bli", query, rank, rank - 1, 1 / rank)
        for query in range(2)
        for rank in (1, 2, 3)
    ]

    def score(changes):
        write_rankings(tmp_path / "ranks.tsv", RankedTranslation, ranked)
        files = []
        for side, entry in SIDES.items():
            entry = {**entry, "side": side, **changes.get(side, {})}
            path = tmp_path / f"{side}.json"
            path.write_text(json.dumps({"datasets": {"bli": entry}}), encoding="utf-8")
            files.append(f"--{side}-items={path}")
        files += ["--dataset=bli", f"--ranks={tmp_path / 'ranks.tsv'}", "--accuracy-at=1"]
        return run_command("score_lexicon", *files)

    return score


def assert_one_clear_error(found, tmp_path, message):
    code, error = found
    assert code == 2
    assert error.startswith("error: ") and error.count("\n") == 1 and error.endswith("\n")
    assert message in error
    assert not (tmp_path / "out").exists()


def items(**changes):
    return json.dumps({"datasets": {**SUITE, **changes}})


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (items(pairs={**SUITE["pairs"], "gold": []}), "dataset pairs: 4, 4 and 0 items in left"),
        (items(pairs={"task": "similarity"}), "dataset pairs: its items have no 'left'"),
        (items(qnli={**SUITE["qnli"], "label": [0] * 4}), "dataset qnli: 0 of 4 pairs have label"),
        (
            items(pairs={"task": "similarity", "left": LEFT, "right": RIGHT}),
            "dataset pairs: its items have no 'gold'",
        ),
        (
            items(pairs={"task": "similarity", "left": [], "right": [], "gold": []}),
            "dataset pairs: Spearman's correlation of 0 pairs",
        ),
        (
            items(words={"task": "isotropy", "strings": [0, 3, 0]}),
            "dataset words: string 0 is twice in its strings",
        ),
        (
            items().replace('"qnli"', '"pairs"'),
            "items.json: the key 'pairs' is there twice",
        ),
    ],
)
def test_items_without_gold_or_with_an_id_twice(score_suite, tmp_path, fault, message):
    assert_one_clear_error(score_suite(fault), tmp_path, message)
    mended, _ = score_suite(items())
    assert mended == 0
    metrics = [row.metric for row in read_scores(tmp_path / "out" / "scores.tsv")]
    assert metrics == ["spearman", "auc", "mvn", "is_eig", "is_paper"]
    assert len(read_details(tmp_path / "out" / "scores.npz")) == 4


@pytest.mark.parametrize("dataset", sorted(SUITE))
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_vectors_that_are_not_finite(score_suite, tmp_path, dataset, wrong):
    vectors = VECTORS.copy()
    vectors[6, 1] = wrong
    found = score_suite(json.dumps({"datasets": {dataset: SUITE[dataset]}}), vectors)
    message = f"encoder m/r/c/seed1, dataset {dataset}: vectors: the vector of string 6 holds NaN"
    assert_one_clear_error(found, tmp_path, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": {"vocabulary": [3, 4, 3]}}, "string 3 is twice in the target vocabulary"),
        ({"source": {"vocabulary": [1, 1]}}, "string 1 is twice in the source vocabulary"),
        ({"source": {"test": []}, "target": {"test": []}}, "dataset bli: no test pairs"),
    ],
)
def test_lexicons_without_gold_or_with_an_id_twice(score_lexicon, tmp_path, changes, message):
    assert_one_clear_error(score_lexicon(changes), tmp_path, message)
    assert score_lexicon({})[0] == 0
    (row,) = read_scores(tmp_path / "out" / "scores.tsv")
    assert (row.value, row.n) == (0, 2)


@pytest.mark.parametrize("command", ["score_suite", "score_lexicon"])
def test_the_details_are_asked_for(project, command):
    result = subprocess.run(
        [sys.executable, "-m", f"workflow_scripts.scoring.{command}", "--encoder=m/r/c/seed1"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2 and "--details" in result.stderr.splitlines()[-1]
