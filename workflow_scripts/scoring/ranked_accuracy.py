"""Accuracy@k of ranked names (entity linking, as SapBERT counts) and of ranked translations."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.rankings import RankedTranslation
from workflow_scripts.scoring.evidence import Evidence, require_whole
from workflow_scripts.scoring.measurement import Measurement, measure_evidence

# Per query and part, rows of what is searched, best first; the concepts (ids) of each such row;
# the accepted concepts per query and part.
Ranked = Sequence[Sequence[Sequence[int]]]
Concepts = Sequence[Sequence[Any]]
Gold = Sequence[Sequence[Iterable[Any]]]
# of what was found for other items
_REMEDY = "remove that file and run again to recreate it"


@dataclass(frozen=True, kw_only=True)
class Rankings(Evidence):
    """Rows that were found for queries, `depth` of them for each part."""

    ranked: Ranked
    concepts: Concepts
    gold: Gold
    depth: int


def hits_at(k: int, ranked: Ranked, concepts: Concepts, gold: Gold) -> list[bool]:
    """Return whether each query is answered within the first k rows; accuracy@k is their share.

    A part is hit if any of its first k rows carries an accepted concept, and a query if all its
    parts are. k counts rows, not concepts: two names of one concept take two places.
    """
    return [
        all(
            any(not accepted.isdisjoint(concepts[row]) for row in rows[:k])
            for rows, accepted in zip(parts, map(set, gold_ids), strict=True)
        )
        for parts, gold_ids in zip(ranked, gold, strict=True)
    ]


def coverage(concepts: Concepts, gold: Gold) -> float:
    """Return the share of queries of which each part has an accepted concept among the rows."""
    known = {concept for own in concepts for concept in own}
    answerable = [all(not known.isdisjoint(accepted) for accepted in parts) for parts in gold]
    return sum(answerable) / len(answerable)


def check_rankings(dataset: str, ranked: Ranked, concepts: Concepts, gold: Gold) -> Rankings:
    """Return what is ranked for all queries; `UserError` where queries or rows are missing."""
    depth = len(ranked[0][0]) if ranked and ranked[0] else 0
    ranked_counts = [len(rows) for parts in ranked or () for rows in parts]
    require_whole(dataset, ranked_counts, [depth for parts in gold for _ in parts])
    row = max((row for parts in ranked for rows in parts for row in rows), default=0)
    if row >= len(concepts):
        raise UserError(f"dataset {dataset}", f"row {row} of {len(concepts)} was found", _REMEDY)
    return Rankings(
        n=len(gold),
        coverage=coverage(concepts, gold),
        ranked=ranked,
        concepts=concepts,
        gold=gold,
        depth=depth,
    )


def measure_translations(
    dataset: str,
    entry: Mapping[str, Any],
    ranks: Iterable[RankedTranslation],
    metrics: Sequence[str],
) -> Measurement:
    """Return metrics over the distinct source words of a lexicon, where any gold target counts.

    `entry` is its block of items.json, `ranks` are in their own order.
    """
    gold: dict[int, set[int]] = {}
    for word, translation in entry["test"]:
        gold.setdefault(word, set()).add(translation)
    ranked: list[list[list[int]]] = [[[]] for _ in gold]
    for row in ranks:
        known = row.dataset == dataset and 0 <= row.query < len(ranked)
        if not known or row.rank != len(ranked[row.query][0]) + 1:
            what = f"rank {row.rank} of word {row.query} of {row.dataset} is out of place"
            raise UserError(f"dataset {dataset}", what, _REMEDY)
        ranked[row.query][0].append(row.target_row)
    words = [[word] for word in entry["target_vocabulary"]]
    rankings = check_rankings(dataset, ranked, words, [[own] for own in gold.values()])
    return measure_evidence(dataset, entry, rankings, metrics)
