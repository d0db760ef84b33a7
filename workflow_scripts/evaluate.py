"""Command: score one encoder on a suite of data sets, as the workflow's tables do.

The encoder is any model folder or hub id that transformers loads. With --against each score stands
beside that of another one, such as the untuned model, with the difference, its 95% interval and its
p value. A data set whose files are not in the data root is named and left out.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.cli import command_parser
from workflow_scripts.configuration.blocks import read_block
from workflow_scripts.configuration.config import Classification, Config, Retrieval, Suite
from workflow_scripts.configuration.layers import CONFIG, DEFAULT, read_layers
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.datasets.entry import DatasetEntry, raw_files
from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_suite import read_suite
from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.pooling_names import POOLINGS
from workflow_scripts.embedding.recorded_choices import (
    add_pooling_arguments,
    recorded_choices,
    settle_pooling,
)
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

EXAMPLE = """
COMMAND --model my-encoder --against resources/models/bert-bio-mini \\
    --suite ncbi-disease cometa --data-root resources/sample_data --output scores.json
"""
DATASET_FILES = [CONFIG / name for name in ("datasets.yaml", "datasets-multilingual.yaml")]
COLUMNS = ("dataset", "metric", "value", "low", "high", "n", "coverage", "dropped")


def choose_datasets(files: Sequence[Path], suite: str) -> dict[str, DatasetEntry]:
    """Return {data set: entry} of a suite of catalogues, or of the one data set of that name."""
    known: list[str] = []
    chosen: list[tuple[str, dict[str, DatasetEntry]]] = []
    for path in files:
        content, file = read_mapping(path), str(path)
        datasets, suites = (_blocks(content, kind, file) for kind in ("datasets", "suites"))
        if suite in suites or suite in datasets:
            where, names = f"suites.{suite}", [suite]
            if suite in suites:
                names = read_block(Suite, suites[suite], where, file).datasets
            if suite in datasets and suite not in names:
                wrong = f"`{suite}` is a data set and a suite without it"
                raise UserError(file, wrong, "rename one of them")
            for name in names:
                if name not in datasets:
                    hint = nearest_name(name, datasets)
                    raise ConfigError(file, where, f"has `{name}`, no data set here", hint)
            chosen.append((file, {name: read_entry(name, datasets[name], file) for name in names}))
        known += [*suites, *datasets]
    if any(entries != chosen[0][1] for _, entries in chosen):
        both = " and ".join(file for file, _ in chosen)
        raise UserError(
            f"--suite {suite}", f"{both} differ on it", "give one of them with --datasets"
        )
    if chosen:
        return chosen[0][1]
    raise UserError(
        f"--suite {suite}",
        f"no such suite or data set in {', '.join(path.name for path in files)}",
        nearest_name(suite, known),
    )


def merge_suites(chosen: Mapping[str, Mapping[str, DatasetEntry]]) -> dict[str, DatasetEntry]:
    """Return the data sets of all suites; `UserError` for one that two of them have differently."""
    entries: dict[str, DatasetEntry] = {}
    for suite, own in chosen.items():
        for name, entry in own.items():
            if entries.setdefault(name, entry) != entry:
                remedy = "evaluate the suites one by one"
                raise UserError(f"--suite {suite}", f"another suite has another `{name}`", remedy)
    return entries


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
        for file in raw_files(root, entry):
            if not file.is_file():
                missing.setdefault(name, str(file))
    if missing and (strict or len(missing) == len(entries)):
        name, first_missing = next(iter(missing.items()))
        obtain = entries[name].obtain or "put it there or give another --data-root"
        raise UserError(first_missing, f"no such file, needed by data set {name}", obtain)
    return {name: entry for name, entry in entries.items() if name not in missing}, missing


class Encoder(NamedTuple):
    """An encoder as it is used."""

    model: str
    pooling: str
    max_length: int


def score(
    arguments: argparse.Namespace,
    encoder: Encoder,
    suite: tuple[list[str], dict[str, dict[str, Any]]],
    retrieval: Retrieval,
    protocol: str,
) -> tuple[Scored, dict[str, Any]]:
    """Return the scores of an encoder with their replicates, and the record of what it is.

    `suite` is what `read_suite` gives: strings, and data sets by name.
    """
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import torch
        import transformers

        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.own_classifier import read_own_classifier
        from workflow_scripts.embedding.string_encoding import encode_strings
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.retrieval.entity_links import rank_names
        from workflow_scripts.retrieval.rankings import rows_by_dataset
        from workflow_scripts.retrieval.suite_files import SIDES, side_of
        from workflow_scripts.retrieval.translations import LexiconSide, rank_translations
        from workflow_scripts.scoring.measurement import bootstrap_scores, measure_datasets
        from workflow_scripts.scoring.ranked_accuracy import measure_translations
        from workflow_scripts.scoring.tidy_scores import EncoderIds

    model, pooling, max_length = encoder
    strings, datasets = suite
    threads = arguments.threads
    loaded = load_model(model, set_up_torch(threads, arguments.device))
    loaded.check_pooling(pooling, max_length, "--max-length", "--pooling")
    loaded.warn_of_missing_mark(pooling)
    vectors = encode_strings(loaded, strings, pooling, max_length, report=True)

    ids = EncoderIds(loaded.name, pooling, "none", 0)
    how = read_own_classifier(model) if arguments.own_classifier else protocol
    choices, measured = retrieval.model_dump(), []
    for name, items in datasets.items():
        if needs(items["task"], "translations"):
            sides = [side_of(items, side) for side in SIDES]
            source, target = (LexiconSide(vectors, side, model) for side in sides)
            words = rank_translations(source, target, name, **choices["lexicon"], threads=threads)
            measured.append(measure_translations(name, sides[0], sides[1], words))
            continue
        ranked: dict[str, Any] | None = None
        if needs(items["task"], "links"):
            names = rank_names(vectors, items, name, **choices["linking"], threads=threads)
            ranked = rows_by_dataset(names)
        if needs(items["task"], "predictions"):
            # Only now: it brings scikit-learn.
            from workflow_scripts.scoring.trained_predictions import predict

            ranked = {name: predict(name, items, vectors, how)}
        measured += measure_datasets(ids, {name: items}, vectors, ranked)
    record: dict[str, Any] = {"model": loaded.name, "weights_sha256": loaded.weights_sha256}
    record |= {"pooling": pooling, "max_length": max_length, "strings": len(strings)}
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


def chosen_encoders(arguments: argparse.Namespace) -> list[Encoder]:
    """Return the encoder to score and the one of --against, if there is one.

    What neither the user nor its folder says of the latter is as for the former.
    """
    own = settle_pooling(arguments.model, arguments.pooling, arguments.max_length)
    chosen = [Encoder(arguments.model, *own)]
    if arguments.against is not None:
        recorded = recorded_choices(arguments.against)
        pooling = arguments.against_pooling or recorded.get("pooling", own[0])
        chosen.append(Encoder(arguments.against, pooling, recorded.get("max_length", own[1])))
    elif arguments.against_pooling is not None:
        remedy = "give --against too"
        raise UserError("--against-pooling", "no encoder to compare with", remedy)
    return chosen


def changed_choice(arguments: argparse.Namespace, encoder: Encoder) -> str | None:
    """Return the option by which scores are not those of the encoder as it is loaded."""
    recorded = recorded_choices(arguments.model)
    for key in ("pooling", "max_length"):
        value = getattr(encoder, key)
        if getattr(arguments, key) is not None and recorded.get(key, value) != value:
            return f"--{key.replace('_', '-')} {value}"
    return None


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("evaluate", __doc__, EXAMPLE)
    add = parser.add_argument
    add("--model", required=True, help="model folder or hub id (id@revision)")
    add_pooling_arguments(parser)
    against = "another encoder or the untuned model: differences, by the paired bootstrap"
    add("--against", metavar="MODEL", help=against)
    its = "pooling of --against (default: that encoder's own, else as for --model)"
    add("--against-pooling", choices=POOLINGS, help=its)
    named = "suites or data sets of config/datasets*.yaml"
    add("--suite", required=True, nargs="+", metavar="NAME", help=named)
    add("--data-root", required=True, type=Path, help="folder of the raw files")
    add("--output", required=True, type=Path, help="scores as JSON rows")
    add("--datasets", type=Path, nargs="+", default=DATASET_FILES, help="other catalogues")
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
    encoders = chosen_encoders(arguments)
    card = local_path(arguments.model) / "README.md"
    if arguments.card and not card.is_file():
        raise UserError("--card", f"{arguments.model} has no README.md", "leave the option out")
    if arguments.card and (changed := changed_choice(arguments, encoders[0])):
        raise UserError(
            "--card", f"{changed} is not how the encoder is loaded", "leave one of them out"
        )
    layers = read_layers([arguments.config])
    for key in layers.config.keys() - Config.model_fields.keys():
        hint = nearest_name(key, Config.model_fields)
        raise UnknownKeyError(layers.file_of((key,)), key, hint)
    block = layers.config.get("retrieval")
    retrieval = read_block(Retrieval, block, "retrieval", layers.file_of)
    block = layers.config.get("classification", {})
    trained = read_block(Classification, block, "classification", layers.file_of)
    suites = {name: choose_datasets(arguments.datasets, name) for name in arguments.suite}
    entries = merge_suites(suites)
    for name, entry in entries.items():
        if entry.task not in TASKS:
            raise UserError(
                f"--suite {' '.join(arguments.suite)}",
                f"nothing scores data set {name}, of task {entry.task}",
                "name a data set of another",
            )
    entries, missing = drop_missing(arguments.data_root, entries, arguments.strict)
    used = {
        part: getattr(retrieval, part).model_dump()
        for part, need in (("linking", "links"), ("lexicon", "translations"))
        if any(needs(entry.task, need) for entry in entries.values())
    }
    suite = read_suite(arguments.data_root, entries)
    scored = [score(arguments, one, suite, retrieval, trained.protocol) for one in encoders]
    own, record = scored[0]
    rows = [{key: getattr(row, key) for key in COLUMNS} for row in own[0]]
    compared: list[Difference] = []
    if arguments.against is not None:
        other, its_record = scored[1]
        compared = paired_differences(own, other)
        found = {one[:2]: dict(zip(one._fields[3:], one[3:], strict=True)) for one in compared}
        rows = [row | found.get((row["dataset"], row["metric"]), {}) for row in rows]
        means = mean_differences(own, other)
        record["against"] = its_record | {"means": [one._asdict() for one in means]}
        compared += means
    write_json(arguments.output, rows)
    record |= {"suite": " ".join(arguments.suite), "left_out": sorted(missing), "retrieval": used}
    choices = {f"retrieval.{part}": block for part, block in used.items()}
    if any(needs(entry.task, "predictions") for entry in entries.values()):
        # a classifier of the encoder's own is not trained by a protocol
        block = {"protocol": "own classifier"} if arguments.own_classifier else trained.model_dump()
        record["classification"] = choices["classification"] = block
    write_json(record_file, record)
    if arguments.card:
        write_text(card, add_scores(read_text(card), rows))
    if compared:
        print_comparison(compared, {(row["dataset"], row["metric"]): row["n"] for row in rows})
        base = encoders[1]
        print(f"against {base.model}, pooling {base.pooling}, {base.max_length} tokens at most")
        print("* p < .05, two-sided, paired bootstrap over items; for each comparison by itself")
    else:
        print_table(rows)
    for name, file in missing.items():
        print(f"{name}: left out, {file} is not there")
    for part, block in choices.items():
        shown = ", ".join(f"{key} {value}" for key, value in block.items())
        print(f"{part} of {arguments.config}: {shown}")
    print(f"scores written to {arguments.output}", file=sys.stderr)


if __name__ == "__main__":
    run_command(main)
