"""What shorter or coarser vectors lose: how many of the neighbours by whole vectors they find."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from workflow_scripts.retrieval.vector_search import best_of_candidates, search_blocks

if TYPE_CHECKING:
    from workflow_scripts.embedding.string_encoding import StringEncoder

# Neighbours that are looked for, and how many strings at most are searched, and searched in.
K, QUERIES, SEARCHED = 10, 200, 5000
Items = TypeVar("Items", list[str], range, np.ndarray)


class SampledStrings(NamedTuple):
    """Strings, with the encoder and the role by which they become vectors."""

    encoder: "StringEncoder"
    role: str
    strings: Sequence[str]

    def vectors(self, strings: Sequence[str]) -> np.ndarray:
        """Return whole vectors [n, D] of strings, whatever the encoder leaves of them."""
        return self.encoder.whole().encode(strings, role=self.role)


def truncation_line(
    searched: SampledStrings, queries: SampledStrings | None = None, *, cosine: bool = True
) -> str:
    """Return a line on what the encoder's `dimensions` lose among a sample of strings.

    The neighbours are those of a sample of `queries`, by default of other ones of the strings.
    """
    if queries is None:
        asked, strings = split_strings(searched.strings)
        queries = searched
    else:
        asked, strings = list(dict.fromkeys(queries.strings)), list(dict.fromkeys(searched.strings))
    encoder, number = searched.encoder, searched.encoder.dimension
    parts = (spread(asked, QUERIES), spread(strings, SEARCHED))
    whole = [side.vectors(part) for side, part in zip((queries, searched), parts, strict=True)]
    cut = [vectors[:, :number] for vectors in whole]
    return recall_line(f"dimensions {number} of {encoder.size}", whole, cut, cosine=cosine)


def split_strings(strings: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return some of the different strings to search with, and the others."""
    different = list(dict.fromkeys(strings))
    asked = spread(different, min(QUERIES, (len(different) + 1) // 2))
    known = set(asked)
    return asked, [string for string in different if string not in known]


def recall_line(
    shown: str, whole: Sequence[np.ndarray], cut: Sequence[np.ndarray], *, cosine: bool = True
) -> str:
    """Return a line on how many neighbours by whole vectors the shorter ones find.

    Both are vectors of queries [n, D] and of what is searched [m, D].
    """
    queries, searched = map(len, whole)
    if not (queries and searched):
        return f"{shown}: too few strings to measure the loss"
    k = min(K, searched)
    recall = neighbour_recall(whole, cut, k, cosine=cosine)
    return (
        f"{shown}: recall@{k} {recall:.4f} of the neighbours by whole vectors, of {queries} "
        f"queries among {searched} strings"
    )


def neighbour_recall(
    whole: Sequence[np.ndarray], cut: Sequence[np.ndarray], k: int, *, cosine: bool = True
) -> float:
    """Return the share of each query's k nearest by whole vectors that the shorter ones find."""
    if cosine:
        whole, cut = [*map(unit_rows, whole)], [*map(unit_rows, cut)]
    (queries, searched), (short_queries, short) = whole, cut
    near, _ = search_blocks(short_queries, short, k)
    _, products = best_of_candidates(queries, searched, near, k)
    return share_of_nearest(products, queries, searched)


def share_of_nearest(
    products: np.ndarray, queries: np.ndarray, searched: np.ndarray, threads: int = 1
) -> float:
    """Return the share of each query's k nearest that were found, by their `products` [n, k].

    A neighbour counts as found too if another with its product is.
    """
    _, exact = search_blocks(queries, searched, products.shape[1], threads=threads)
    return float((products >= exact[:, -1:]).mean())


def spread(items: Items, most: int) -> Items:
    """Return at most so many of the items, at even distances."""
    return items[:: max(1, -(-len(items) // max(1, most)))]


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Return vectors [n, D] at unit length, float32; a zero vector, nobody's neighbour, stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: np.ndarray = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return unit
