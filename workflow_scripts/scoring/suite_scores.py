"""The scores of one encoder on the data sets of a suite, by task."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.rankings import RankedName
from workflow_scripts.retrieval.suite_files import check_distinct, field, gather_rows
from workflow_scripts.scoring import linking
from workflow_scripts.scoring.counted_metrics import (
    accuracy_metric,
    auc_metric,
    spearman_metric,
    value_of,
)
from workflow_scripts.scoring.details import cosines_key, labels_key
from workflow_scripts.scoring.isotropy import CONVENTIONS, isotropy_score, mean_vector_norm
from workflow_scripts.scoring.measurement import Measurement, plain_scores, share_kept
from workflow_scripts.scoring.pair_classification import area_under_curve
from workflow_scripts.scoring.ranked_rows import in_order
from workflow_scripts.scoring.similarity import cosines_of_pairs, spearman
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score

ACCURACIES = (1, 5)
# Scored by a command of their own: their other half may be in another suite.
_ELSEWHERE = ("lexicon", "lexicon-side")


def score_datasets(
    encoder: EncoderIds,
    datasets: dict[str, dict[str, Any]],
    vectors: np.ndarray,
    links: Iterable[RankedName] | None = None,
    accuracies: Sequence[int] = ACCURACIES,
) -> list[Score]:
    """Return the scores of `measure_datasets`, without intervals."""
    return plain_scores(encoder, measure_datasets(encoder, datasets, vectors, links, accuracies))


def measure_datasets(
    encoder: EncoderIds,
    datasets: dict[str, dict[str, Any]],
    vectors: np.ndarray,
    links: Iterable[RankedName] | None = None,
    accuracies: Sequence[int] = ACCURACIES,
) -> list[Measurement]:
    """Return what was measured on each data set, in their order.

    `datasets` are those of an items.json, `vectors` [strings, dimension] those of its suite and
    `links` the ranked names of its entity-linking datasets (needed if there are any). Similarity
    gives spearman, pair classification auc, isotropy mvn, is_eig and is_paper, entity linking
    accuracy@k for each k of `accuracies`; sides of lexicons are left out. Raises `UserError` for
    what is missing, undefined or of an unknown task.
    """
    ranked = None if links is None else _by_dataset(links)
    measured: list[Measurement] = []
    for dataset, entry in datasets.items():
        place = f"encoder {encoder}, dataset {dataset}"
        if entry["task"] == "similarity":
            measured.append(_measure_similarity(dataset, entry, vectors, place))
        elif entry["task"] == "pair-classification":
            measured.append(_measure_pairs(dataset, entry, vectors, place))
        elif entry["task"] == "isotropy":
            measured.append(_measure_isotropy(dataset, entry, vectors, place))
        elif entry["task"] == "entity-linking":
            if ranked is None:
                raise UserError(
                    f"dataset {dataset}: entity linking is scored from ranked names; "
                    "give the output of link_entities with --links"
                )
            found = ranked.get(dataset, {})
            measured.append(_measure_linking(dataset, entry, found, accuracies, place))
        elif entry["task"] not in _ELSEWHERE:
            raise UserError(
                f"dataset {dataset}: no scoring for the task {entry['task']!r}; "
                "take the dataset out of the suite"
            )
    if not measured:
        raise UserError(
            "the suite holds nothing but lexicons, which are scored with score_lexicon; "
            "add a dataset of another task to it in the config"
        )
    return measured


def _measure_similarity(
    dataset: str, entry: dict[str, Any], vectors: np.ndarray, place: str
) -> Measurement:
    """Return Spearman's correlation of cosine and gold over all pairs of a dataset put together.

    `entry` holds `left` and `right` (string ids), `gold` and `dropped`.
    """
    gold = _of_pairs(entry, "gold", dataset)
    try:
        cosines = _cosines(entry, vectors)
        value = spearman(cosines, gold)
    except UserError as error:
        raise UserError(f"{place}: {error}") from error
    return _measured_items(
        dataset,
        entry,
        len(gold),
        {"spearman": value},
        metrics={"spearman": spearman_metric(cosines, np.asarray(gold, dtype=np.float64))},
    )


def _measure_pairs(
    dataset: str, entry: dict[str, Any], vectors: np.ndarray, place: str
) -> Measurement:
    """Return the area under the ROC curve of the cosine against the label of each pair.

    `entry` holds `left` and `right` (string ids), `label` (0 or 1) and `dropped`.
    """
    labels = _of_pairs(entry, "label", dataset)
    try:
        cosines = _cosines(entry, vectors)
        value = area_under_curve(cosines, labels)
    except UserError as error:
        raise UserError(f"{place}: {error}") from error
    return _measured_items(
        dataset,
        entry,
        len(labels),
        {"auc": value},
        metrics={"auc": auc_metric(cosines, np.asarray(labels))},
        arrays={
            cosines_key(dataset): cosines.astype(np.float32),
            labels_key(dataset): np.asarray(labels, dtype=np.int8),
        },
    )


def _measure_isotropy(
    dataset: str, entry: dict[str, Any], vectors: np.ndarray, place: str
) -> Measurement:
    """Return mean-vector norm and isotropy scores of the vectors of `strings` (string ids)."""
    strings = field(entry, "strings", dataset)
    check_distinct(strings, "its strings", dataset)
    try:
        rows = gather_rows(vectors, strings, "vectors").astype(np.float64)
        values = {"mvn": mean_vector_norm(rows)}
        values |= {name: isotropy_score(rows, name) for name in CONVENTIONS}
    except UserError as error:
        raise UserError(f"{place}: {error}") from error
    return _measured_items(dataset, entry, len(strings), values)


def _measure_linking(
    dataset: str,
    entry: dict[str, Any],
    ranks: dict[tuple[int, int], dict[int, int]],
    accuracies: Sequence[int],
    place: str,
) -> Measurement:
    """Return accuracy@k over all mentions of a dataset, for each k of `accuracies`.

    `entry` holds `name_concepts`, `mentions` and `gold`; `ranks` maps (mention, part) -> rank from
    1 -> row of the dictionary. Raises `UserError` if a part lacks one of the ranks.
    """
    name_concepts, mentions, gold = (
        field(entry, key, dataset) for key in ("name_concepts", "mentions", "gold")
    )
    if not mentions or [len(parts) for parts in mentions] != [len(parts) for parts in gold]:
        raise UserError(
            f"{place}: mentions and gold do not match; remake items.json with read_suite"
        )
    without = [query for query, wanted in enumerate(gold) if not wanted or not all(wanted)]
    if without:
        raise UserError(
            f"{place}: mention {without[0]} has no gold concept; remake items.json with read_suite"
        )
    parts = [(query, part) for query, found in enumerate(mentions) for part in range(len(found))]
    ordered = in_order(ranks, parts, max(accuracies), len(name_concepts), place)
    ranked = [
        [ordered[query, part] for part in range(len(found))] for query, found in enumerate(mentions)
    ]
    metrics = {
        f"accuracy@{k}": accuracy_metric(linking.hits_at(k, ranked, name_concepts, gold))
        for k in accuracies
    }
    return Measurement(
        dataset,
        entry.get("split", "test"),
        len(mentions),
        linking.coverage(name_concepts, gold),
        entry.get("dropped", {}),
        values={name: value_of(metric, len(mentions)) for name, metric in metrics.items()},
        metrics=metrics,
    )


def _measured_items(
    dataset: str, entry: dict[str, Any], n: int, values: dict[str, float], **further: Any
) -> Measurement:
    """Return what was measured on the n items of a data set that its reader did not drop."""
    dropped = entry.get("dropped", {})
    split = entry.get("split", "test")
    return Measurement(dataset, split, n, share_kept(n, dropped), dropped, values, **further)


def _of_pairs(entry: dict[str, Any], key: str, dataset: str) -> list[float]:
    """Return `entry[key]`, which must have one value a pair."""
    left, right, values = (field(entry, name, dataset) for name in ("left", "right", key))
    if not len(left) == len(right) == len(values):
        raise UserError(
            f"dataset {dataset}: {len(left)}, {len(right)} and {len(values)} items in left, right "
            f"and {key}; remake items.json with read_suite"
        )
    return values


def _cosines(entry: dict[str, Any], vectors: np.ndarray) -> np.ndarray:
    return cosines_of_pairs(
        gather_rows(vectors, entry["left"], "vectors"),
        gather_rows(vectors, entry["right"], "vectors"),
    )


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
