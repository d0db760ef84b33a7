"""Words of a data set by bucket of frequency."""

import csv
import json
from pathlib import Path

import pytest
from made_inputs import MadeFigure, buckets_block

from workflow_scripts.errors import UserError
from workflow_scripts.figures.buckets import words_by_bucket
from workflow_scripts.figures.draw_figure import main


def rows_of(made: MadeFigure, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(made.output(name).splitlines(), delimiter="\t"))


def test_counts_by_hand() -> None:
    """A word counts once however often it occurs, whatever its case, and in the first bucket."""
    words = ["the", "The", "cat", "cat", "dog", "ice cream", "zyzzyva"]
    buckets = {"high": ["the", "Cat", "and"], "low": ["dog", "cat"], "none": ["fish"]}
    assert words_by_bucket(words, buckets) == {"high": 2, "low": 1, "none": 0, "beyond": 2}


def test_counts_and_scores_of_a_figure(made: MadeFigure) -> None:
    main(made.arguments(buckets_block(made, 3)))
    found = rows_of(made, "figure-buckets.tsv")
    counts = {row["x"]: row["y"] for row in found if row["panel"] == "words"}
    assert counts == {"b0": "40", "b1": "36", "b2": "32", "beyond": "2"}
    scores = {row["x"]: float(row["y"]) for row in found if row["panel"] == "score"}
    assert scores == pytest.approx({"b0": 0.505, "b1": 0.494, "b2": 0.483})
    assert all(
        float(row["low"]) < float(row["y"]) < float(row["high"])
        for row in found
        if row["panel"] == "score"
    )
    note = made.output("figure-buckets.md")
    assert "of the 110 distinct words of words-en" in note
    assert "- 100k–110k: the list ends." in note


def test_nothing_run_reads_no_suite(made: MadeFigure) -> None:
    block = buckets_block(made, 3)
    block |= {"buckets": block["buckets"][-1:], "items": None, "strings": None}
    main(made.arguments(block))
    assert rows_of(made, "figure-buckets.tsv") == []


def test_a_data_set_of_another_task_is_refused(made: MadeFigure) -> None:
    block = buckets_block(made, 3)
    items = Path(block["items"])
    items.write_text(json.dumps({"datasets": {"words-en": {"task": "isotropy", "strings": [0]}}}))
    with pytest.raises(UserError, match="dataset `words-en` is of task isotropy"):
        main(made.arguments(block))


def test_an_unknown_data_set_is_named(made: MadeFigure) -> None:
    block = buckets_block(made, 3) | {"dataset": "words-fr"}
    with pytest.raises(UserError, match="no dataset `words-fr`; it has words-en"):
        main(made.arguments(block))


def test_strings_of_another_suite_are_refused(made: MadeFigure) -> None:
    block = buckets_block(made, 3)
    Path(block["strings"]).write_text("one\ntwo\n")
    with pytest.raises(UserError, match=r"2 strings, fewer than .* refers to"):
        main(made.arguments(block))


def test_a_corpus_that_was_not_given_is_named(made: MadeFigure) -> None:
    block = buckets_block(made, 3)
    made.given["--texts"].remove(block["buckets"][1]["corpus"])
    with pytest.raises(UserError, match=r"b1\.txt: named by the figure but not given with --texts"):
        main(made.arguments(block))
