"""Rankings as tab-separated files: what retrieval writes and scoring reads."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TypeVar

from workflow_scripts.files import read_rows, write_text


@dataclass(frozen=True)
class RankedName:
    """A name found for a part of a mention; all from 0 but `rank`, from 1."""

    dataset: str
    query: int
    part: int
    rank: int
    name_row: int  # in the dataset's `names`
    score: float


@dataclass(frozen=True)
class RankedTranslation:
    """A target word found for a source word of a lexicon; all from 0 but `rank`, from 1."""

    dataset: str
    query: int  # of the distinct source words of the test pairs, by first occurrence
    rank: int
    target_row: int  # in the target `vocabulary`
    score: float


Ranked = TypeVar("Ranked", RankedName, RankedTranslation)


def write_rankings(path: str | Path, kind: type[Ranked], rows: Iterable[Ranked]) -> None:
    """Write rows under a header with the fields of `kind`; scores with nine significant digits."""
    lines = ["\t".join(column.name for column in fields(kind))]
    for row in rows:
        *ids, score = astuple(row)
        lines.append("\t".join([*map(str, ids), f"{score:.9g}"]))
    write_text(path, "\n".join(lines) + "\n")


def read_rankings(path: str | Path, kind: type[Ranked]) -> list[Ranked]:
    """Return the rows of a file of `write_rankings`."""
    rows = read_rows(path, len(fields(kind)), f"a row of {kind.__name__}")
    return [
        kind(dataset, *map(int, ids), float(score))
        for number, (dataset, *ids, score) in rows
        if number > 1
    ]


def rows_by_dataset(links: Iterable[RankedName]) -> dict[str, list[list[list[int]]]]:
    """Return the rows of ranked names, in their order, per data set, mention and part."""
    ranked: dict[str, list[list[list[int]]]] = defaultdict(list)
    for link in links:
        mentions = ranked[link.dataset]
        if link.query == len(mentions):
            mentions.append([])
        if link.part == len(mentions[link.query]):
            mentions[link.query].append([])
        mentions[link.query][link.part].append(link.name_row)
    return dict(ranked)
