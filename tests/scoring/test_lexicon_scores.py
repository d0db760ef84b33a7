"""Lexicon scores by hand, and the command end to end."""

import json

import numpy as np
import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.rankings import RankedTranslation, write_rankings
from workflow_scripts.scoring.bootstrap import resamples
from workflow_scripts.scoring.details import read_details
from workflow_scripts.scoring.lexicon import coverage, gold_targets, hits_at
from workflow_scripts.scoring.score_lexicon import main
from workflow_scripts.scoring.tidy_scores import read_scores

# Source word 7 has two translations; the one of 9 is outside the vocabulary.
SOURCE = {"vocabulary": [7, 8, 9], "train": [1], "test": [7, 8, 7, 9]}
TARGET = {"vocabulary": [30, 20, 10, 40, 50, 60], "train": [1], "test": [10, 20, 30, 99]}
GOLD = [{10, 30}, {20}, {99}]


def test_gold_targets_are_gathered_by_first_occurrence_of_the_source():
    assert gold_targets(SOURCE["test"], TARGET["test"]) == GOLD


def test_any_gold_target_counts_once():
    ranked = [[30, 20], [10, 20], [10, 20]]
    assert hits_at(1, ranked, GOLD) == [True, False, False]
    assert hits_at(2, ranked, GOLD) == [True, True, False]
    assert coverage(TARGET["vocabulary"], GOLD) == pytest.approx(2 / 3)


@pytest.fixture
def score(tmp_path):
    """Return a function that writes the files of a lexicon, runs the command and reads scores."""
    output, details = tmp_path / "scores.tsv", tmp_path / "scores.npz"
    # best rows: query 0 -> word 30 (row 0), query 1 -> 20 (row 1) at rank 3, query 2 -> wrong
    best = {0: [0, 1, 2, 3, 4], 1: [2, 0, 1, 3, 4], 2: [0, 1, 2, 3, 4]}
    whole = [
        RankedTranslation("bli-aa-bb", query, rank, row, 1 / rank)
        for query, rows in best.items()
        for rank, row in enumerate(rows, start=1)
    ]

    def run(*options, ranks=whole, **changes):
        arguments = []
        for side, entry in (("source", SOURCE), ("target", TARGET)):
            items = tmp_path / f"{side}.json"
            entry = {"task": "lexicon-side", "side": side, "dropped": {"blank": 2}} | entry
            entry |= changes.get(side, {})
            items.write_text(json.dumps({"datasets": {"bli-aa-bb": entry}}), encoding="utf-8")
            arguments.append(f"--{side}-items={items}")
        write_rankings(tmp_path / "ranks.tsv", RankedTranslation, ranks)
        arguments += ["--encoder=bert-aa--bert-bb/mirror-word/words-aa--words-bb/seed33"]
        arguments += ["--dataset=bli-aa-bb", f"--ranks={tmp_path / 'ranks.tsv'}"]
        main([*arguments, f"--output={output}", f"--details={details}", *options])
        return read_scores(output)

    run.output, run.details, run.whole = output, details, whole
    return run


def test_scores_of_a_lexicon(score):
    one, five = score()
    assert (one.metric, five.metric) == ("accuracy@1", "accuracy@5")
    assert one.value == pytest.approx(1 / 3, abs=1e-6)
    assert five.value == pytest.approx(2 / 3, abs=1e-6)
    assert one.n == 3 and one.coverage == pytest.approx(2 / 3, abs=1e-6)
    assert one.dropped == {"blank": 2}
    assert (one.model, one.corpus, one.seed) == ("bert-aa--bert-bb", "words-aa--words-bb", 33)
    assert (one.dataset, one.split) == ("bli-aa-bb", "test")


def test_the_items_of_the_bootstrap_are_the_distinct_source_words(score):
    scores = score()
    details = read_details(score.details)
    indices = np.concatenate(list(resamples("bli-aa-bb", len(GOLD))))
    for row, hits in zip(scores, ([1, 0, 0], [1, 1, 0]), strict=True):
        replicates = details.pop(f"replicates/bli-aa-bb/{row.metric}")
        np.testing.assert_allclose(replicates, np.array(hits)[indices].mean(axis=1), atol=1e-12)
        assert [row.low, row.high] == pytest.approx(
            np.percentile(replicates, [2.5, 97.5]), abs=1e-6
        )
    assert not details


def test_incomplete_or_foreign_rankings_are_refused(score):
    whole = score.whole
    cases = [
        (whole[:-1], "query 2 has 4 ranked rows of the 5 that are scored"),
        (whole[5:], "query 0 has 0 ranked rows"),
        ([*whole, RankedTranslation("bli-aa-bb", 3, 1, 0, 0.5)], "query 3 is unknown"),
        ([*whole, whole[0]], "two words of rank 1 for query 0"),
        ([RankedTranslation("bli-aa-cc", 0, 1, 0, 0.5)], "translations of bli-aa-cc"),
        ([*whole[:-1], RankedTranslation("bli-aa-bb", 2, 5, 6, 0.5)], "query 2 has row 6 of 6"),
    ]
    for ranks, message in cases:
        with pytest.raises(UserError, match=message):
            score(ranks=ranks)
    assert not score.output.exists() and not score.details.exists()
    assert len(score("--accuracy-at", "1", "4", ranks=whole[:-1])) == 2


def test_sides_that_do_not_belong_together_are_refused(score):
    with pytest.raises(UserError, match="4 source and 1 target words"):
        score(target={"test": [10]})
    with pytest.raises(UserError, match="do not hold its source side"):
        score(source={"side": "target"})
    with pytest.raises(UserError, match="string 30 is twice in the target vocabulary"):
        score(target={"vocabulary": [30, 20, 10, 40, 50, 30]})
    with pytest.raises(UserError, match="no test pairs"):
        score(source={"test": []}, target={"test": []})
    with pytest.raises(UserError, match="encoder 'a/b'"):
        score("--encoder=a/b")
    assert not score.output.exists() and not score.details.exists()
