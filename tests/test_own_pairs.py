"""Your own scored pairs: to score on while tuning, and to score one or two encoders on."""

import json
import math

import numpy as np
import pandas
import pytest
import scipy.stats
from sklearn.metrics import roc_auc_score
from tiny_models import tiny_bert

import mirror_bert
from workflow_scripts import evaluate, tune
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.paired_differences import Difference, verdict

__all__ = ["tiny_bert"]

WORDS = ["cat", "dog", "car", "sky", "house", "tree", "kitten", "truck"]
PAIRS = [
    (left, right, float((3 * n + 5 * m) % 7))
    for n, left in enumerate(WORDS)
    for m, right in enumerate(WORDS)
    if n < m
]
COLUMNS = ("--pair-columns", "left", "right", "score")


@pytest.fixture
def files(tmp_path):
    frame = pandas.DataFrame(PAIRS, columns=["left", "right", "score"])
    frame.to_csv(tmp_path / "mine.csv", index=False)
    frame.assign(score=(frame["score"] > 3).astype(int)).to_parquet(tmp_path / "labels.parquet")
    (tmp_path / "words.txt").write_text("".join(f"{word}\n" for word in WORDS))
    return tmp_path


def cosines(model):
    encoder = mirror_bert.load(model, pooling="mean")
    sides = [encoder.encode([pair[side] for pair in PAIRS]) for side in (0, 1)]
    norms = [np.linalg.norm(side, axis=1) for side in sides]
    return (sides[0] * sides[1]).sum(axis=1) / (norms[0] * norms[1])


def test_pairs_of_tables_are_scored_as_scipy_and_sklearn_score_them(files, tiny_bert):
    argv = ["--model", str(tiny_bert), "--pooling", "mean", "--output", str(files / "s.json")]
    tables = ["--pairs", str(files / "mine.csv"), str(files / "labels.parquet")]
    evaluate.main([*argv, *tables, *COLUMNS])
    rows = json.loads((files / "s.json").read_text())
    values = {(row["dataset"], row["metric"]): row["value"] for row in rows}
    predicted, gold = cosines(str(tiny_bert)), np.array([pair[2] for pair in PAIRS])
    labels = gold > 3
    assert values == pytest.approx(
        {
            ("mine", "spearman"): scipy.stats.spearmanr(predicted, gold).statistic,
            ("labels", "spearman"): scipy.stats.spearmanr(predicted, labels).statistic,
            ("labels", "auc"): roc_auc_score(labels, predicted),
        }
    )
    frame = mirror_bert.evaluate(mirror_bert.load(tiny_bert, pooling="mean"), pairs={"mine": PAIRS})
    assert frame["value"].tolist() == [values["mine", "spearman"]]


SETTINGS = {"batch_size": 4, "learning_rate": 0.01, "pooling": "mean"}


def assert_both_tune(files, model, pairs, epochs, *words):
    """Tune by the command and from Python on pairs for development: to the same encoder."""
    settings = {**SETTINGS, "epochs": epochs}
    argv = ["--model", str(model), "--recipe", "mirror-word", "--seed", "33", "--device", "cpu"]
    argv += ["--set", *(f"{key}={value}" for key, value in settings.items())]
    argv += ["--corpus", str(files / "words.txt"), "--output", str(files / "encoder")]
    argv += ["--development-pairs", str(files / "mine.csv"), *COLUMNS, "--development-every", "1"]
    tune.main([*argv, *words])
    development = {"development": pairs, "development_every": 1, "device": "cpu"}
    encoder = mirror_bert.tune(str(model), WORDS, recipe="mirror-word", **development, **settings)
    written = mirror_bert.load(files / "encoder")
    assert (encoder.encode(WORDS) == written.encode(WORDS)).all()


def test_the_best_weights_on_own_pairs_are_kept(files, tiny_bert):
    assert_both_tune(files, tiny_bert, PAIRS, 4, "--step-log", str(files / "log.jsonl"))
    scores = [json.loads(line)["development"] for line in (files / "log.jsonl").open()]
    best = scipy.stats.spearmanr(cosines(str(files / "encoder")), [pair[2] for pair in PAIRS])
    assert best.statistic == pytest.approx(max(scores), abs=1e-6)
    assert max(scores) > min(scores)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "--datasets: nothing to score on; give --datasets, --pairs or both"),
        (["--pairs", "mine.csv"], r"--pairs .*mine.csv: has the columns left, right, score; name"),
        (["--pairs", "none.csv", *COLUMNS], "--pairs .*none.csv: no such file"),
        (["--pairs", "words.txt", *COLUMNS], r"words.txt:1: no column 'left'"),
        (
            ["--pairs", "mine.csv", "--pair-columns", "left", "right", "left"],
            r"mine.csv:2: expected",
        ),
        (["--datasets", "stsb-dev"], "--data-root: missing; give the folder"),
        (["--pairs", "mine.csv", "mine.csv", *COLUMNS], "mine: the name of two data sets"),
    ],
)
def test_mistakes_with_pairs_are_one_line(words, message, files, tiny_bert, monkeypatch):
    monkeypatch.chdir(files)
    with pytest.raises(UserError, match=message):
        evaluate.main(
            ["--model", str(tiny_bert), "--pooling", "mean", "--output", "s.json", *words]
        )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "mine: no pairs"),
        ([("a", "b", 1), ("c", "d", 1)], "mine: all pairs have the same score"),
        ([("a", "b")], r"mine\[0\]: not two strings and a score"),
        ([("a", 1, 2)], r"mine\[0\]: not two strings and a score"),
        ([("a", "b", "high")], "mine:1: expected a number, found 'high'"),
        ([("a", " ", 1)], "mine:1: "),
    ],
)
def test_mistakes_with_listed_pairs_are_one_line(rows, message, tiny_bert):
    with pytest.raises(UserError, match=message):
        encoder = mirror_bert.load(tiny_bert, pooling="mean")
        mirror_bert.evaluate(encoder, pairs={"mine": rows})


def test_a_verdict_says_whether_and_how_many_items_show_a_difference():
    """A mean difference of .1 with a deviation of 1: 785 items (two-sided 5%, power 80%)."""
    error = 1 / math.sqrt(100)
    interval = (0.1 - 1.959964 * error, 0.1 + 1.959964 * error)
    row = Difference("mine", "spearman", 0.6, 0.5, 0.1, *interval, 0.32)
    assert verdict(row, 100) == (
        "mine, spearman: higher by 0.1000, not shown by 100 items (p = 0.320); "
        "it would take about 790"
    )
    assert verdict(row._replace(p_value=0.01), 1000) == (
        "mine, spearman: higher by 0.1000, shown by 1,000 items (p = 0.010)"
    )
    lower = row._replace(difference=-0.1, p_value=0.01)
    assert verdict(lower, 9) == "mine, spearman: lower by 0.1000, shown by 9 items (p = 0.010)"
    assert verdict(row._replace(difference=0.0), 9) == "mine, spearman: no difference"
    assert verdict(row._replace(difference=0.013), 100).endswith("about 47,000")
    # never fewer than were not enough
    assert verdict(row._replace(difference=5.0), 8).endswith("about 9")
    assert verdict(row._replace(difference=5.0), 100).endswith("about 110")


# ---- halves --------------------------------------------------------------------------------------


def test_halves_are_of_one_size_and_do_not_depend_on_the_order():
    halves = mirror_bert.split_pairs(PAIRS)
    assert [*map(len, halves)] == [14, 14] and sorted([*halves[0], *halves[1]]) == sorted(PAIRS)
    turned = [(right, left, score) for left, right, score in reversed(PAIRS)]
    own = [{frozenset(pair[:2]) for pair in half} for half in mirror_bert.split_pairs(turned)]
    assert own == [{frozenset(pair[:2]) for pair in half} for half in halves]
    # a repeated pair is in one half
    again = mirror_bert.split_pairs([*PAIRS, *PAIRS])
    assert [{*half} for half in again] == [{*half} for half in halves]
    assert mirror_bert.split_pairs([]) == ([], [])


def test_scores_of_a_sorted_file_are_in_both_halves():
    scored = [(f"a{n}", f"b{n}", n // 100) for n in range(200)]
    right = [sum(score for *_, score in half) for half in mirror_bert.split_pairs(scored)]
    assert min(right) > 35


def test_commands_take_one_half_each(files, tiny_bert):
    """The scores of `evaluate`, and the best weights of `tune`, are those of the half."""
    first, second = mirror_bert.split_pairs(PAIRS)
    argv = ["--model", str(tiny_bert), "--pooling", "mean", "--output", str(files / "s.json")]
    table = ["--pairs", str(files / "mine.csv"), *COLUMNS, "--pair-half"]
    encoder = mirror_bert.load(tiny_bert, pooling="mean")
    for half, pairs in (("first", first), ("second", second)):
        evaluate.main([*argv, *table, half])
        [row] = json.loads((files / "s.json").read_text())
        frame = mirror_bert.evaluate(encoder, pairs={"mine": pairs})
        assert (row["dataset"], row["n"]) == (f"mine-{half}-half", 14)
        assert row["value"] == frame["value"][0]
    assert_both_tune(files, tiny_bert, first, 2, "--pair-half", "first")


def test_a_half_of_no_pairs_is_one_line(files, tiny_bert):
    words = ["--model", str(tiny_bert), "--output", str(files / "o"), "--pair-half", "first"]
    with pytest.raises(UserError, match="--pair-half: no pairs; give --pairs too"):
        evaluate.main([*words, "--pooling", "mean", "--datasets", "stsb", "--data-root", "."])
    words += ["--recipe", "mirror-word", "--corpus", str(files / "words.txt")]
    with pytest.raises(UserError, match="--pair-half: no pairs; give --development-pairs too"):
        tune.main(words)
