"""Command: score one encoder on data sets, as the workflow's tables do."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.layers import DEFAULT
from workflow_scripts.datasets.catalogues import CATALOGUES
from workflow_scripts.datasets.own_pairs import Half, read_own_pairs
from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.card_metadata import read_card
from workflow_scripts.embedding.recorded_settings import (
    given_settings,
    join_settings,
    recorded_settings,
    settle_settings,
)
from workflow_scripts.embedding.settings import (
    OPTIONS,
    EncoderSettings,
    Pooling,
    SettingsOptions,
)
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text, write_json, write_text
from workflow_scripts.imports import MachineOptions, quick_imports
from workflow_scripts.option_paths import check_files, check_own_json
from workflow_scripts.path_functions import command
from workflow_scripts.reports.evaluation_report import evaluation_report
from workflow_scripts.reports.page import check_report, write_report
from workflow_scripts.scoring.card_scores import add_scores
from workflow_scripts.scoring.evaluation import Evaluation, evaluate_encoder, read_sets
from workflow_scripts.scoring.mteb_results import FURTHER_METRICS, mteb_tasks, write_mteb_results

if TYPE_CHECKING:
    from workflow_scripts.scoring.paired_differences import Difference

EXAMPLE = """
COMMAND --model my-encoder --against resources/models/bert-bio-mini \\
    --datasets ncbi-disease 'bc5cdr-*' --data-root resources/sample_data --output scores.json
"""


@dataclass(frozen=True)
class ComparisonOptions:
    """Another encoder that the scores are compared with.

    Args:
        against: another encoder, or the untuned model, to compare with by the paired bootstrap
        against_pooling: pooling of --against (default: that encoder's own, else that of --model)
    """

    against: str | None = None
    against_pooling: Pooling | None = None


@dataclass(frozen=True)
class OutputOptions:
    """What is written where.

    Args:
        output: scores as JSON rows
        card: also write the scores into the encoder's card (README.md)
        report: write an HTML page with charts and a table of the scores
        mteb: also write the scores to this folder in MTEB's format, with Pearson's correlation and
            F1 (STS12 to 16, STS Benchmark, SICK-R, Tatoeba)
    """

    output: Path
    card: bool = False
    report: Path | None = None
    mteb: Path | None = None

    @property
    def record(self) -> Path:
        """Return the file that says what was scored with what."""
        return self.output.with_suffix(".record.json")


def print_rows(head: str, rows: Sequence[tuple[str, str, str]]) -> None:
    """Print rows of data set, metric and numbers as aligned columns, `head` above the numbers."""
    width, wide = (max(len(row[column]) for row in rows) for column in (0, 1))
    for dataset, metric, numbers in [("dataset", "metric", head), *rows]:
        print(f"{dataset:<{width}}  {metric:<{wide}}  {numbers}".rstrip())


def print_comparison(rows: Sequence["Difference"], sizes: Mapping[tuple[str, str], int]) -> None:
    """Print scores next to those of the other encoder."""
    shown = []
    for row in rows:
        interval = tested = ""
        if row.p_value is not None:
            interval = f"{row.difference_low:+.4f} {row.difference_high:+.4f}"
            tested = f"{row.p_value:.3f}{' *' if row.p_value < 0.05 else ''}"
        numbers = f"{row.value:>7.4f}  {row.against:>7.4f}  {row.difference:>+10.4f}"
        numbers = f"{sizes.get(row[:2], ''):>6}  {numbers}  {interval:<15}  {tested}"
        shown.append((row.dataset, row.metric, numbers))
    print_rows(f"{'n':>6}    value  against  difference  95% interval         p", shown)


def print_table(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print scores."""
    shown = []
    for row in rows:
        interval = "" if row["low"] is None else f"{row['low']:.4f} {row['high']:.4f}"
        numbers = f"{interval:<16}  {row['n']:>6}  {row['coverage']:.3f}"
        shown.append((row["dataset"], row["metric"], f"{row['value']:>7.4f}  {numbers}"))
    print_rows(f"{'value':>7}  {'95% interval':<16}  {'n':>6}  coverage", shown)


def print_scores(
    evaluation: Evaluation, against: str | None, base: EncoderSettings | None, config: Path
) -> None:
    """Print what an encoder scored and how; `base` are the settings of the one of --against."""
    rows = evaluation.rows
    if evaluation.differences and base is not None:
        sizes = {(row["dataset"], row["metric"]): row["n"] for row in rows}
        print_comparison(evaluation.differences, sizes)
        print(f"against {against}, {base.describe()}")
        print("* p < 0.05, two-sided paired bootstrap over items; not corrected for multiple tests")
        print(*evaluation.verdicts, sep="\n")
    else:
        print_table(rows)
    for name, file in evaluation.missing.items():
        print(f"{name}: left out, {file} is not there")
    for part, block in evaluation.choices.items():
        shown = ", ".join(f"{key} {value}" for key, value in block.items())
        print(f"{part} of {config}: {shown}")


def choose_settings(
    model: str, settings: SettingsOptions, comparison: ComparisonOptions
) -> tuple[EncoderSettings, EncoderSettings | None]:
    """Return the settings of the encoder to score, and of the one of --against if there is one.

    What neither the user nor its folder says of the latter is as for the former.
    """
    own = settle_settings(model, settings)
    if comparison.against is None:
        if comparison.against_pooling is not None:
            remedy = "give --against too"
            raise UserError("--against-pooling", "no encoder to compare with", remedy)
        return own, None
    given = {"pooling": comparison.against_pooling} if comparison.against_pooling else {}
    recorded = recorded_settings(comparison.against, given)
    # layer and prompts belong to the pooling that is recorded with them
    fallback = {"max_length": own.max_length} if "pooling" in recorded else own.as_record()
    return own, join_settings(comparison.against, fallback, recorded, given)


def changed_setting(model: str, settings: SettingsOptions) -> str | None:
    """Return the option by which scores are not those of the encoder as it is loaded."""
    usual = EncoderSettings("mean")
    defaults = {name: getattr(usual, name) for name in OPTIONS if name not in usual.as_record()}
    given = given_settings(settings)
    recorded = defaults | recorded_settings(model, given)
    for name, value in given.items():
        if recorded.get(name, value) != value:
            return f"{OPTIONS[name]} {value}"
    return None


def check_card(model: str, settings: SettingsOptions) -> None:
    """Raise `UserError` unless the scores can stand on the card of an encoder."""
    card = local_path(model) / "README.md"
    if not card.is_file():
        raise UserError("--card", f"{model} has no README.md", "leave the option out")
    read_card(read_text(card), card)
    if changed := changed_setting(model, settings):
        raise UserError(
            "--card", f"{changed} is not how the encoder is loaded", "leave one of them out"
        )


def evaluate(
    *,
    model: str,
    datasets: Sequence[str] = (),
    data_root: Path | None = None,
    pairs: Sequence[Path] = (),
    pair_columns: Sequence[str] = (),
    pair_half: Half | None = None,
    catalogues: Sequence[Path] = CATALOGUES,
    config: Path = DEFAULT,
    strict: bool = False,
    own_classifier: bool = False,
    comparison: ComparisonOptions,
    output: OutputOptions,
    settings: SettingsOptions,
    machine: MachineOptions,
) -> None:
    """Score one encoder on data sets, as the workflow's tables do.

    The encoder is any model folder or hub id that transformers loads. With --against, each score is
    shown next to that of another encoder, such as the untuned model, with the difference, its 95%
    interval and its p value. Data sets whose files are missing from the data root are listed and
    left out.

    Args:
        model: model folder or hub id (id@revision)
        datasets: data sets of config/datasets*.yaml: ids, or patterns such as 'tatoeba-*'
        data_root: folder of the raw files
        pairs: tables of your own scored pairs: CSV, TSV, JSON lines, Parquet
        pair_columns: their columns for left string, right string and score (or labels 0 and 1)
        pair_half: use one half of the pairs, such as the half that tune did not use
        catalogues: configs whose `datasets` replace those of config/datasets*.yaml
        config: config whose `retrieval` is used (default: config/config.yaml)
        strict: fail if a data set is missing, instead of leaving it out
        own_classifier: use the classifier that the encoder was trained with (method classify)
    """
    if not output.output.name:
        raise UserError(f"--output {output.output}", "is a folder", "give a file name")
    check_own_json("--output", output.output, "metric")
    check_own_json("--output", output.record, "left_out")
    check_report("--report", output.report, [output.output, output.record, *pairs])
    check_files("--pairs", *pairs)
    if not datasets and not pairs:
        raise UserError("--datasets", "nothing to score on", "give --datasets, --pairs or both")
    own, base = choose_settings(model, settings, comparison)
    if output.card:
        check_card(model, settings)
    if pair_half is not None and not pairs:
        raise UserError("--pair-half", "no pairs", "give --pairs too")
    own_sets = [read_own_pairs("--pairs", path, pair_columns, pair_half) for path in pairs]
    sets = read_sets(data_root, datasets, catalogues, config, strict, own_sets)
    tasks = mteb_tasks(sets.entries) if output.mteb is not None else {}
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding.encoder import load_with_settings

    options = (machine.device, machine.threads, OPTIONS)
    encoder, against = load_with_settings(model, own, *options), None
    if comparison.against is not None and base is not None:
        against = load_with_settings(comparison.against, base, *options)
    evaluation = evaluate_encoder(
        encoder,
        sets,
        against=against,
        own_classifier=own_classifier,
        threads=machine.threads,
        further=FURTHER_METRICS if tasks else {},
    )
    write_json(output.output, evaluation.rows)
    write_json(output.record, evaluation.record)
    if output.report is not None:
        names = (encoder.name, None if against is None else against.name)
        write_report(output.report, evaluation_report(evaluation, *names))
    if output.card:
        card = local_path(model) / "README.md"
        task_of = {name: entry.task for name, entry in sets.entries.items()}
        write_text(card, add_scores(read_text(card), evaluation.rows, task_of))
    if output.mteb is not None:
        weights = encoder.loaded.weights_sha256
        write_mteb_results(output.mteb, evaluation.rows, tasks, encoder.name, weights)
    print_scores(evaluation, comparison.against, base, config)
    print(f"scores written to {output.output}", file=sys.stderr)


main = command(evaluate, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
