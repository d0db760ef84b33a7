"""What a report shows of links: the scores of all mentions, and the most doubtful links."""

import heapq
from array import array
from collections.abc import Sequence
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
        """How far the best score lies above the second; infinite without a second."""
        return float("inf") if self.second is None else self.best.score - self.second.score


class _Lowest:
    """The `most` links with the lowest keys; of the same mention and id the first."""

    def __init__(self, most: int) -> None:
        self._most = most
        # the highest key is first, by its negative; of equal keys the later mention
        self._heap: list[tuple[float, int, SurveyedLink]] = []
        self._texts: set[tuple[str, str]] = set()
        self._number = 0

    def offer(self, key: float, link: SurveyedLink) -> None:
        self._number += 1
        entry, text = (-key, -self._number, link), _text(link)
        if text in self._texts:
            return
        if len(self._heap) < self._most:
            heapq.heappush(self._heap, entry)
        elif entry[:2] < self._heap[0][:2]:
            return
        else:
            self._texts.discard(_text(heapq.heapreplace(self._heap, entry)[2]))
        self._texts.add(text)

    def links(self) -> list[SurveyedLink]:
        ordered = sorted(self._heap, key=lambda entry: entry[:2], reverse=True)
        return [link for _, _, link in ordered]


def _text(link: SurveyedLink) -> tuple[str, str]:
    return link.mention.text, link.best.id


class LinkSurvey:
    """Collects the links of mentions batch by batch; memory is some 10 bytes a mention.

    `scores` has the best scores of the mentions of a kind: `RIGHT` and `WRONG` of linked ones with
    gold ids, `LINKED` of linked ones without, and `UNLINKED`.
    """

    def __init__(self) -> None:
        self.scores: dict[str, array[float]] = {}
        self._doubtful, self._unlinked = _Lowest(MOST_LINKS), _Lowest(MOST_UNLINKED)

    def add_batch(
        self, batch: MentionBatch, ranked: Sequence[Sequence[Link]], options: LinkOptions
    ) -> None:
        """Note the mentions of a batch; `ranked` has k + 1 ids of each distinct text."""
        answers = dict(zip(batch.distinct, ranked, strict=True))
        for mention, text in zip(batch.mentions, batch.texts, strict=True):
            self._add(mention, answers[text], options)

    def _add(self, mention: Mention, links: Sequence[Link], options: LinkOptions) -> None:
        how, best = how_linked(links, options), links[0]
        gold = mention.gold_ids
        is_right = best.is_one_of(gold) if gold else None
        link = SurveyedLink(mention, best, links[1] if len(links) > 1 else None, is_right)
        kind = LINKED if is_right is None else RIGHT if is_right else WRONG
        self.scores.setdefault(kind if how.linked else UNLINKED, array("d")).append(best.score)
        if how.linked:
            self._doubtful.offer(link.margin, link)
        else:
            self._unlinked.offer(-best.score, link)

    def doubtful(self) -> list[SurveyedLink]:
        """Return linked mentions, the smallest margin first."""
        return self._doubtful.links()

    def unlinked(self) -> list[SurveyedLink]:
        """Return mentions that are not linked, the highest score first."""
        return self._unlinked.links()
