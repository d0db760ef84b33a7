"""Bilingual lexicon induction: a map learnt on a dictionary, the nearest target words of a source.

The paper's set-up is mapping-based (Artetxe et al. 2018) with CSLS retrieval (Lample et al. 2018)
over the dictionaries of Glavaš et al. (2019).
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.embedding.suite_vectors import StringVectors
from workflow_scripts.retrieval import mapping as mappings
from workflow_scripts.retrieval.csls import NEIGHBOURS, rank_by_csls
from workflow_scripts.retrieval.rankings import RankedTranslation
from workflow_scripts.retrieval.suite_files import gather_rows, normalise
from workflow_scripts.retrieval.vector_search import check_k, search_top

Retrieval = Literal["csls", "cosine"]
_SPAN = "the dictionary does not span it: enlarge the training dictionary"


class LexiconSide(NamedTuple):
    """One language of a lexicon: its strings by number; `train` and `test` align with the other's.

    `vectors` [strings, dimension] are those of its own strings.
    """

    vectors: np.ndarray | StringVectors
    name: str  # in messages
    vocabulary: list[int]
    train: list[int]
    test: Sequence[int] = ()


def side_of(
    entry: dict[str, Any], side: str, vectors: np.ndarray | StringVectors, name: str
) -> LexiconSide:
    """Return one side ("source", "target") of a lexicon's block of items.json."""
    column = SIDES.index(side)
    train, test = ([pair[column] for pair in entry[part]] for part in ("train", "test"))
    return LexiconSide(vectors, name, entry[f"{side}_vocabulary"], train, test)


def rank_translations(
    source: LexiconSide,
    target: LexiconSide,
    dataset: str,
    k: int,
    *,
    mapping: str = "supervised",
    similarity: str = "csls",
    neighbours: int = NEIGHBOURS,
    regularisation: float = 0.0,
    threads: int = 1,
) -> Iterator[RankedTranslation]:
    """Yield the k best target words of each distinct source word of the test pairs, best first.

    The map is learnt on the train pairs, centred on the vocabularies: `mapping` is "orthogonal" or
    "supervised" (with `regularisation`). `similarity` is "csls" (with `neighbours`, over the whole
    vocabularies) or "cosine"; of equals the lower row of the target vocabulary leads. Raises
    `UserError` for encoders of unequal width, too small a dictionary or vocabulary, k over the
    vocabulary, and vectors that are NaN or zero.
    """
    check_k(k, len(target.vocabulary), "target words", f"dataset {dataset}")
    distinct = list(dict.fromkeys(source.test))
    whole = distinct == source.vocabulary
    source_vocabulary, source_train, queries = _prepared(source, [] if whole else distinct)
    target_vocabulary, target_train, _ = _prepared(target, [])
    if mapping == "orthogonal":
        maps = mappings.learn_orthogonal(source_train, target_train)
    else:
        maps = mappings.learn_supervised(source_train, target_train, regularisation)
    targets = normalise(target_vocabulary @ maps.target, f"{target.name}, mapped", remedy=_SPAN)
    # A vocabulary may have hundreds of megabytes in float64; what follows takes float32.
    del target_vocabulary
    queries = normalise(queries @ maps.source, f"{source.name}, mapped", remedy=_SPAN)
    if similarity == "csls" or whole:
        sources = normalise(source_vocabulary @ maps.source, f"{source.name}, mapped", remedy=_SPAN)
        queries = sources if whole else queries
    del source_vocabulary
    if similarity == "csls":
        options = {"neighbours": neighbours, "threads": threads}
        rows, scores = rank_by_csls(queries, sources, targets, k, **options)
    else:
        rows, scores = search_top(queries, targets, k, threads=threads)
    for query in range(len(queries)):
        pairs = zip(rows[query].tolist(), scores[query].tolist(), strict=True)
        for rank, (row, score) in enumerate(pairs, start=1):
            yield RankedTranslation(dataset, query, rank, row, score)


def _prepared(side: LexiconSide, queries: list[int]) -> tuple[np.ndarray, ...]:
    parts = (side.vocabulary, side.train, queries)
    rows = (gather_rows(side.vectors, part, side.name) for part in parts)
    return mappings.centre_on_vocabulary(*rows, name=side.name)
