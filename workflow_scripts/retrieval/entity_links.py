"""The nearest dictionary names of mentions (biomedical entity linking; paper, section 3)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.rankings import RankedName
from workflow_scripts.retrieval.suite_files import field, gather_rows
from workflow_scripts.retrieval.unit_length import normalise
from workflow_scripts.retrieval.vector_search import search_top

SIMILARITIES = ("dot", "cosine")


def rank_names(
    vectors: np.ndarray,
    entry: dict[str, Any],
    dataset: str,
    k: int,
    similarity: str,
    *,
    vectors_name: str = "vectors",
    threads: int = 1,
) -> Iterator[RankedName]:
    """Yield the k nearest names of each part of each mention, best first, in order of the mentions.

    `vectors` are those of the suite, [strings, dimension]; `entry` is the dataset's block of
    items.json with `names` (string ids) and `mentions` (per mention the string ids of its parts).
    `similarity` is "dot", the inner product of the vectors as they are (what SapBERT's evaluation
    computes), or "cosine". Equal scores rank by row of `names`, the lower first.

    Raises `UserError` for k over the number of names, a string without a vector, NaN, and, with
    cosine, a zero vector.
    """
    if similarity not in SIMILARITIES:
        raise UserError(f"similarity {similarity!r}; give one of {', '.join(SIMILARITIES)}")
    names = field(entry, "names", dataset)
    mentions = field(entry, "mentions", dataset)
    if not 1 <= k <= len(names):
        raise UserError(
            f"dataset {dataset}: k = {k} of a dictionary of {len(names)} names; "
            "give a k from 1 to that number, or enlarge the dictionary"
        )
    # A mention often occurs many times and is searched once.
    parts = list(dict.fromkeys(part for mention in mentions for part in mention))
    if not parts:
        raise UserError(f"dataset {dataset}: no mentions; check the files that it is read from")
    targets = gather_rows(vectors, names, vectors_name)
    queries = gather_rows(vectors, parts, vectors_name)
    if similarity == "cosine":
        targets = normalise(targets, vectors_name, names)
        queries = normalise(queries, vectors_name, parts)
    rows, scores = search_top(queries, targets, k, threads=threads)
    position = {part: number for number, part in enumerate(parts)}
    for query, mention in enumerate(mentions):
        for number, part in enumerate(mention):
            found = position[part]
            pairs = zip(rows[found].tolist(), scores[found].tolist(), strict=True)
            for rank, (row, score) in enumerate(pairs, start=1):
                yield RankedName(dataset, query, number, rank, row, score)
