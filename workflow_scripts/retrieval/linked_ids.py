"""The best ids of mentions: names that are nearest, several names of one id counted once."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from workflow_scripts.retrieval.name_index import NameIndex
from workflow_scripts.retrieval.suite_files import gather_rows, normalise

# Of queries [n, dimension] and `k`, the rows and products [n, k] of the nearest names.
Search = Callable[..., tuple[np.ndarray, np.ndarray]]
# Names looked at for each id that is wanted, at first.
_NAMES_AN_ID = 4


class Link(NamedTuple):
    """A name found for a mention."""

    row: int
    score: float


def best_links(
    index: NameIndex, queries: np.ndarray, k: int, search: Search, *, grouped: bool = True
) -> Iterator[list[Link]]:
    """Yield for each of `queries` [n, dimension] its k best names, or all where there are fewer.

    By inner product, as `search` finds them; of equals the lower row leads. `grouped`: an id's best
    name alone counts, so that there are k ids.
    """
    number = len(index)
    width = min(k * _NAMES_AN_ID if grouped else k, number)
    found: list[list[Link] | None] = [None] * len(queries)
    pending = np.arange(len(queries))
    while len(pending):
        rows, scores = search(queries[pending], k=width)
        for query, own, values in zip(pending.tolist(), rows, scores, strict=True):
            links = [Link(*one) for one in zip(own.tolist(), values.tolist(), strict=True)]
            if grouped:
                firsts: dict[str, Link] = {}
                for link in links:
                    firsts.setdefault(index[link.row][0], link)
                links = list(firsts.values())
            if len(links) >= k or width == number:
                found[query] = links[:k]
        pending = np.array([query for query in pending.tolist() if found[query] is None], int)
        width = min(width * _NAMES_AN_ID, number)
    return iter(found)


def named_links(index: NameIndex, links: list[Link]) -> list[tuple[str, str, float]]:
    """Return id, name and score of links."""
    return [(*index[row], score) for row, score in links]


def scaled(vectors: np.ndarray, similarity: str, name: str) -> np.ndarray:
    """Return finite float32 vectors, at unit length where `similarity` is "cosine"."""
    vectors = gather_rows(vectors, range(len(vectors)), name)
    return normalise(vectors, name) if similarity == "cosine" else vectors
