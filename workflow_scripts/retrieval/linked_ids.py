"""The best ids of mentions: names that are nearest, several names of one id counted once."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.name_index import NameIndex
from workflow_scripts.retrieval.vector_search import best_columns, search_blocks

# Of queries [n, dimension] and `k`, the rows and products [n, k] of the nearest names; an exact one
# takes `among`, the rows of those that are searched.
Search = Callable[..., tuple[np.ndarray, np.ndarray]]
# Rows of the index and their scores, best first.
NearNames = list[tuple[int, float]]
# Names looked at for each id that is wanted, at first; so many times more where their ids are too
# few, and what such a search leaves is found id by id.
_NAMES_AN_ID = 4
_WIDER = 4
# Names of an id up to which it is searched together with others then.
_NAMES_TOGETHER = 64
# Names held for all queries at once.
_NAMES_AT_ONCE = 1 << 22


def rank_ids(
    index: NameIndex,
    vectors: np.ndarray,
    k: int,
    *,
    each_name: bool = False,
    threads: int = 1,
    approximate: Search | None = None,
) -> Iterator[list[Link]]:
    """Yield for each of `vectors` [mentions, dimension] the k best ids, or all of an index.

    By inner product; an id counts by its best name, and of equals the lower row leads. With
    `each_name` they are the k best names, of which several may have one id. The search is exact
    unless `approximate` finds the nearest names, though not what ids they lack.
    """
    search = partial(search_blocks, targets=index.vectors, threads=threads)
    if not len(index):
        yield from ([] for _ in vectors)
        return
    width = min(k if each_name else k * _NAMES_AN_ID, len(index))
    step = max(1, _NAMES_AT_ONCE // width)
    for start in range(0, len(vectors), step):
        some = vectors[start : start + step]
        ranked: list[NearNames] = [[]] * len(some)
        pending = np.arange(len(some))
        for names in sorted({width, min(width * _WIDER, len(index))}):
            near = (approximate or search)(some[pending], k=names)
            nearer = [_best(index, *own, k, each_name) for own in zip(*near, strict=True)]
            for query, links in zip(pending.tolist(), nearer, strict=True):
                ranked[query] = links
            pending = pending[np.array([len(links) < k for links in nearer])]
            if not len(pending):
                break
        if len(pending) and names < len(index):
            by_id = _links_by_id(index, some[pending], k, search)
            for query, links in zip(pending.tolist(), by_id, strict=True):
                ranked[query] = links
        for links in ranked:
            yield [Link(*index[row], score) for row, score in links]


def _best(
    index: NameIndex, rows: np.ndarray, scores: np.ndarray, k: int, each_name: bool
) -> NearNames:
    """Return the k best of the names nearest to a query, of each id the first alone."""
    near = zip(rows.tolist(), scores.tolist(), strict=True)
    if each_name:
        return list(near)
    firsts: dict[str, tuple[int, float]] = {}
    for row, score in near:
        firsts.setdefault(index[row][0], (row, score))
    return list(firsts.values())[:k]


def _links_by_id(
    index: NameIndex, queries: np.ndarray, k: int, search: Search
) -> Iterator[NearNames]:
    """Yield the k best ids of each query, whatever ids its nearest names are of.

    Ids with many names are searched one by one. Of all others there are k ids among any
    k * `_NAMES_TOGETHER` names, since none has more.
    """
    numbers = index.id_numbers
    counts = np.bincount(numbers)
    few = np.flatnonzero((counts <= _NAMES_TOGETHER)[numbers])
    many = np.flatnonzero(counts > _NAMES_TOGETHER)
    by_number = np.argsort(numbers, kind="stable")
    starts = np.cumsum(counts) - counts
    width = min(k * _NAMES_TOGETHER, len(few))
    step = max(1, _NAMES_AT_ONCE // max(width, 1))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        # no row, and no score: of an id that there is not
        rows = np.full((len(some), k), len(index), dtype=np.int64)
        scores = np.full((len(some), k), -np.inf)
        if width:
            near = search(some, k=width, among=few)
            for query, (own, values) in enumerate(zip(*near, strict=True)):
                firsts = np.sort(np.unique(numbers[own], return_index=True)[1])[:k]
                rows[query, : len(firsts)] = own[firsts]
                scores[query, : len(firsts)] = values[firsts]
        for number in many.tolist():
            own = by_number[starts[number] : starts[number] + counts[number]]
            best = search(some, k=1, among=own)
            both = np.hstack([rows, best[0]]), np.hstack([scores, best[1]])
            rows, scores = best_columns(*both, k)
        for own, values in zip(rows.tolist(), scores.tolist(), strict=True):
            pairs = zip(own, values, strict=True)
            yield [(row, score) for row, score in pairs if row < len(index)]
