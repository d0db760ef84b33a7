"""The scores of one encoder on the similarity and entity-linking datasets of a suite."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.rankings import RankedName
from workflow_scripts.retrieval.suite_files import field, gather_rows
from workflow_scripts.scoring import linking
from workflow_scripts.scoring.ranked_rows import in_order
from workflow_scripts.scoring.similarity import cosines_of_pairs, spearman
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score

ACCURACIES = (1, 5)
# Scored by a command of their own: their other half is in another suite.
_ELSEWHERE = ("lexicon-side",)


def score_datasets(
    encoder: EncoderIds,
    datasets: dict[str, dict[str, Any]],
    vectors: np.ndarray,
    links: Iterable[RankedName] | None = None,
    accuracies: Sequence[int] = ACCURACIES,
) -> list[Score]:
    """Return one row per metric of each dataset, in the order of the datasets.

    `datasets` are those of an items.json, `vectors` [strings, dimension] those of its suite and
    `links` the ranked names of its entity-linking datasets (needed if there are any). Similarity
    gives spearman, entity linking accuracy@k for each k of `accuracies`; sides of lexicons are left
    out. Raises `UserError` for what is missing, undefined or of an unknown task.
    """
    ranked = None if links is None else _by_dataset(links)
    scores: list[Score] = []
    for dataset, entry in datasets.items():
        if entry["task"] == "similarity":
            scores.append(score_similarity(encoder, dataset, entry, vectors))
        elif entry["task"] == "entity-linking":
            if ranked is None:
                raise UserError(
                    f"dataset {dataset}: entity linking is scored from ranked names; "
                    "give the output of link_entities with --links"
                )
            found = ranked.get(dataset, {})
            scores.extend(score_linking(encoder, dataset, entry, found, accuracies))
        elif entry["task"] not in _ELSEWHERE:
            raise UserError(
                f"dataset {dataset}: no scoring for the task {entry['task']!r}; "
                "take the dataset out of the suite"
            )
    if not scores:
        raise UserError(
            "the suite holds no similarity or entity-linking dataset; lexicons are scored with "
            "score_lexicon"
        )
    return scores


def score_similarity(
    encoder: EncoderIds, dataset: str, entry: dict[str, Any], vectors: np.ndarray
) -> Score:
    """Return Spearman's correlation of cosine and gold over all pairs of a dataset put together.

    `entry` holds `left` and `right` (string ids), `gold` and `dropped`.
    """
    left, right, gold = (field(entry, key, dataset) for key in ("left", "right", "gold"))
    if not len(left) == len(right) == len(gold):
        raise UserError(
            f"dataset {dataset}: {len(left)}, {len(right)} and {len(gold)} items in left, right "
            "and gold; remake items.json with read_suite"
        )
    try:
        cosines = cosines_of_pairs(
            gather_rows(vectors, left, "vectors"), gather_rows(vectors, right, "vectors")
        )
        value = spearman(cosines, gold)
    except UserError as error:
        raise UserError(f"encoder {encoder}, dataset {dataset}: {error}") from error
    dropped = entry.get("dropped", {})
    coverage = len(gold) / (len(gold) + sum(dropped.values()))
    return Score(
        *encoder,
        dataset,
        entry.get("split", "test"),
        "spearman",
        value,
        len(gold),
        coverage,
        dropped,
    )


def score_linking(
    encoder: EncoderIds,
    dataset: str,
    entry: dict[str, Any],
    ranks: dict[tuple[int, int], dict[int, int]],
    accuracies: Sequence[int] = ACCURACIES,
) -> list[Score]:
    """Return accuracy@k over all mentions of a dataset, for each k of `accuracies`.

    `entry` holds `name_concepts`, `mentions` and `gold`; `ranks` maps (mention, part) -> rank from
    1 -> row of the dictionary. Raises `UserError` if a part lacks one of the ranks.
    """
    name_concepts, mentions, gold = (
        field(entry, key, dataset) for key in ("name_concepts", "mentions", "gold")
    )
    place = f"encoder {encoder}, dataset {dataset}"
    if not mentions or [len(parts) for parts in mentions] != [len(parts) for parts in gold]:
        raise UserError(
            f"{place}: mentions and gold do not match; remake items.json with read_suite"
        )
    parts = [(query, part) for query, found in enumerate(mentions) for part in range(len(found))]
    ordered = in_order(ranks, parts, max(accuracies), len(name_concepts), place)
    ranked = [
        [ordered[query, part] for part in range(len(found))] for query, found in enumerate(mentions)
    ]
    coverage = linking.coverage(name_concepts, gold)
    return [
        Score(
            *encoder,
            dataset,
            entry.get("split", "test"),
            f"accuracy@{k}",
            linking.accuracy_at(k, ranked, name_concepts, gold),
            len(mentions),
            coverage,
            entry.get("dropped", {}),
        )
        for k in accuracies
    ]


def _by_dataset(
    links: Iterable[RankedName],
) -> dict[str, dict[tuple[int, int], dict[int, int]]]:
    ranked: dict[str, dict[tuple[int, int], dict[int, int]]] = defaultdict(dict)
    for link in links:
        found = ranked[link.dataset].setdefault((link.query, link.part), {})
        if found.setdefault(link.rank, link.name_row) != link.name_row:
            raise UserError(
                f"dataset {link.dataset}: two names of rank {link.rank} for mention {link.query}; "
                "make the links again"
            )
    return dict(ranked)
