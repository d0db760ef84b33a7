"""Front door: score one encoder on a suite of data sets, as the workflow's tables do.

The encoder is any model folder or hub id that transformers loads. A data set whose files are not
in the data root is named and left out.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from workflow_scripts.datasets.catalogue import raw_files
from workflow_scripts.datasets.read_suite import read_suite
from workflow_scripts.embedding.recorded_choices import add_pooling_arguments, settle_pooling
from workflow_scripts.errors import UserError, nearest_name, run_command
from workflow_scripts.files import read_text, write_json, write_text
from workflow_scripts.imports import quick_imports
from workflow_scripts.scoring.card_scores import add_scores

DATASET_FILE = Path(__file__).resolve().parent.parent / "config" / "datasets.yaml"


def choose_datasets(path: Path, suite: str) -> dict[str, dict[str, Any]]:
    """Return {data set: entry} of a suite of `path`, or of the one data set of that name."""
    try:
        content = yaml.safe_load(read_text(path))
        datasets, suites = content["datasets"], content["suites"]
    except (yaml.YAMLError, TypeError, KeyError) as error:
        raise UserError(f"{path}: needs the keys datasets and suites ({error})") from error
    if suite in suites:
        return {name: datasets[name] for name in suites[suite]["datasets"]}
    if suite in datasets:
        return {suite: datasets[suite]}
    raise UserError(
        f"--suite {suite}: no such suite or data set in {path.name}; "
        f"{nearest_name(suite, [*suites, *datasets])}"
    )


def drop_missing(
    root: Path, entries: dict[str, dict[str, Any]], strict: bool
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """Return the entries whose files are in the root, and the first missing file of the others."""
    if not root.is_dir():
        raise UserError(f"--data-root {root}: no such folder; give one laid out as a data root")
    missing = {}
    for name, entry in entries.items():
        absent = [file for file in raw_files(root, entry) if not file.is_file()]
        if absent:
            missing[name] = str(absent[0])
    if missing and (strict or len(missing) == len(entries)):
        name, file = next(iter(missing.items()))
        obtain = entries[name].get("obtain") or "put it there or give another --data-root"
        raise UserError(f"{file}: no such file, needed by data set {name}; {obtain}")
    return {name: entry for name, entry in entries.items() if name not in missing}, missing


def score(
    strings: list[str],
    datasets: dict[str, dict[str, Any]],
    model: str,
    pooling: str,
    max_length: int,
    threads: int,
    device: str,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return one row a metric (a `Score` without its encoder) and the record of the run."""
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import torch
        import transformers

        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.string_encoding import encode_strings
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.retrieval.entity_links import rank_names
        from workflow_scripts.retrieval.lexicon_sides import SIDES, side_of
        from workflow_scripts.retrieval.translations import LexiconSide, rank_translations
        from workflow_scripts.scoring.lexicon import measure_translations
        from workflow_scripts.scoring.measurement import bootstrap_scores
        from workflow_scripts.scoring.suite_scores import ACCURACIES, measure_datasets
        from workflow_scripts.scoring.tidy_scores import EncoderIds

    loaded = load_model(model, set_up_torch(threads, device))
    loaded.warn_of_missing_mark(pooling)
    vectors = encode_strings(loaded, strings, pooling, max_length, report=True)

    encoder = EncoderIds(loaded.name, pooling, "none", 0)
    by_task: dict[str, dict[str, Any]] = {}
    for name, items in datasets.items():
        by_task.setdefault(items["task"], {})[name] = items
    lexicons = by_task.pop("lexicon", {})
    ordinary = {name: items for group in by_task.values() for name, items in group.items()}
    links = [
        link
        for name, items in by_task.get("entity-linking", {}).items()
        for link in rank_names(
            vectors, items, name, max(ACCURACIES), "dot", vectors_name=model, threads=threads
        )
    ]
    measured = measure_datasets(encoder, ordinary, vectors, links) if ordinary else []
    for name, items in lexicons.items():
        sides = [side_of(items, side) for side in SIDES]
        ranks = rank_translations(
            *(LexiconSide(vectors, side, model) for side in sides),
            name,
            max(ACCURACIES),
            threads=threads,
        )
        measured.append(measure_translations(encoder, name, *sides, ranks))
    scores, _ = bootstrap_scores(encoder, measured)
    order = {name: position for position, name in enumerate(datasets)}
    rows = [
        {
            "dataset": row.dataset,
            "metric": row.metric,
            "value": row.value,
            "low": row.low,
            "high": row.high,
            "n": row.n,
            "coverage": row.coverage,
            "dropped": row.dropped,
        }
        for row in sorted(scores, key=lambda row: (order[row.dataset], row.metric))
    ]
    record = {
        "model": loaded.name,
        "weights_sha256": loaded.weights_sha256,
        "pooling": pooling,
        "max_length": max_length,
        "strings": len(strings),
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
    }
    return rows, record


def print_table(rows: list[dict[str, Any]], missing: dict[str, str]) -> None:
    """Print the rows as aligned columns, what was left out below."""
    width = max(len(row["dataset"]) for row in rows)
    interval = "95% interval"
    print(f"{'dataset':<{width}}  {'metric':<10}  {'value':>7}  {interval:<16}  {'n':>6}  coverage")
    for row in rows:
        interval = "" if row["low"] is None else f"{row['low']:.4f} {row['high']:.4f}"
        print(
            f"{row['dataset']:<{width}}  {row['metric']:<10}  {row['value']:>7.4f}  "
            f"{interval:<16}  {row['n']:>6}  {row['coverage']:.3f}"
        )
    for name, file in missing.items():
        print(f"{name}: left out, {file} is not there")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m workflow_scripts.evaluate", description=__doc__
    )
    parser.add_argument("--model", required=True, help="model folder or hub id (id@revision)")
    add_pooling_arguments(parser)
    parser.add_argument("--suite", required=True, help="suite or data set of config/datasets.yaml")
    parser.add_argument("--data-root", required=True, type=Path, help="folder of the raw files")
    parser.add_argument("--output", required=True, type=Path, help="scores as JSON rows")
    parser.add_argument("--datasets", type=Path, default=DATASET_FILE, help="another catalogue")
    parser.add_argument(
        "--strict", action="store_true", help="a missing data set is an error, not left out"
    )
    parser.add_argument(
        "--card", action="store_true", help="write the scores on the encoder's card as well"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto")
    arguments = parser.parse_args(argv)
    pooling, max_length = settle_pooling(arguments.model, arguments.pooling, arguments.max_length)
    card = Path(arguments.model).expanduser() / "README.md"
    if arguments.card and not card.is_file():
        raise UserError(f"--card: {arguments.model} has no README.md; leave the option out")
    entries, missing = drop_missing(
        arguments.data_root,
        choose_datasets(arguments.datasets, arguments.suite),
        arguments.strict,
    )
    strings, datasets = read_suite(arguments.data_root, entries)
    rows, record = score(
        strings,
        datasets,
        arguments.model,
        pooling,
        max_length,
        arguments.threads,
        arguments.device,
    )
    write_json(arguments.output, rows)
    write_json(
        arguments.output.with_suffix(".record.json"),
        {**record, "suite": arguments.suite, "left_out": sorted(missing)},
    )
    if arguments.card:
        write_text(card, add_scores(read_text(card), rows))
    print_table(rows, missing)
    print(f"scores written to {arguments.output}", file=sys.stderr)


if __name__ == "__main__":
    run_command(main)
