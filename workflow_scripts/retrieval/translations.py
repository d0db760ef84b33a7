"""Bilingual lexicon induction: a map learnt on a dictionary, the nearest target words of a source.

The paper's set-up is mapping-based (Artetxe et al. 2018) with CSLS retrieval (Lample et al. 2018)
over the dictionaries of Glavaš et al. (2019).
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.csls import NEIGHBOURS, rank_by_csls
from workflow_scripts.retrieval.lexicon_sides import check_sides, distinct
from workflow_scripts.retrieval.mapping import (
    MAPPINGS,
    centre_on_vocabulary,
    learn_orthogonal,
    learn_supervised,
)
from workflow_scripts.retrieval.rankings import RankedTranslation
from workflow_scripts.retrieval.suite_files import field, gather_rows
from workflow_scripts.retrieval.unit_length import normalise
from workflow_scripts.retrieval.vector_search import search_top

RETRIEVALS = ("csls", "cosine")
_SPAN = "the dictionary does not span it: enlarge the training dictionary"


class LexiconSide(NamedTuple):
    """One language of a lexicon: vectors of its suite, its block of items.json and a name for it.

    The block holds string ids: `vocabulary`, and `train` and `test` aligned with the other side's.
    """

    vectors: np.ndarray
    entry: dict[str, Any]
    name: str


def rank_translations(
    source: LexiconSide,
    target: LexiconSide,
    dataset: str,
    k: int,
    *,
    mapping: str = "supervised",
    retrieval: str = "csls",
    neighbours: int = NEIGHBOURS,
    regularisation: float = 0.0,
    threads: int = 1,
) -> Iterator[RankedTranslation]:
    """Yield the k best target words of each distinct source word of the test pairs, best first.

    All vectors are scaled to unit length, centred on their language's vocabulary and scaled again;
    the map is learnt on the train pairs; mapped vectors are scaled to unit length once more.
    `mapping` is "orthogonal" or "supervised" (with `regularisation`; see `mapping.py`), `retrieval`
    "csls" (with `neighbours`, over the whole vocabularies) or "cosine". Equal scores rank by row of
    the target vocabulary, the lower first.

    Raises `UserError` for sides that do not belong together, encoders of unequal width, too small
    a dictionary or vocabulary, k over the vocabulary, and vectors that are missing, NaN or zero.
    """
    if mapping not in MAPPINGS:
        raise UserError(f"mapping {mapping!r}; give one of {', '.join(MAPPINGS)}")
    if retrieval not in RETRIEVALS:
        raise UserError(f"retrieval {retrieval!r}; give one of {', '.join(RETRIEVALS)}")
    check_sides(source.entry, target.entry, dataset)
    words = field(target.entry, "vocabulary", dataset)
    if not 1 <= k <= len(words):
        raise UserError(
            f"dataset {dataset}: k = {k} of a target vocabulary of {len(words)} words; "
            "give a k from 1 to that number, or enlarge the vocabulary"
        )

    source_vocabulary, source_train, queries = _prepared(
        source, distinct(source.entry["test"]), dataset
    )
    target_vocabulary, target_train, _ = _prepared(target, [], dataset)
    if mapping == "orthogonal":
        maps = learn_orthogonal(source_train, target_train)
    else:
        maps = learn_supervised(source_train, target_train, regularisation)
    queries = normalise(queries @ maps.source, f"{source.name}, mapped", remedy=_SPAN)
    targets = normalise(target_vocabulary @ maps.target, f"{target.name}, mapped", remedy=_SPAN)
    if retrieval == "csls":
        sources = normalise(source_vocabulary @ maps.source, f"{source.name}, mapped", remedy=_SPAN)
        rows, scores = rank_by_csls(
            queries, sources, targets, k, neighbours=neighbours, threads=threads
        )
    else:
        rows, scores = search_top(queries, targets, k, threads=threads)
    for query in range(len(queries)):
        pairs = zip(rows[query].tolist(), scores[query].tolist(), strict=True)
        for rank, (row, score) in enumerate(pairs, start=1):
            yield RankedTranslation(dataset, query, rank, row, score)


def _prepared(side: LexiconSide, queries: list[int], dataset: str) -> tuple[np.ndarray, ...]:
    """Return the centred vectors of vocabulary, train words and queries of one language."""
    strings = [
        field(side.entry, "vocabulary", dataset),
        field(side.entry, "train", dataset),
        queries,
    ]
    if not strings[0]:
        raise UserError(f"dataset {dataset}: the vocabulary of {side.name} is empty; enlarge it")
    return centre_on_vocabulary(
        *(gather_rows(side.vectors, part, side.name) for part in strings), name=side.name
    )
