"""Command: score one encoder on data sets, as the workflow's tables do.

The encoder is any model folder or hub id that transformers loads. With --against each score stands
beside that of another one, such as the untuned model, with the difference, its 95% interval and its
p value. A data set whose files are not in the data root is named and left out.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow_scripts.cli import command_parser
from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.configuration.config import Classification, Config, Retrieval
from workflow_scripts.configuration.former_suites import refuse_suites
from workflow_scripts.configuration.layers import CONFIG, DEFAULT, read_layers
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.datasets.entry import DatasetEntry, raw_files
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.datasets.sides import SIDES, strings_key
from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.recorded_settings import (
    add_settings_arguments,
    given_settings,
    join_settings,
    recorded_settings,
    settle_settings,
)
from workflow_scripts.embedding.settings import OPTIONS, POOLINGS, EncoderSettings
from workflow_scripts.errors import (
    ConfigError,
    UnknownKeyError,
    UserError,
    nearest_name,
    run_command,
)
from workflow_scripts.files import check_own_json, read_text, write_json, write_text
from workflow_scripts.imports import add_machine_arguments, quick_imports
from workflow_scripts.scoring.card_scores import add_scores
from workflow_scripts.scoring.paired_differences import (
    Difference,
    Scored,
    mean_differences,
    paired_differences,
)
from workflow_scripts.scoring.tasks.register import TASKS, needs

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder import Encoder

EXAMPLE = """
COMMAND --model my-encoder --against resources/models/bert-bio-mini \\
    --datasets ncbi-disease 'bc5cdr-*' --data-root resources/sample_data --output scores.json
"""
DATASET_FILES = [CONFIG / name for name in ("datasets.yaml", "datasets-multilingual.yaml")]
COLUMNS = ("dataset", "metric", "value", "low", "high", "n", "coverage", "dropped")


def choose_datasets(files: Sequence[Path], wanted: Sequence[str]) -> dict[str, DatasetEntry]:
    """Return {data set: entry} of catalogues by ids or patterns, in the order of these.

    Raises `UserError` for one that no data set has, and for a data set that two files have
    differently.
    """
    # {data set: [(file, block)]}
    known: dict[str, list[tuple[str, Any]]] = {}
    for path in files:
        content, file = read_mapping(path), str(path)
        refuse_suites(content, partial(_file_of_all, file))
        for name, block in _blocks(content, "datasets", file).items():
            known.setdefault(name, []).append((file, block))
    chosen: dict[str, DatasetEntry] = {}
    for pattern in wanted:
        names = [name for name in known if fnmatchcase(name, pattern)]
        if not names:
            problem = f"no such data set in {', '.join(path.name for path in files)}"
            raise UserError(f"--datasets {pattern}", problem, nearest_name(pattern, known))
        for name in names:
            entries = [read_entry(name, block, source) for source, block in known[name]]
            if any(entry != entries[0] for entry in entries):
                both = " and ".join(file for file, _ in known[name])
                problem, remedy = f"{both} differ on it", "give one of them with --catalogues"
                raise UserError(f"--datasets {name}", problem, remedy)
            chosen[name] = entries[0]
    return chosen


def _file_of_all(file: str, key: Sequence[str]) -> str:
    return file


def _blocks(content: dict[str, Any], kind: str, file: str) -> dict[str, Any]:
    found = content.get(kind, {})
    if not isinstance(found, dict):
        raise ConfigError(file, kind, "is no list of blocks by name", "fix it")
    return found


def drop_missing(
    root: Path, entries: dict[str, DatasetEntry], strict: bool
) -> tuple[dict[str, DatasetEntry], dict[str, str]]:
    """Return the entries whose files are in the root, and the first missing file of the others."""
    if not root.is_dir():
        raise UserError(f"--data-root {root}", "no such folder", "give one laid out as a data root")
    missing: dict[str, str] = {}
    for name, entry in entries.items():
        for path in raw_files(root, entry):
            if not path.is_file():
                missing.setdefault(name, str(path))
    if missing and (strict or len(missing) == len(entries)):
        name, first_missing = next(iter(missing.items()))
        obtain = entries[name].obtain or "put it there or give another --data-root"
        raise UserError(first_missing, f"no such file, needed by data set {name}", obtain)
    return {name: entry for name, entry in entries.items() if name not in missing}, missing


class Evaluation(NamedTuple):
    """What an encoder scored: rows with `COLUMNS`, and differences to another encoder.

    `record` says what was scored with what; `missing` has the first missing file of each data set
    that was left out, `choices` how linking, lexicons and classifiers were set, as far as used.
    """

    rows: list[dict[str, Any]]
    differences: list[Difference]
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
    data_root: Path,
    datasets: Sequence[str],
    catalogues: Sequence[Path] = DATASET_FILES,
    config: Path = DEFAULT,
    strict: bool = False,
) -> Sets:
    """Read data sets of the catalogues, by ids or patterns.

    Raises `UserError` for one that is not known or not scored, and with `strict` for one without
    its files.
    """
    retrieval, classification = _read_protocols(config)
    entries = choose_datasets(catalogues, datasets)
    for name, entry in entries.items():
        if entry.task not in TASKS:
            raise UserError(
                f"--datasets {' '.join(datasets)}",
                f"nothing scores data set {name}, of task {entry.task}",
                "name a data set of another",
            )
    entries, missing = drop_missing(data_root, entries, strict)
    lists: dict[str, list[str]] = {}
    numbered = []
    for name, entry in entries.items():
        sides, items = number_items(name, entry, read_dataset(data_root, entry, name))
        lists |= {strings_key(name, side): strings for side, strings in sides.items()}
        numbered.append(items)
    return Sets(entries, lists, numbered, missing, retrieval, classification)


def evaluate(
    encoder: "Encoder",
    sets: Sets,
    *,
    against: "Encoder | None" = None,
    own_classifier: bool = False,
    threads: int = 1,
) -> Evaluation:
    """Score an encoder on data sets as the tables do.

    With `against`, differences to that encoder are by the paired bootstrap. `own_classifier`: the
    classifier that the encoder was trained with says what test texts are.
    """
    encoders = [encoder] if against is None else [encoder, against]
    (own, record), *others = (score(each, sets, own_classifier, threads) for each in encoders)
    rows = [{key: getattr(row, key) for key in COLUMNS} for row in own[0]]
    differences: list[Difference] = []
    for base, base_record in others:
        differences = paired_differences(own, base)
        by_row = {row[:2]: dict(zip(row._fields[3:], row[3:], strict=True)) for row in differences}
        rows = [row | by_row.get((row["dataset"], row["metric"]), {}) for row in rows]
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
    return Evaluation(rows, differences, record, sets.missing, choices)


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
    encoder: "Encoder", sets: Sets, own_classifier: bool, threads: int
) -> tuple[Scored, dict[str, Any]]:
    """Return the scores of an encoder with their replicates, and the record of what it is."""
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import torch
        import transformers

        from workflow_scripts.embedding.own_classifier import read_own_classifier
        from workflow_scripts.embedding.suite_vectors import StringVectors, number_strings
        from workflow_scripts.retrieval.entity_links import rank_names
        from workflow_scripts.retrieval.rankings import rows_by_dataset
        from workflow_scripts.retrieval.suite_files import side_of
        from workflow_scripts.retrieval.translations import LexiconSide, rank_translations
        from workflow_scripts.scoring.measurement import bootstrap_scores, measure_dataset
        from workflow_scripts.scoring.ranked_accuracy import measure_translations
        from workflow_scripts.scoring.tidy_scores import EncoderIds

    strings, rows = number_strings(sets.lists)
    vectors = encoder.encode(strings, progress=True)
    ids = EncoderIds(encoder.name, encoder.settings.pooling, "none", 0)
    how: Any = sets.classification.protocol
    if own_classifier:
        how = read_own_classifier(str(encoder.loaded.folder))
    choices, measured = sets.retrieval.model_dump(), []
    for items in sets.items:
        name, task = items["dataset"], items["task"]
        if needs(task, "translations"):
            source, target = (
                LexiconSide(
                    StringVectors(vectors, rows[strings_key(name, side)]),
                    side_of(items, side),
                    encoder.name,
                )
                for side in SIDES
            )
            words = rank_translations(source, target, name, **choices["lexicon"], threads=threads)
            measured.append(measure_translations(name, source.entry, target.entry, words))
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
        measured.append(measure_dataset(ids, items, own, ranked))
    loaded = encoder.loaded
    record: dict[str, Any] = {"model": loaded.name, "weights_sha256": loaded.weights_sha256}
    record |= {**encoder.settings.as_record(), "strings": len(strings)}
    record["versions"] = {"torch": torch.__version__, "transformers": transformers.__version__}
    return bootstrap_scores(ids, measured), record


def print_comparison(rows: Sequence[Difference], sizes: Mapping[tuple[str, str], int]) -> None:
    """Print scores beside those of the other encoder as aligned columns."""
    width, wide = (
        max(len(name) for name in names) for names in zip(*(r[:2] for r in rows), strict=True)
    )
    head = f"{'dataset':<{width}}  {'metric':<{wide}}  {'n':>6}    value  against  difference"
    print(f"{head}  95% interval         p")
    for row in rows:
        interval = tested = ""
        if row.p_value is not None:
            interval = f"{row.difference_low:+.4f} {row.difference_high:+.4f}"
            tested = f"{row.p_value:.3f}{' *' if row.p_value < 0.05 else ''}"
        print(
            f"{row.dataset:<{width}}  {row.metric:<{wide}}  {sizes.get(row[:2], ''):>6}  "
            f"{row.value:>7.4f}  {row.against:>7.4f}  {row.difference:>+10.4f}  "
            f"{interval:<15}  {tested}".rstrip()
        )


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print the rows as aligned columns."""
    width, wide = (max(len(row[key]) for row in rows) for key in ("dataset", "metric"))
    interval = "95% interval"
    head = f"{'dataset':<{width}}  {'metric':<{wide}}"
    print(f"{head}  {'value':>7}  {interval:<16}  {'n':>6}  coverage")
    for row in rows:
        interval = "" if row["low"] is None else f"{row['low']:.4f} {row['high']:.4f}"
        print(
            f"{row['dataset']:<{width}}  {row['metric']:<{wide}}  {row['value']:>7.4f}  "
            f"{interval:<16}  {row['n']:>6}  {row['coverage']:.3f}"
        )


def chosen_settings(arguments: argparse.Namespace) -> dict[str, EncoderSettings]:
    """Return the settings of the encoder to score, and of the one of --against if there is one.

    What neither the user nor its folder says of the latter is as for the former.
    """
    own = settle_settings(arguments.model, arguments)
    chosen = {"model": own}
    if arguments.against is not None:
        recorded = recorded_settings(arguments.against)
        # layer and prompts belong to the pooling that is recorded with them
        fallback = {"max_length": own.max_length} if "pooling" in recorded else own.as_record()
        given = {"pooling": arguments.against_pooling} if arguments.against_pooling else {}
        chosen["against"] = join_settings(arguments.against, fallback, recorded, given)
    elif arguments.against_pooling is not None:
        remedy = "give --against too"
        raise UserError("--against-pooling", "no encoder to compare with", remedy)
    return chosen


def changed_setting(arguments: argparse.Namespace) -> str | None:
    """Return the option by which scores are not those of the encoder as it is loaded."""
    usual = EncoderSettings("mean")
    defaults = {name: getattr(usual, name) for name in OPTIONS if name not in usual.as_record()}
    recorded = defaults | recorded_settings(arguments.model)
    for name, value in given_settings(arguments).items():
        if recorded.get(name, value) != value:
            return f"{OPTIONS[name]} {value}"
    return None


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("evaluate", __doc__, EXAMPLE)
    add = parser.add_argument
    add("--model", required=True, help="model folder or hub id (id@revision)")
    add_settings_arguments(parser)
    against = "another encoder or the untuned model: differences, by the paired bootstrap"
    add("--against", metavar="MODEL", help=against)
    its = "pooling of --against (default: that encoder's own, else as for --model)"
    add("--against-pooling", choices=POOLINGS, help=its)
    named = "data sets of config/datasets*.yaml: ids, or patterns such as 'tatoeba-*'"
    add("--datasets", required=True, nargs="+", metavar="ID", help=named)
    add("--data-root", required=True, type=Path, help="folder of the raw files")
    add("--output", required=True, type=Path, help="scores as JSON rows")
    other = "configs whose `datasets` are meant instead"
    add("--catalogues", type=Path, nargs="+", default=DATASET_FILES, metavar="FILE", help=other)
    config = "config whose `retrieval` is used (default: that of the default run)"
    add("--config", type=Path, default=DEFAULT, help=config)
    add("--strict", action="store_true", help="a missing data set is an error, not left out")
    classifier = "take the classifier that the encoder was trained with (method classify)"
    add("--own-classifier", action="store_true", help=classifier)
    add("--card", action="store_true", help="write the scores on the encoder's card as well")
    add_machine_arguments(parser)
    arguments = parser.parse_args(argv)
    if not arguments.output.name:
        raise UserError(f"--output {arguments.output}", "is a folder", "give a file name")
    record_file = arguments.output.with_suffix(".record.json")
    check_own_json("--output", arguments.output, "metric")
    check_own_json("--output", record_file, "left_out")
    settings = chosen_settings(arguments)
    card = local_path(arguments.model) / "README.md"
    if arguments.card and not card.is_file():
        raise UserError("--card", f"{arguments.model} has no README.md", "leave the option out")
    if arguments.card and (changed := changed_setting(arguments)):
        raise UserError(
            "--card", f"{changed} is not how the encoder is loaded", "leave one of them out"
        )
    sources = (arguments.catalogues, arguments.config, arguments.strict)
    sets = read_sets(arguments.data_root, arguments.datasets, *sources)
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding.encoder import Encoder, load_with_settings

    encoders: dict[str, Encoder] = {}
    for name, own in settings.items():
        machine = (arguments.device, arguments.threads)
        encoders[name] = load_with_settings(getattr(arguments, name), own, *machine, OPTIONS)
    evaluation = evaluate(
        encoders["model"],
        sets,
        against=encoders.get("against"),
        own_classifier=arguments.own_classifier,
        threads=arguments.threads,
    )
    rows = evaluation.rows
    write_json(arguments.output, rows)
    write_json(record_file, evaluation.record)
    if arguments.card:
        write_text(card, add_scores(read_text(card), rows))
    if evaluation.differences:
        sizes = {(row["dataset"], row["metric"]): row["n"] for row in rows}
        print_comparison(evaluation.differences, sizes)
        base = settings["against"]
        limit = f"{base.max_length} tokens at most"
        print(f"against {arguments.against}, pooling {base.pooling}, {limit}")
        print("* p < .05, two-sided, paired bootstrap over items; for each comparison by itself")
    else:
        print_table(rows)
    for name, file in evaluation.missing.items():
        print(f"{name}: left out, {file} is not there")
    for part, block in evaluation.choices.items():
        shown = ", ".join(f"{key} {value}" for key, value in block.items())
        print(f"{part} of {arguments.config}: {shown}")
    print(f"scores written to {arguments.output}", file=sys.stderr)


if __name__ == "__main__":
    run_command(main)
