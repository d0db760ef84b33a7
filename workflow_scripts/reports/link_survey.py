"""What a report shows of links: the scores of all mentions, and the most doubtful links."""

import heapq
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.mention_links import Link, how_linked
from workflow_scripts.retrieval.mentions import Mention, MentionBatch

# how many links and mentions without one are kept to be shown
MOST_LINKS, MOST_UNLINKED = 100, 50
# kinds of mentions
RIGHT, WRONG, LINKED, UNLINKED = "right", "wrong", "linked", "not linked"


class SurveyedLink(NamedTuple):
    """A mention with its best id and the second best, if there is one; `is_right` with gold ids."""

    mention: Mention
    best: Link
    second: Link | None
    is_right: bool | None

    @property
    def margin(self) -> float:
        """How far the best score is above the second; infinite without a second."""
        return float("inf") if self.second is None else self.best.score - self.second.score


def _lowest(
    most: int, links: Iterable[SurveyedLink], key: Callable[[SurveyedLink], float]
) -> list[SurveyedLink]:
    """Return the `most` links with the lowest keys; of the same mention and id the first."""
    distinct: dict[tuple[str, str], SurveyedLink] = {}
    for link in links:
        distinct.setdefault((link.mention.text, link.best.id), link)
    return heapq.nsmallest(most, distinct.values(), key)


class LinkSurvey:
    """Collects the links of mentions batch by batch; memory is some 10 bytes a mention.

    `scores` has the best scores of the mentions of a kind: `RIGHT` and `WRONG` of linked ones with
    gold ids, `LINKED` of linked ones without, and `UNLINKED`. `doubtful` are linked mentions, the
    smallest margin first, `unlinked` those without a link, the highest score first.
    """

    def __init__(self) -> None:
        self.scores: dict[str, array[float]] = {}
        self.doubtful: list[SurveyedLink] = []
        self.unlinked: list[SurveyedLink] = []

    def add_batch(
        self, batch: MentionBatch, ranked: Sequence[Sequence[Link]], options: LinkOptions
    ) -> None:
        """Note the mentions of a batch; `ranked` has k + 1 ids of each distinct text."""
        answers = dict(zip(batch.distinct, ranked, strict=True))
        for mention, text in zip(batch.mentions, batch.texts, strict=True):
            links = answers[text]
            how, best, gold = how_linked(links, options), links[0], mention.gold_ids
            is_right = best.is_one_of(gold) if gold else None
            kind = LINKED if is_right is None else RIGHT if is_right else WRONG
            self.scores.setdefault(kind if how.linked else UNLINKED, array("d")).append(best.score)
            link = SurveyedLink(mention, best, links[1] if len(links) > 1 else None, is_right)
            (self.doubtful if how.linked else self.unlinked).append(link)
        self.doubtful = _lowest(MOST_LINKS, self.doubtful, lambda link: link.margin)
        self.unlinked = _lowest(MOST_UNLINKED, self.unlinked, lambda link: -link.best.score)
