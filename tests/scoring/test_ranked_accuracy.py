"""Accuracy@k of names and translations by hand, and `score_lexicon` end to end."""

import numpy as np
import pytest

from tests.support.suite_files import write_items
from workflow_scripts.retrieval.rankings import RankedTranslation, write_rankings
from workflow_scripts.scoring.bootstrap import resamples
from workflow_scripts.scoring.bootstrap_replicates import read_replicates
from workflow_scripts.scoring.ranked_accuracy import coverage, hits_at
from workflow_scripts.scoring.score_lexicon import main
from workflow_scripts.scoring.tidy_scores import read_scores

# Rows 0 and 1 are two names of one concept; row 3 stands for two concepts.
CONCEPTS = [["D1"], ["D1"], ["D2"], ["D3", "D4"]]
COMPOSITE = [[["D1"], ["D2"]]]


@pytest.mark.parametrize(
    ("k", "ranked", "gold", "hits"),
    [
        # k counts names: the gold concept is the second concept but the third name
        (2, [[[0, 1, 2]]], [[["D2"]]], [False]),
        (3, [[[0, 1, 2]]], [[["D2"]]], [True]),
        # any accepted id and any concept of a name
        (1, [[[3]]], [[["D9", "D4"]]], [True]),
        (1, [[[3]]], [[["D9"]]], [False]),
        # all parts of a composite mention: both first, the first second, the second nowhere
        (1, [[[0, 2], [2, 0]]], COMPOSITE, [True]),
        (1, [[[2, 0], [2, 0]]], COMPOSITE, [False]),
        (2, [[[2, 0], [2, 0]]], COMPOSITE, [True]),
        (2, [[[0, 2], [0, 1]]], COMPOSITE, [False]),
        # every mention, repetitions kept
        (1, [[[0]], [[0]], [[2]], [[0], [2]]], [[["D1"]]] * 3 + COMPOSITE, [1, 1, 0, 1]),
    ],
)
def test_hits_within_k_names(k, ranked, gold, hits):
    assert hits_at(k, ranked, CONCEPTS, gold) == hits


def test_coverage_asks_for_every_part_and_unequal_parts_are_a_programming_error():
    gold = [[["D1"]], [["D9", "D4"]], [["D1"], ["D9"]], [["D9"]]]
    assert coverage(CONCEPTS, gold) == 0.5
    with pytest.raises(ValueError):
        hits_at(1, [[[0]]], CONCEPTS, COMPOSITE)
    with pytest.raises(ValueError):
        hits_at(1, [[[0]]], CONCEPTS, [[["D1"]], [["D2"]]])


# Source word 7 has two translations; the one of 9 is outside the vocabulary.
ENTRY = {
    **{"task": "lexicon", "split": "test", "dropped": {"blank": 2}, "train": [(1, 1)]},
    **{"source_vocabulary": [7, 8, 9], "target_vocabulary": [30, 20, 10, 40, 50, 60]},
    "test": [(7, 10), (8, 20), (7, 30), (9, 99)],
}
# Query 0 has word 30 (row 0) first, query 1 word 20 (row 1) at rank 3, query 2 no right one.
BEST = {0: [0, 1, 2, 3, 4], 1: [2, 0, 1, 3, 4], 2: [0, 1, 2, 3, 4]}


@pytest.fixture
def score(tmp_path):
    """Return a function that writes the files of a lexicon, runs the command and reads scores."""
    output, details = tmp_path / "scores.tsv", tmp_path / "scores.npz"

    def run(k=5):
        [items] = write_items(tmp_path, {"bli-aa-bb": ENTRY})
        ranks = [
            RankedTranslation("bli-aa-bb", query, rank, row, 1 / rank)
            for query, found in BEST.items()
            for rank, row in enumerate(found[:k], start=1)
        ]
        write_rankings(tmp_path / "ranks.tsv", RankedTranslation, ranks)
        arguments = ["--encoder=bert-aa--bert-bb/mirror-word/words-aa--words-bb/seed33"]
        arguments += [f"--items={items}", f"--ranks={tmp_path / 'ranks.tsv'}"]
        arguments.append('--metrics={"bli-aa-bb":["accuracy@1","accuracy@5"]}')
        main([*arguments, f"--output={output}", f"--details={details}"])
        return read_scores(output)

    run.details = details
    return run


def test_scores_of_a_lexicon_are_over_its_distinct_source_words(score):
    one, five = score()
    assert (one.metric, five.metric) == ("accuracy@1", "accuracy@5")
    assert [one.value, five.value, one.coverage] == pytest.approx([1 / 3, 2 / 3, 2 / 3], abs=1e-6)
    assert (one.n, one.dropped, one.dataset, one.split) == (3, {"blank": 2}, "bli-aa-bb", "test")
    assert (one.model, one.corpus, one.seed) == ("bert-aa--bert-bb", "words-aa--words-bb", 33)
    # so are the items of the bootstrap
    details = read_replicates(score.details)
    indices = np.concatenate(list(resamples("bli-aa-bb", 3)))
    for row, hits in ((one, [1, 0, 0]), (five, [1, 1, 0])):
        replicates = details.pop(f"replicates/bli-aa-bb/{row.metric}")
        np.testing.assert_allclose(replicates, np.array(hits)[indices].mean(axis=1), atol=1e-12)
        expected = np.percentile(replicates, [2.5, 97.5])
        assert [row.low, row.high] == pytest.approx(expected, abs=1e-6)
    assert not details
    # only accuracies that the ranks reach
    assert [row.metric for row in score(k=4)] == ["accuracy@1"]
