"""What a report keeps of links, against all of them in a list."""

from itertools import chain

import pytest
from report_samples import answers_of, surveyed

from workflow_scripts.reports.link_survey import MOST_LINKS, MOST_UNLINKED
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.mentions import Mention


@pytest.mark.parametrize("threshold", [None, 0.6])
@pytest.mark.parametrize("size", [64, 1000])
def test_the_doubtful_links_are_those_with_the_smallest_margins(threshold, size):
    mentions, links = answers_of(500)
    survey, counts = surveyed(mentions, links, LinkOptions(2, threshold), size)
    linked = [m.text for m in mentions if threshold is None or links[m.text][0].score >= threshold]
    margins = {text: links[text][0].score - links[text][1].score for text in linked}
    # a stable sort: of equal margins the earlier mention
    expected = sorted(linked, key=margins.get)[:MOST_LINKS]
    assert [link.mention.text for link in survey.doubtful] == expected
    rest = [m.text for m in mentions if m.text not in margins]
    expected = sorted(rest, key=lambda text: -links[text][0].score)[:MOST_UNLINKED]
    assert [link.mention.text for link in survey.unlinked] == expected
    # each mention is counted once, under what became of it
    sizes = {kind: len(scores) for kind, scores in survey.scores.items()}
    assert sum(sizes.values()) == counts.mentions == 500
    assert sizes.get("not linked", 0) == counts.below == len(rest)
    assert sizes["right"] == counts.hits_at(1)
    # by its best score
    best = sorted(links[mention.text][0].score for mention in mentions)
    assert sorted(chain(*survey.scores.values())) == best


def test_precision_by_coverage_is_over_the_mentions_with_a_gold_id():
    mentions, links = answers_of(300)
    _, counts = surveyed(mentions, links, LinkOptions(2, 0.9))
    known = [m for m in mentions if m.gold in ("D0|D9", "D1")]
    right = [m for m in known if links[m.text][0].id in m.gold.split("|")]
    last = counts.threshold_points()[-1]
    assert counts.known == len(known)
    # whatever the threshold of the run
    assert (last.coverage, last.precision) == (1.0, pytest.approx(len(right) / len(known)))


def test_a_mention_that_is_repeated_is_shown_once():
    mentions, links = answers_of(3)
    survey, _ = surveyed(mentions * 40, links, LinkOptions(2))
    assert len(survey.doubtful) == 3
    assert sum(map(len, survey.scores.values())) == 120


def test_a_single_id_has_no_second_and_no_margin():
    links = {"a": [Link("D1", "n", 0.4)]}
    survey, _ = surveyed([Mention("a")], links, LinkOptions(5))
    (link,) = survey.doubtful
    assert link.second is None and link.margin == float("inf")
