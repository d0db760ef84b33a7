"""Scores of one encoder on data sets, as the workflow's tables have them: the object functions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.configuration.config import Classification, Config, Retrieval
from workflow_scripts.configuration.layers import DEFAULT, read_layers
from workflow_scripts.datasets.catalogues import CATALOGUES, choose_datasets, drop_missing
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.own_pairs import OwnPairs
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.datasets.sides import SIDES, strings_key
from workflow_scripts.errors import UnknownKeyError, UserError, nearest_name
from workflow_scripts.imports import quick_imports
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.tasks.register import TASKS, needs

if TYPE_CHECKING:
    import numpy as np

    from workflow_scripts.embedding.encoder import Encoder
    from workflow_scripts.scoring.measurement import Measurement
    from workflow_scripts.scoring.paired_differences import Difference, Scored
    from workflow_scripts.scoring.tidy_scores import EncoderIds

COLUMNS = ("dataset", "metric", "value", "low", "high", "n", "coverage", "dropped")


class Evaluation(NamedTuple):
    """What an encoder scored: rows with `COLUMNS`, and differences to another encoder.

    `verdicts` say of each difference whether the items show it, `record` what was scored with what.
    `missing` has the first missing file of each data set that was left out, `choices` how linking,
    lexicons and classifiers were set, as far as used.
    """

    rows: list[dict[str, Any]]
    differences: "list[Difference]"
    verdicts: list[str]
    record: dict[str, Any]
    missing: dict[str, str]
    choices: dict[str, dict[str, Any]]


class Sets(NamedTuple):
    """Data sets to score on, as they were read, and how.

    `lists` are their strings by `strings_key`, `items` what is scored; `missing` has the first
    missing file of each that is left out.
    """

    entries: dict[str, DatasetEntry]
    lists: dict[str, list[str]]
    items: list[dict[str, Any]]
    missing: dict[str, str]
    retrieval: Retrieval
    classification: Classification


def read_sets(
    data_root: Path | None,
    datasets: Sequence[str],
    catalogues: Sequence[Path] = CATALOGUES,
    config: Path = DEFAULT,
    strict: bool = False,
    own: Sequence[OwnPairs] = (),
) -> Sets:
    """Read data sets of the catalogues, by ids or patterns, followed by your own pairs.

    Raises `UserError` for a data set that is unknown or not scored, and with `strict` for one
    whose files are missing.
    """
    retrieval, classification = _read_protocols(config)
    if datasets and data_root is None:
        raise UserError("--data-root", "missing", "give the folder with the files of the data sets")
    entries = choose_datasets(catalogues, datasets)
    for name, entry in entries.items():
        if entry.task not in TASKS:
            raise UserError(
                f"--datasets {' '.join(datasets)}",
                f"data set {name}, of task {entry.task}, cannot be scored",
                "choose a data set of another task",
            )
    missing: dict[str, str] = {}
    if data_root is not None and entries:
        entries, missing = drop_missing(data_root, entries, strict)
    read = [
        (name, entry, read_dataset(str(data_root), entry, name)) for name, entry in entries.items()
    ]
    for pairs in own:
        if pairs.name in entries:
            raise UserError(pairs.name, "the name of two data sets", "rename the file")
        entries[pairs.name] = pairs.entry
    lists: dict[str, list[str]] = {}
    numbered = []
    for name, entry, dataset in [*read, *own]:
        sides, items = number_items(name, entry, dataset)
        lists |= {strings_key(name, side): strings for side, strings in sides.items()}
        numbered.append(items)
    return Sets(entries, lists, numbered, missing, retrieval, classification)


def evaluate_encoder(
    encoder: "Encoder",
    sets: Sets,
    *,
    against: "Encoder | None" = None,
    own_classifier: bool = False,
    threads: int = 1,
    further: Mapping[str, Sequence[str]] = {},
) -> Evaluation:
    """Score an encoder on data sets as the tables do.

    With `against`, differences to that encoder are by the paired bootstrap. `own_classifier`: the
    classifier that the encoder was trained with says what test texts are. `further` are metrics by
    task in addition to those that are scored anyway.
    """
    # Only now: it brings numpy, which a mistake of the user should not wait for.
    from workflow_scripts.scoring.paired_differences import (
        mean_differences,
        paired_differences,
        verdict,
    )

    encoders = [encoder] if against is None else [encoder, against]
    (own, record), *others = (
        score(each, sets, own_classifier, threads, further) for each in encoders
    )
    rows = [{key: getattr(row, key) for key in COLUMNS} for row in own[0]]
    differences: list[Difference] = []
    verdicts: list[str] = []
    for base, base_record in others:
        differences = paired_differences(own, base)
        by_row = {row[:2]: dict(zip(row._fields[3:], row[3:], strict=True)) for row in differences}
        rows = [row | by_row.get((row["dataset"], row["metric"]), {}) for row in rows]
        sizes = {(row["dataset"], row["metric"]): row["n"] for row in rows}
        verdicts = [verdict(row, sizes[row[:2]]) for row in differences]
        means = mean_differences(own, base)
        record["against"] = base_record | {"means": [row._asdict() for row in means]}
        differences += means
    tasks = [entry.task for entry in sets.entries.values()]
    used = {
        part: getattr(sets.retrieval, part).model_dump()
        for part, need in (("linking", "links"), ("lexicon", "translations"))
        if any(needs(task, need) for task in tasks)
    }
    record |= {"datasets": list(sets.entries), "left_out": sorted(sets.missing)}
    record |= {"retrieval": used}
    choices = {f"retrieval.{part}": block for part, block in used.items()}
    if any(needs(task, "predictions") for task in tasks):
        # a classifier of the encoder's own is not trained by a protocol
        protocol = sets.classification.model_dump()
        block = {"protocol": "own classifier"} if own_classifier else protocol
        record["classification"] = choices["classification"] = block
    return Evaluation(rows, differences, verdicts, record, sets.missing, choices)


def _read_protocols(config: Path) -> tuple[Retrieval, Classification]:
    layers = read_layers([config])
    for key in layers.config.keys() - Config.model_fields.keys():
        hint = nearest_name(key, Config.model_fields)
        raise UnknownKeyError(layers.file_of((key,)), key, hint)
    retrieval = layers.config.get("retrieval")
    classification = layers.config.get("classification", {})
    return (
        read_block(Retrieval, retrieval, "retrieval", layers.file_of),
        read_block(Classification, classification, "classification", layers.file_of),
    )


def score(
    encoder: "Encoder",
    sets: Sets,
    own_classifier: bool,
    threads: int,
    further: Mapping[str, Sequence[str]] = {},
) -> "tuple[Scored, dict[str, Any]]":
    """Return the scores of an encoder with their replicates, and the record of what it is."""
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding.own_classifier import read_own_classifier
        from workflow_scripts.scoring.measurement import bootstrap_scores
        from workflow_scripts.scoring.tidy_scores import EncoderIds

    ids = EncoderIds(encoder.name, encoder.settings.pooling, "none", 0)
    how: Any = sets.classification.protocol
    if own_classifier:
        how = read_own_classifier(str(encoder.loaded.folder))
    embed = partial(encoder.encode, progress=True)
    measured = measure_sets(embed, sets, ids, classifier=how, threads=threads, further=further)
    strings = {string for strings in sets.lists.values() for string in strings}
    record = encoder.loaded.record(encoder.settings) | {"strings": len(strings)}
    return bootstrap_scores(ids, measured), record


def measure_sets(
    embed: "Callable[[list[str]], np.ndarray]",
    sets: Sets,
    ids: "EncoderIds",
    *,
    classifier: Any = None,
    threads: int = 1,
    further: Mapping[str, Sequence[str]] = {},
) -> "list[Measurement]":
    """Return what is measured on each data set by vectors [N, D] that `embed` gives N strings.

    `ids` name the encoder in messages; `classifier` is one that was trained, or a protocol (None:
    that of the sets), `further` as in `evaluate_encoder`. Raises `UserError` where a metric is
    undefined.
    """
    from workflow_scripts.embedding.suite_vectors import StringVectors, number_strings
    from workflow_scripts.retrieval.entity_links import rank_names
    from workflow_scripts.retrieval.rankings import rows_by_dataset
    from workflow_scripts.retrieval.translations import rank_translations, side_of
    from workflow_scripts.scoring.measurement import measure_dataset
    from workflow_scripts.scoring.ranked_accuracy import measure_translations

    strings, rows = number_strings(sets.lists)
    vectors = embed(strings)
    how = sets.classification.protocol if classifier is None else classifier
    choices, measured = sets.retrieval.model_dump(), []
    for items in sets.items:
        name, task = items["dataset"], items["task"]
        metrics = (*metrics_of(task), *further.get(task, ()))
        if needs(task, "translations"):
            source, target = (
                side_of(
                    items, side, StringVectors(vectors, rows[strings_key(name, side)]), ids.model
                )
                for side in SIDES
            )
            words = rank_translations(source, target, name, **choices["lexicon"], threads=threads)
            measured.append(measure_translations(name, items, words, metrics))
            continue
        own = StringVectors(vectors, rows[strings_key(name)])
        ranked: Any = None
        if needs(task, "links"):
            names = rank_names(own, items, name, **choices["linking"], threads=threads)
            ranked = rows_by_dataset(names)[name]
        if needs(task, "predictions"):
            # Only now: it brings scikit-learn.
            from workflow_scripts.scoring.trained_predictions import predict

            ranked = predict(name, items, own, how)
        measured.append(measure_dataset(ids, items, own, metrics, ranked))
    return measured
