"""Words of a data set by bucket of frequency."""

import json
from pathlib import Path

import pytest
from made_inputs import buckets_block

from workflow_scripts.errors import UserError
from workflow_scripts.figures.kinds.buckets import words_by_bucket


def test_counts_by_hand():
    """A word counts once however often it occurs, whatever its case, and in the first bucket."""
    words = ["the", "The", "cat", "cat", "dog", "ice cream", "zyzzyva"]
    buckets = {"high": ["the", "Cat", "and"], "low": ["dog", "cat"], "none": ["fish"]}
    assert words_by_bucket(words, buckets) == {"high": 2, "low": 1, "none": 0, "beyond": 2}


def test_counts_and_scores_of_a_figure(made):
    made.draw(buckets_block(made, 3))
    found = made.rows("figure-buckets.tsv")
    counts = {row["x"]: row["y"] for row in found if row["panel"] == "words"}
    assert counts == {"b0": "40", "b1": "36", "b2": "32", "beyond": "2"}
    ran = [row for row in found if row["panel"] == "score"]
    scores = {row["x"]: float(row["y"]) for row in ran}
    assert scores == pytest.approx({"b0": 0.505, "b1": 0.494, "b2": 0.483})
    assert all(float(row["low"]) < float(row["y"]) < float(row["high"]) for row in ran)
    note = made.output("figure-buckets.md")
    assert "of the 110 distinct words of words-en" in note
    assert "- 100k–110k: the list ends." in note


def test_a_data_set_of_another_task_is_refused(made):
    block = buckets_block(made, 3)
    items = Path(block["items"])
    items.write_text(json.dumps({"dataset": "words-en", "task": "isotropy", "strings": [0]}))
    with pytest.raises(UserError, match="dataset `words-en` is of task isotropy"):
        made.draw(block)


def test_strings_that_lost_a_line_are_told(made):
    block = buckets_block(made, 3)
    strings = Path(block["strings"])
    strings.write_text(strings.read_text().rstrip("\n").rpartition("\n")[0])
    with pytest.raises(UserError, match=r"items.json or .*strings.txt: damaged .*; remove it"):
        made.draw(block)
