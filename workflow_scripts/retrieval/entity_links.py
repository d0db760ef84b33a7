"""The nearest dictionary names of mentions (biomedical entity linking; paper, section 3)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.retrieval.rankings import RankedName
from workflow_scripts.retrieval.suite_files import gather_rows, normalise
from workflow_scripts.retrieval.vector_search import check_k, search_top


def rank_names(
    vectors: np.ndarray | StringVectors,
    entry: dict[str, Any],
    dataset: str,
    k: int,
    similarity: str,
    *,
    vectors_name: str = "vectors",
    threads: int = 1,
) -> Iterator[RankedName]:
    """Yield the k nearest names of each part of each mention, best first, in order of the mentions.

    `vectors` [strings, dimension] are those of the data set, `entry` is its block of items.json.
    `similarity` is "dot", of the vectors as they are (as SapBERT's evaluation has it), or "cosine".
    Of equals the lower row of names leads. Raises `UserError` for k over the number of names, NaN,
    and, with cosine, a zero vector.
    """
    names, mentions = entry["names"], entry["mentions"]
    check_k(k, len(names), "names", f"dataset {dataset}")
    # A mention often occurs many times and is searched once.
    parts = list(dict.fromkeys(part for mention in mentions for part in mention))
    targets = gather_rows(vectors, names, vectors_name)
    queries = gather_rows(vectors, parts, vectors_name)
    if similarity == "cosine":
        targets = normalise(targets, vectors_name, names)
        queries = normalise(queries, vectors_name, parts)
    rows, scores = search_top(queries, targets, k, threads=threads)
    position = {part: number for number, part in enumerate(parts)}
    for query, mention in enumerate(mentions):
        for number, part in enumerate(mention):
            of_query = position[part]
            pairs = zip(rows[of_query].tolist(), scores[of_query].tolist(), strict=True)
            for rank, (row, score) in enumerate(pairs, start=1):
                yield RankedName(dataset, query, number, rank, row, score)
