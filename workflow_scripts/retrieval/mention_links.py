"""Mentions of a file, and the ids that they are linked to, as they are written and counted."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from workflow_scripts.datasets.concept_ids import ids_meet, split_concept_ids, unmet
from workflow_scripts.datasets.rows import require_ids
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.delimited import Layout, Row, rows_of
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import STDIN, given_lines
from workflow_scripts.retrieval.link_options import LinkOptions
from workflow_scripts.retrieval.link_thresholds import threshold_lines, threshold_points
from workflow_scripts.retrieval.rankings import as_written
from workflow_scripts.string_columns import form_of, read_columns, require_lines

# of a column; int() would take digits of other scripts, and fails at 5,000
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
COLUMNS = ("mention", "rank", "id", "name", "score")
# Mentions searched together: each batch goes over all names once.
BATCH = 4096


class Link(NamedTuple):
    """An id that a mention is linked to, by one of its names."""

    id: str
    name: str
    score: float


class Mention(NamedTuple):
    """A mention and its gold ids as written, None where none are asked for."""

    text: str
    gold: str | None = None


@dataclass(frozen=True)
class _MentionLayout(Layout):
    blank_end: bool = False
    refuse_quoted_tab: bool = True
    not_header: tuple[str, str] | None = (
        *("a mention", "name the columns (--mention-column {first}), or remove the line"),
    )

    def no_column(self, name: str, header: Sequence[str]) -> tuple[str, str]:
        return f"no column {name!r}", nearest_name(name, header)

    def wrong_width(self, fields: Sequence[str]) -> str:
        return f"no column {self.width}, found {len(fields)}"


def read_mentions(source: str, column: str | None, gold: str | None) -> Iterator[Mention]:
    """Yield the mentions of a file, or of stdin for "-": a line each, or columns of a table.

    A column is a number from 1, or a name of the header. Blank mentions are yielded as "".
    """
    if source != STDIN and form_of(Path(source)) not in (None, "TSV"):
        if column is None:
            remedy = "name the column of the mentions with --mention-column"
            require_lines("--mentions", Path(source), remedy)
        yield from _of_rows(Path(source), read_columns(Path(source), _columns(column, gold), {}))
        return
    name, lines = given_lines(source)
    path = Path(name)
    if column is None and gold is None:
        yield from (Mention(normalise_whitespace(text)) for text in lines)
        return
    columns: list[Any] = _columns(column, gold)
    if all(map(_NUMBER.fullmatch, columns)):
        columns = list(map(int, columns))
        if min(columns) < 1:
            raise UserError(f"{path}:1", "no column 0", "columns count from 1")
    elif (header := next(lines, None)) is not None:
        lines = chain([header], lines)
    else:
        return
    yield from _of_rows(path, rows_of(path, lines, _MentionLayout(columns)))


def _columns(column: str | None, gold: str | None) -> list[str]:
    columns = [column or "1", *([gold] if gold else [])]
    if columns[1:] == columns[:1]:
        raise UserError(f"--gold-column {gold}", "is that of the mentions", "choose another")
    return columns


def _of_rows(path: Path, rows: Iterable[Row]) -> Iterator[Mention]:
    for number, row in rows:
        mention, *others = map(normalise_whitespace, row)
        for ids in others:
            require_ids(split_concept_ids(ids), path, number)
        yield Mention(mention, *others)


class MentionBatch(NamedTuple):
    """Mentions that are not blank; what is embedded of them, row by row and each once."""

    mentions: list[Mention]
    texts: list[str]
    distinct: list[str]
    blank: int


def mention_batches(
    mentions: Iterable[Mention], lower_case: bool, size: int = BATCH
) -> Iterator[MentionBatch]:
    remaining = iter(mentions)
    while batch := list(islice(remaining, size)):
        nonblank = [mention for mention in batch if mention.text]
        texts = [mention.text.lower() if lower_case else mention.text for mention in nonblank]
        distinct = list(dict.fromkeys(texts))
        yield MentionBatch(nonblank, texts, distinct, len(batch) - len(nonblank))


class Report:
    """Counts of what was linked, and accuracy over the mentions that have a gold id."""

    def __init__(self, k: int, errors: TextIO | None) -> None:
        self.mentions = self.blank = self.below = self.known = self.without_concept = 0
        self.k, self._errors = k, errors
        # how many mentions have the first right id at a rank
        self._ranks: Counter[int] = Counter()
        # of the linked mentions with a gold id, the best score and whether its id is right
        self._best: list[tuple[float, bool]] = []
        # how many mentions have gold ids that are not among their links
        self._missed: Counter[tuple[str, ...]] = Counter()
        if errors is not None:
            errors.write("mention\tgold\tid\tname\tscore\trank of the gold id\n")

    def add(self, mention: Mention, links: Sequence[Link], linked: bool) -> None:
        self.mentions += 1
        self.below += not linked
        if mention.gold is None:
            return
        if not (gold := split_concept_ids(mention.gold)):
            self.without_concept += 1
            return
        ranks = (n for n, link in enumerate(links) if ids_meet(gold, split_concept_ids(link.id)))
        rank = next(ranks, None) if linked else None
        self.known += 1
        if linked:
            self._best.append((float(as_written(links[0].score)), rank == 0))
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
        if self.known:
            places = sorted({1, self.k})
            accuracies = (f"accuracy@{k} {self.hits_at(k) / self.known:.4f}" for k in places)
            yield f"{self.known} with gold ids: {', '.join(accuracies)}"
        if self.without_concept:
            what = "without a gold id (empty, -1, CUI-less): not counted"
            yield f"{self.without_concept} {what}"

    def lines_of_thresholds(self, precision: float | None = None) -> list[str]:
        """Return lines on precision by coverage, of mentions that have a gold id; see there."""
        if not self._best:
            return []
        scores, right = zip(*self._best, strict=True)
        return threshold_lines(threshold_points(scores, right, self.known), precision)

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


def has_concept(mention: Mention) -> bool:
    """Return whether a mention has a gold id that counts."""
    return bool(mention.gold is not None and split_concept_ids(mention.gold))


def is_right(mention: Mention, links: Sequence[Link]) -> bool:
    """Return whether the best link of a mention is one of its gold ids."""
    gold = split_concept_ids(mention.gold or "")
    return bool(links) and ids_meet(gold, split_concept_ids(links[0].id))


def write_links(stream: TextIO, form: str, mention: Mention, links: Sequence[Link]) -> None:
    """Write the links of a mention; of none, a row of rank 0."""
    if form == "jsonl":
        rows = [
            {"rank": rank, "id": identity, "name": name, "score": round(score, 6)}
            for rank, (identity, name, score) in enumerate(links, start=1)
        ]
        content = {"mention": mention.text, "links": rows}
        stream.write(json.dumps(content, ensure_ascii=False) + "\n")
        return
    for rank, (identity, name, score) in enumerate(links, start=1):
        stream.write(f"{mention.text}\t{rank}\t{identity}\t{name}\t{score:.6f}\n")
    if not links:
        stream.write(f"{mention.text}\t0\t\t\t\n")


class LinkWriter:
    """Writes the best ids of each mention, none where it is not linked, and counts them."""

    def __init__(
        self, output: TextIO, errors: TextIO | None, options: LinkOptions, form: str = "tsv"
    ) -> None:
        self._output, self._form, self._options = output, form, options
        self.report = Report(options.k, errors)
        if form == "tsv":
            output.write("\t".join(COLUMNS) + "\n")

    def write(self, batch: MentionBatch, ranked: Iterable[Sequence[Link]]) -> None:
        """Write the links of a batch; `ranked` has k + 1 ids of each distinct text, best first."""
        answers = dict(zip(batch.distinct, ranked, strict=True))
        self.report.blank += batch.blank
        for mention, text in zip(batch.mentions, batch.texts, strict=True):
            linked = is_linked(answers[text], self._options)
            links = answers[text][: self._options.k]
            write_links(self._output, self._form, mention, links if linked else [])
            self.report.add(mention, links, linked)
        self._output.flush()


def is_linked(links: Sequence[Link], options: LinkOptions) -> bool:
    """Return whether a mention with these links, best first, is linked."""
    scores, margin = [as_written(link.score) for link in links[:2]], options.margin
    if options.threshold is not None and scores[0] < options.threshold:
        return False
    return margin is None or len(scores) < 2 or bool(as_written(scores[0] - scores[1]) >= margin)
