"""The best ids of mentions in each shard of names, and over all shards: as if it were one index.

A shard's ranking has rows of the mention's number, id, name and score, by mention and best first.
"""

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import atomic_text
from workflow_scripts.retrieval.mention_links import Link


def shard_files(folder: Path, number: int) -> list[Path]:
    """Return the rankings of a file's shards, in the order of the names."""
    return [folder / f"{shard}-of-{number}.tsv" for shard in range(1, number + 1)]


def write_ranking(path: Path, ranked: Iterable[list[Link]]) -> None:
    """Write the best ids of a shard for each mention in its turn."""
    with atomic_text(path) as stream:
        for number, links in enumerate(ranked):
            for identity, name, score in links:
                # the shortest digits that give the very float64 again
                stream.write(f"{number}\t{identity}\t{name}\t{score!r}\n")


def merge_rankings(paths: Iterable[Path], k: int) -> Iterator[list[Link]]:
    """Yield for each mention its k best ids over shards in order, those of a shard's ranking.

    An id counts by its best name, of equals the first: the best k of all names are among the best k
    of their shards.
    """
    # both keep the shards' order among equals
    rows = heapq.merge(*map(_read_ranking, paths), key=itemgetter(0))
    for _, own in groupby(rows, key=itemgetter(0)):
        firsts: dict[str, Link] = {}
        for _, link in sorted(own, key=lambda row: -row[1].score):
            firsts.setdefault(link.id, link)
        yield list(firsts.values())[:k]


def _read_ranking(path: Path) -> Iterator[tuple[int, Link]]:
    for _, row in read_rows(path, Layout(what="a row of a shard's ranking", width=4)):
        with damaged_file_error(path):
            number, identity, name, score = row
            ranked = int(number), Link(identity, name, float(score))
        yield ranked
