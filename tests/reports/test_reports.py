"""Reports as pages: what a reader sees, what users write is text, and their weight."""

import re

import numpy as np
import pytest
from html_reading import Page
from report_samples import (
    HOSTILE,
    answers_of,
    compared,
    evaluation_of,
    lines,
    reports_with,
    score,
    surveyed,
)

from workflow_scripts.errors import UserError
from workflow_scripts.reports.evaluation_report import evaluation_report
from workflow_scripts.reports.link_report import link_report
from workflow_scripts.reports.page import (
    Fact,
    Report,
    check_report,
    cut,
    render_report,
    write_report,
)
from workflow_scripts.reports.search_report import nearest_report, pairs_report
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.mentions import Mention
from workflow_scripts.scoring.paired_differences import Difference

# the heaviest text that a page can have: each character is five bytes or more
HEAVY = '&"' * 400


def shown(report):
    """Return the page of a report; it fetches nothing and is small."""
    text = render_report(report)
    page = Page(text)
    assert page.links == [] and len(text.encode()) < 500_000
    return page


def linked(mentions, links, options, confidence=None):
    survey, counts = surveyed(mentions, links, options)
    return counts, shown(link_report("own", survey, options, counts, confidence))


def test_scores_stand_with_their_intervals():
    evaluation = evaluation_of([score("sts", "spearman", 0.6123, 1379)], missing={"x": "x.txt"})
    page = shown(evaluation_report(evaluation, "own"))
    assert page.texts["h1"] == "Scores of own"
    assert "1 scores on 1 data set; 1 left out, whose files are missing." in page.texts["p"]
    head, row = page.tables[0]
    assert row == ["sts", "spearman", ".612", "[.562, .662]", "1,379", "1.000"]
    assert head[:4] == ["data set", "metric", "value", "95% interval"]
    assert ".612 [.562, .662]" in page.texts["svg"]


def test_differences_stand_with_their_tests_and_the_mean_is_large():
    # the last is of a metric without a better side
    rows = [compared("a", 0.1, 0.01), compared("d", 0.2, 0.001, metric="mvn")]
    mean = Difference("mean of 3", "spearman", 0.507, 0.5, 0.007, -0.1, 0.1, 0.8)
    page = shown(evaluation_report(evaluation_of(rows, [mean]), "own", "base"))
    assert "Higher than base on 1 of 2 scores (p < .05); on the other 1" in page.texts["p"]
    assert ".500 → .507" in page.texts["strong"]
    assert page.tables[0][1][4:8] == [".500", "+.100*", "[.070, .130]", ".010"]


@pytest.mark.parametrize(
    ("tests", "verdict"),
    [
        (
            [(0.1, 0.01), (-0.1, 0.02), (0.02, 0.3), (0.02, None)],
            "Higher than base on 1 of 4 scores, lower on 1 (p < .05); "
            "on the other 2 the difference may be chance.",
        ),
        ([(-0.1, 0.01)], "Lower than base on 1 of 1 (p < .05)."),
        (
            [(0.1, 0.2)],
            "On none of 1 scores do the items show a difference from base (p < .05).",
        ),
    ],
)
def test_the_verdict_counts_what_is_shown_and_what_may_be_chance(tests, verdict):
    rows = [compared(f"d{n}", change, p_value) for n, (change, p_value) in enumerate(tests)]
    assert evaluation_report(evaluation_of(rows), "own", "base").verdict == verdict


def test_links_are_counted_and_the_doubtful_ones_come_first():
    counts, page = linked(*answers_of(500), LinkOptions(2, 0.6))
    number = 500 - counts.below
    assert f"{number} of 500 mentions are linked; " in page.texts["p"]
    assert f"The first 100 of {number} links, the smallest margin first" in page.texts["p"]
    assert "threshold 0.6" in page.texts["svg"]
    doubtful, unlinked = page.tables
    margins = [float(row[4]) for row in doubtful[1:]]
    assert len(margins) == 100 and margins == sorted(margins)
    assert doubtful[0][-1] == "right?" and {row[-1] for row in doubtful[1:]} == {"yes", "no", "–"}
    assert len(unlinked) == 51
    assert "Precision and coverage" in page.texts["h2"]


def test_links_without_gold_ids_have_neither_accuracy_nor_a_curve():
    mentions, links = answers_of(5)
    mentions = [Mention(mention.text) for mention in mentions]
    _, page = linked(mentions, links, LinkOptions(2), lambda score: score)
    assert "accuracy" not in page.texts["main"] and "Precision" not in page.texts["h2"]
    assert "All 5 links" in page.texts["p"]
    assert page.tables[0][0][-1] == "confidence"
    # nothing to link is a page all the same
    assert "0 of 0 mentions are linked." in linked([], {}, LinkOptions(2))[1].texts["p"]


SCORES = np.array([[0.9, 0.2, 0.1], [0.8, 0.79, 0.1], [0.3, 0.1, 0.0]])
ROWS = np.array([[0, 1, 2], [1, 2, 0], [2, 1, 0]])


def test_hits_are_ordered_by_margin_and_queries_without_one_apart():
    queries, strings = lines(["q0", "q1", "q2"]), lines(["s0", "s1", "s2"])
    page = shown(nearest_report("own", queries, strings, ROWS, SCORES, 0.8))
    assert "2 of 3 queries have a near string, of cosine 0.8 or more." in page.texts["p"]
    smallest, largest, without = ([row[0] for row in table[1:]] for table in page.tables)
    assert (smallest, largest, without) == (["q1", "q0"], ["q0", "q1"], ["q2"])
    assert page.tables[0][1] == ["q1", "s1", "0.8000", "0.0100", "s2"]
    # without a second string there is no margin
    page = shown(nearest_report("own", queries, strings, ROWS[:, :1], SCORES[:, :1]))
    assert [[row[0] for row in table[1:]] for table in page.tables] == [["q2", "q1", "q0"]]


def test_pairs_are_ordered_by_their_score():
    left, right = lines(["a", "b", "c"]), lines(["x", "y", "z"])
    rows, others, scores = np.array([0, 1, 2]), np.array([2, 1, 0]), np.array([1.5, 0.9, 1.2])
    page = shown(pairs_report("T", left, right, rows, others, scores, "margin", 0.8))
    assert page.tables[0][1:] == [
        ["b", "y", "0.9000", "2 – 2"],
        ["c", "x", "1.2000", "3 – 1"],
        ["a", "z", "1.5000", "1 – 3"],
    ]
    assert "3 pairs among 3 different strings and 3 of the other file." in page.texts["p"]
    none = pairs_report("T", left, left, rows[:0], others[:0], scores[:0], "cosine")
    assert none.verdict == "No pair among 3 different strings."


def test_what_users_write_is_text_and_the_same_report_has_the_same_bytes():
    first, second = (list(map(render_report, reports_with(HOSTILE, 40))) for _ in "ab")
    assert first == second
    for text in first:
        assert "<script>alert" not in text and "</script><script>" not in text
        assert cut(f"7 {HOSTILE}") in Page(text).texts["main"]


def test_pages_stay_small_and_say_what_they_leave_out():
    for report in reports_with(HEAVY, 3000):
        page = shown(report)
        assert re.search(r"first (100|300) of [\d,]+ (links|queries|pairs|scores)", page.texts["p"])
        assert max(len(table) for table in page.tables) <= 301


def test_a_report_replaces_a_report_and_nothing_else(tmp_path):
    path, own = tmp_path / "report.html", tmp_path / "own.html"
    for _ in range(2):
        check_report("--report", path)
        write_report(path, Report("T", "V", [Fact("1", "one")]))
    check_report("--report", None)
    own.write_text("<html>mine</html>")
    for file, inputs, problem in (
        (own, [], "is another file, and is not replaced"),
        (path, [path], "is read from, or written by another option"),
        (tmp_path, [], "is a folder"),
    ):
        with pytest.raises(UserError, match=problem):
            check_report("--report", file, inputs)
