"""Shards of names, and the best ids of mentions over all of them: as if the names were one list.

A shard's ranking has rows of the mention's number, id, name and score, by mention and best first.
"""

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import atomic_text
from workflow_scripts.retrieval.linked_ids import Search, best_links, named_links
from workflow_scripts.retrieval.mention_links import BATCH, Found
from workflow_scripts.retrieval.name_index import NameIndex


def write_shard_ranking(
    path: Path, index: NameIndex, mentions: np.ndarray, k: int, search: Search
) -> None:
    """Write the k best ids of a shard for `mentions` [n, dimension]."""
    with atomic_text(path) as stream:
        for start in range(0, len(mentions), BATCH):
            ranked = best_links(index, mentions[start : start + BATCH], k, search)
            for number, links in enumerate(ranked, start=start):
                for identity, name, score in named_links(index, links):
                    # the shortest digits that give the very float64 again
                    stream.write(f"{number}\t{identity}\t{name}\t{score!r}\n")


def merge_rankings(paths: Iterable[Path], k: int) -> Iterator[list[Found]]:
    """Yield for each mention its k best ids over shards in order, those of a shard's ranking.

    An id counts by its best name, of equals the first: the best k of all names are among the best k
    of their shards.
    """
    # both keep the shards' order among equals
    rows = heapq.merge(*map(_read_ranking, paths), key=itemgetter(0))
    for _, own in groupby(rows, key=itemgetter(0)):
        firsts: dict[str, Found] = {}
        for _, row in sorted(own, key=lambda row: -row[1][2]):
            firsts.setdefault(row[0], row)
        yield list(firsts.values())[:k]


def _read_ranking(path: Path) -> Iterator[tuple[int, Found]]:
    for _, row in read_rows(path, Layout(what="a row of a shard's ranking", width=4)):
        with damaged_file_error(path):
            number, identity, name, score = row
            ranked = int(number), (identity, name, float(score))
        yield ranked
