"""Links of mentions to ids, as they are written and counted."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TextIO

from workflow_scripts.datasets.concept_ids import ids_meet, split_concept_ids, unmet
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.link_thresholds import (
    ThresholdPoint,
    threshold_lines,
    threshold_points,
)
from workflow_scripts.retrieval.mentions import Mention, MentionBatch
from workflow_scripts.retrieval.rankings import as_written

COLUMNS = ("mention", "rank", "id", "name", "score")
_DIGITS = {"score": 6, "confidence": 4}


class Link(NamedTuple):
    """An id that a mention is linked to, by one of its names."""

    id: str
    name: str
    score: float

    def is_one_of(self, ids: Iterable[str]) -> bool:
        """Return whether the id, or one of several joined by |, is among gold ids."""
        return ids_meet(ids, split_concept_ids(self.id))


class Report:
    """Counts of what was linked, and accuracy over the mentions that have a gold id."""

    def __init__(self, k: int, errors: TextIO | None) -> None:
        self.mentions = self.blank = self.below = self.known = self.without_concept = 0
        self.k, self._errors = k, errors
        # how many mentions have an abbreviation written out, and the first of them
        self.expanded, self._example = 0, ""
        # how many mentions have the first right id at a rank
        self._ranks: Counter[int] = Counter()
        # of the mentions with a gold id that a low threshold would link, the best score and
        # whether its id is right
        self._best: list[tuple[float, bool]] = []
        # how many mentions have gold ids that are not among their links
        self._missed: Counter[tuple[str, ...]] = Counter()
        if errors is not None:
            errors.write("mention\tgold\tid\tname\tscore\trank of the gold id\n")

    def add(
        self, mention: Mention, links: Sequence[Link], linked: bool, *, by_margin: bool = True
    ) -> None:
        """Count a mention with its best ids; `by_margin` says whether the margin alone links it."""
        self.mentions += 1
        self.below += not linked
        if mention.expanded:
            self.expanded += 1
            self._example = self._example or f"{mention.text!r} as {mention.expanded!r}"
        if mention.gold is None:
            return
        if not (gold := mention.gold_ids):
            self.without_concept += 1
            return
        ranks = (n for n, link in enumerate(links) if link.is_one_of(gold))
        first = next(ranks, None)
        self.known += 1
        if by_margin and links:
            self._best.append((float(as_written(links[0].score)), first == 0))
        rank = first if linked else None
        if rank is not None:
            self._ranks[rank] += 1
        else:
            self._missed[tuple(gold)] += 1
        if rank != 0 and self._errors is not None:
            best = ["", "", ""]
            if linked:
                best = [links[0].id, links[0].name, f"{links[0].score:.6f}"]
            shown = "-" if rank is None else str(rank + 1)
            self._errors.write("\t".join([mention.text, mention.gold, *best, shown]) + "\n")

    def lines(self) -> Iterator[str]:
        left = f", {self.blank} blank ones left out" if self.blank else ""
        below = f", {self.below} of them not linked" if self.below else ""
        yield f"{self.mentions} mentions{below}{left}"
        if self.expanded:
            yield f"{self.expanded} with abbreviations written out, such as {self._example}"
        if self.known:
            places = sorted({1, self.k})
            accuracies = (f"accuracy@{k} {self.hits_at(k) / self.known:.4f}" for k in places)
            yield f"{self.known} with gold ids: {', '.join(accuracies)}"
        if self.without_concept:
            what = "without a gold id (empty, -1, CUI-less): not counted"
            yield f"{self.without_concept} {what}"

    def threshold_points(self) -> list[ThresholdPoint]:
        """Return precision by coverage of the mentions that have a gold id; [] without any."""
        scores, right = zip(*self._best, strict=True) if self._best else ((), ())
        return threshold_points(scores, right, self.known)

    def lines_of_thresholds(self) -> list[str]:
        """Return lines on precision by coverage; [] without a gold id."""
        points = self.threshold_points()
        return threshold_lines(points) if points else []

    def lines_of_unknown(self, ids: Iterable[str]) -> list[str]:
        """Return a line on the mentions whose gold ids are none of `ids`, those of all names."""
        unknown = unmet(self._missed, ids) if self._missed else []
        if not unknown:
            return []
        number, shown = sum(self._missed[gold] for gold in unknown), "|".join(unknown[0])
        what = f"with gold ids that no name has, such as {shown!r}: counted as wrong"
        return [f"{number} {what}"]

    def hits_at(self, k: int) -> int:
        """Return how many mentions have a right id among the first k."""
        return sum(number for rank, number in self._ranks.items() if rank < k)


class LinkWriter:
    """Writes the best ids of each mention, none where it is not linked, and counts them.

    With `confidence`, which gives the probability that the best link is right by its score, there
    is a column for it; with `expanded` one for mentions whose abbreviations were written out.
    """

    def __init__(
        self,
        output: TextIO,
        errors: TextIO | None,
        options: LinkOptions,
        form: str = "tsv",
        *,
        confidence: Callable[[float], float] | None = None,
        expanded: bool = False,
    ) -> None:
        self._output, self._form, self._options = output, form, options
        self._confidence, self._expanded = confidence, expanded
        self.columns = columns_of_links(confidence is not None, expanded)
        self.report = Report(options.k, errors)
        if form == "tsv":
            output.write("\t".join(self.columns) + "\n")

    def write(self, batch: MentionBatch, ranked: Iterable[Sequence[Link]]) -> None:
        """Write the links of a batch; `ranked` has k + 1 ids of each distinct text, best first."""
        self.report.blank += batch.blank
        for mention, links, how in linked_mentions(batch, ranked, self._options):
            self._write_mention(mention, links if how.linked else [])
            self.report.add(mention, links, **how._asdict())
        self._output.flush()

    def _write_mention(self, mention: Mention, links: Sequence[Link]) -> None:
        rows = link_rows(mention, links, self._confidence)
        if self._form == "tsv":
            for row in rows:
                self._output.write("\t".join(_field(key, row[key]) for key in self.columns) + "\n")
            return
        content: dict[str, Any] = {"mention": mention.text}
        if self._expanded:
            content["expanded"] = mention.expanded
        of_links = [key for key in self.columns if key not in content]
        content["links"] = [
            {key: _rounded(key, row[key]) for key in of_links if row[key] is not None}
            for row in rows
            if row["rank"]
        ]
        self._output.write(json.dumps(content, ensure_ascii=False) + "\n")


def columns_of_links(confidence: bool, expanded: bool) -> list[str]:
    """Return the columns of links, with those that a calibration and documents add."""
    return [*COLUMNS, *["confidence"] * confidence, *["expanded"] * expanded]


def link_rows(
    mention: Mention, links: Sequence[Link], confidence: Callable[[float], float] | None
) -> list[dict[str, Any]]:
    """Return a row of all columns for each link of a mention; of none, one of rank 0."""
    of_mention = {"mention": mention.text, "expanded": mention.expanded, "confidence": None}
    rows: list[dict[str, Any]] = [
        {**of_mention, "rank": rank, **link._asdict()} for rank, link in enumerate(links, start=1)
    ]
    if rows and confidence is not None:
        # of the best link alone: it says how often that is right
        rows[0]["confidence"] = float(confidence(float(as_written(links[0].score))))
    return rows or [{**of_mention, "rank": 0, "id": None, "name": None, "score": None}]


def _field(key: str, value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.{_DIGITS[key]}f}" if key in _DIGITS else str(value)


def _rounded(key: str, value: Any) -> Any:
    return round(value, _DIGITS[key]) if key in _DIGITS else value


class HowLinked(NamedTuple):
    """Whether a mention is linked, and whether it would be whatever the threshold."""

    linked: bool
    by_margin: bool


def linked_mentions(
    batch: MentionBatch, ranked: Iterable[Sequence[Link]], options: LinkOptions
) -> Iterator[tuple[Mention, Sequence[Link], HowLinked]]:
    """Yield each mention of a batch with its k best ids, and whether it is linked to them.

    `ranked` has k + 1 ids of each distinct text, best first.
    """
    answers = dict(zip(batch.distinct, ranked, strict=True))
    for mention, text in zip(batch.mentions, batch.texts, strict=True):
        links = answers[text]
        yield mention, links[: options.k], how_linked(links, options)


def how_linked(links: Sequence[Link], options: LinkOptions) -> HowLinked:
    """Return whether a mention with these links, best first, is linked."""
    scores, margin = [as_written(link.score) for link in links[:2]], options.margin
    by_margin = (
        margin is None or len(scores) < 2 or bool(as_written(scores[0] - scores[1]) >= margin)
    )
    reaches = options.threshold is None or bool(scores[0] >= options.threshold)
    return HowLinked(by_margin and reaches, by_margin)
