"""Lexicon induction: accuracy@k over the distinct source words, where any gold target counts."""

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.lexicon_sides import check_sides
from workflow_scripts.retrieval.rankings import RankedTranslation
from workflow_scripts.retrieval.suite_files import field
from workflow_scripts.scoring.counted_metrics import accuracy_metric, value_of
from workflow_scripts.scoring.measurement import Measurement, plain_scores
from workflow_scripts.scoring.ranked_rows import in_order
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score

ACCURACIES = (1, 5)


def gold_targets(sources: Sequence[int], targets: Sequence[int]) -> list[set[int]]:
    """Return the gold targets of each distinct source, in order of the sources' first occurrence.

    `sources` and `targets` are the aligned words (string ids) of the test pairs.
    """
    gold: dict[int, set[int]] = {}
    for source, target in zip(sources, targets, strict=True):
        gold.setdefault(source, set()).add(target)
    return list(gold.values())


def hits_at(k: int, ranked: Sequence[Sequence[int]], gold: Sequence[Set[int]]) -> list[bool]:
    """Return whether each source has a gold target among its first k words.

    Accuracy@k is the share of these. `ranked` holds words (string ids) per source, best first. A
    source whose gold targets are all outside the vocabulary is a miss: see `coverage`.
    """
    return [not wanted.isdisjoint(words[:k]) for words, wanted in zip(ranked, gold, strict=True)]


def coverage(vocabulary: Sequence[int], gold: Sequence[Set[int]]) -> float:
    """Return the share of sources with at least one gold target in the target vocabulary."""
    known = set(vocabulary)
    return sum(not known.isdisjoint(wanted) for wanted in gold) / len(gold)


def score_translations(
    encoder: EncoderIds,
    dataset: str,
    source: dict[str, Any],
    target: dict[str, Any],
    ranks: Iterable[RankedTranslation],
    accuracies: Sequence[int] = ACCURACIES,
) -> list[Score]:
    """Return the scores of `measure_translations`, without intervals."""
    measured = measure_translations(encoder, dataset, source, target, ranks, accuracies)
    return plain_scores(encoder, [measured])


def measure_translations(
    encoder: EncoderIds,
    dataset: str,
    source: dict[str, Any],
    target: dict[str, Any],
    ranks: Iterable[RankedTranslation],
    accuracies: Sequence[int] = ACCURACIES,
) -> Measurement:
    """Return accuracy@k over the distinct source words of a lexicon, for each k of `accuracies`.

    The items of the bootstrap are those words as well. `source` and `target` are the blocks of the
    two sides in their suites' items; `ranks` the ranked translations of this dataset. Raises
    `UserError` for sides that do not belong together and for a source word that lacks one of the
    ranks.
    """
    check_sides(source, target, dataset)
    place = f"encoder {encoder}, dataset {dataset}"
    vocabulary = field(target, "vocabulary", dataset)
    gold = gold_targets(source["test"], target["test"])
    ordered = in_order(
        _by_query(ranks, dataset, place),
        range(len(gold)),
        max(accuracies),
        len(vocabulary),
        place,
    )
    ranked = [[vocabulary[row] for row in ordered[query]] for query in range(len(gold))]
    # The reader counts what it dropped of the pairs; both sides carry the same counts.
    dropped = {**source.get("dropped", {}), **target.get("dropped", {})}
    metrics = {f"accuracy@{k}": accuracy_metric(hits_at(k, ranked, gold)) for k in accuracies}
    return Measurement(
        dataset,
        source.get("split", "test"),
        len(gold),
        coverage(vocabulary, gold),
        dropped,
        values={name: value_of(metric, len(gold)) for name, metric in metrics.items()},
        metrics=metrics,
    )


def _by_query(
    ranks: Iterable[RankedTranslation], dataset: str, place: str
) -> dict[int, dict[int, int]]:
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for row in ranks:
        if row.dataset != dataset:
            raise UserError(f"{place}: translations of {row.dataset}; give those of {dataset}")
        if row.rank in found[row.query]:
            raise UserError(
                f"{place}: two words of rank {row.rank} for query {row.query}; "
                "make the rankings again"
            )
        found[row.query][row.rank] = row.target_row
    return dict(found)
