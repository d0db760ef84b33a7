"""The best ids of mentions: names that are nearest, several names of one id counted once."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from workflow_scripts.retrieval.mention_links import Link
from workflow_scripts.retrieval.name_index import NameIndex
from workflow_scripts.retrieval.vector_search import best_columns, search_blocks

# Of queries [n, dimension] and `k`, the rows and products [n, k] of the nearest names; an exact one
# takes `among`, the rows of those that are searched.
Search = Callable[..., tuple[np.ndarray, np.ndarray]]
# Names looked at for each id that is wanted, at first; so many times more where their ids are too
# few, and what such a search leaves is found id by id.
_NAMES_AN_ID = 4
_WIDER = 4
# Names of an id up to which it is searched together with others then.
_NAMES_TOGETHER = 64
# Names held for all queries at once.
_NAMES_AT_ONCE = 1 << 22


class NearName(NamedTuple):
    """A name near to a mention: its row in the index."""

    row: int
    score: float


def rank_ids(
    index: NameIndex,
    vectors: np.ndarray,
    k: int,
    *,
    each_name: bool = False,
    threads: int = 1,
    approximate: Search | None = None,
) -> Iterator[list[Link]]:
    """Yield for each of `vectors` [mentions, dimension] the k best ids of an index, best first.

    With `each_name` the k best names, of which several may have one id. The search is exact unless
    `approximate` finds the nearest names.
    """
    search = partial(search_blocks, targets=index.vectors, threads=threads)
    ranked = best_links(index, vectors, k, search, grouped=not each_name, approximate=approximate)
    for links in ranked:
        yield [Link(*index[row], score) for row, score in links]


def best_links(
    index: NameIndex,
    queries: np.ndarray,
    k: int,
    search: Search,
    *,
    grouped: bool = True,
    approximate: Search | None = None,
) -> Iterator[list[NearName]]:
    """Yield for each of `queries` [n, dimension] its k best names, or all where there are fewer.

    By inner product, as `search` finds them, which is exact; of equals the lower row leads.
    `grouped`: an id's best name alone counts, so that there are k ids. `approximate` finds the
    nearest names instead of `search`, but not what ids they lack.
    """
    nearest = approximate or search
    if not len(index):
        yield from ([] for _ in queries)
        return
    width = min(k * _NAMES_AN_ID if grouped else k, len(index))
    step = max(1, _NAMES_AT_ONCE // width)
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        ranked: list[list[NearName]] = [[]] * len(some)
        pending = np.arange(len(some))
        for names in sorted({width, min(width * _WIDER, len(index))}):
            nearer = _nearest_links(index, some[pending], k, names, nearest, grouped)
            for query, links in zip(pending.tolist(), nearer, strict=True):
                ranked[query] = links
            pending = pending[np.array([len(links) < k for links in nearer])]
            if not len(pending):
                break
        if len(pending) and names < len(index):
            by_id = _links_by_id(index, some[pending], k, search)
            for query, links in zip(pending.tolist(), by_id, strict=True):
                ranked[query] = links
        yield from ranked


def _nearest_links(
    index: NameIndex, queries: np.ndarray, k: int, width: int, search: Search, grouped: bool
) -> list[list[NearName]]:
    """Return the best links, k at most, of each query among its `width` nearest names."""
    ranked = []
    for own, values in zip(*search(queries, k=width), strict=True):
        links = [NearName(*pair) for pair in zip(own.tolist(), values.tolist(), strict=True)]
        ranked.append(_first_of_each_id(index, links)[:k] if grouped else links)
    return ranked


def _first_of_each_id(index: NameIndex, links: list[NearName]) -> list[NearName]:
    firsts: dict[str, NearName] = {}
    for link in links:
        firsts.setdefault(index[link.row][0], link)
    return list(firsts.values())


def _links_by_id(
    index: NameIndex, queries: np.ndarray, k: int, search: Search
) -> Iterator[list[NearName]]:
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
            yield [NearName(row, score) for row, score in pairs if row < len(index)]
