"""Command: turn your own model and strings into an encoder, with any recipe that tunes."""

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.blocks import SEED_LIMIT
from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.corpora.lines_file import corpus_lines
from workflow_scripts.datasets.catalogues import CATALOGUES, choose_datasets, drop_missing
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.datasets.items import Items
from workflow_scripts.datasets.own_pairs import Half, OwnPairs, read_own_pairs
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.downloads.model_files import check_replaceable
from workflow_scripts.errors import ConfigError, UnknownKeyError, UserError, nearest_name
from workflow_scripts.files import parse_json
from workflow_scripts.imports import MachineOptions
from workflow_scripts.locking import sole_run
from workflow_scripts.option_paths import check_can_be_made, check_files, check_own_json
from workflow_scripts.path_functions import command
from workflow_scripts.scoring.tasks.register import check_development_task
from workflow_scripts.string_columns import TableOptions, require_lines
from workflow_scripts.tuning.methods.register import read_recipe, read_recipe_blocks
from workflow_scripts.tuning.recipe import Recipe, change_recipe
from workflow_scripts.tuning.trackers import tracker_names
from workflow_scripts.tuning.tune_encoder import RUNS, make_encoder

if TYPE_CHECKING:
    from workflow_scripts.scoring.development_set import DevelopmentSet

EXAMPLE = """
COMMAND --model resources/models/bert-bio-mini --recipe mirror-phrase --set pooling=mean \\
    --set learning_rate=3.0e-4 --corpus resources/sample_data/names/biomedical_names.txt \\
    --output my-encoder
"""
RECIPE_FILE = CONFIG / "recipes.yaml"
_SCORED_EVERY = 10
# the options that set a key of the recipe, in addition to --set
_OPTIONS = {
    "bitext": "--bitext",
    "development.every": "--development-every",
    "development.patience": "--patience",
    "epochs": "--epochs",
    "held_out": "--held-out",
    "held_out.every": "--held-out-every",
}


@dataclass(frozen=True)
class TuningOptions:
    """What a recipe makes of a model, and where.

    Args:
        output: encoder folder to write
        seed: each of several seeds makes an encoder, in folder seedN of the output (default 33)
        set: change a key of the recipe, such as batch_size=64 or span_masking.length=3; repeatable
        recipes: another file of recipes
        step_log: write step, loss, other measures, learning rate and tokens/s there, as JSON lines
        report_to: trackers that get the same values: tensorboard, wandb or both
        tracking_folder: where they write
        overwrite: replace the contents of the output
    """

    output: Path
    seed: Sequence[int] = (33,)
    set: Sequence[str] = ()
    recipes: Path = RECIPE_FILE
    step_log: str | None = None
    report_to: Sequence[str] = ()
    tracking_folder: Path = RUNS
    overwrite: bool = False


@dataclass(frozen=True)
class DevelopmentSetOptions:
    """What is scored while an encoder is tuned.

    Args:
        development_set: data set of config/datasets.yaml to score on while tuning; the best
            weights are kept
        data_root: folder of the development set's files
        development_pairs: table of your own scored pairs, used instead of a development set
        pair_columns: its columns for left string, right string and score
        pair_half: use one half of the pairs; let evaluate use the other
        development_every: steps between two scores (default 10)
        patience: stop after this many scores in a row without an improvement
    """

    development_set: str | None = None
    data_root: Path | None = None
    development_pairs: Path | None = None
    pair_columns: Sequence[str] = ()
    pair_half: Half | None = None
    development_every: int | None = None
    patience: int | None = None


class EncoderPlan(NamedTuple):
    """The encoders that a command makes by a recipe: by seed the folder, and the step log if any.

    `how` is what `make_encoder` takes for all of them.
    """

    recipe: Recipe
    outputs: dict[int, tuple[Path, Path | None]]
    how: dict[str, Any]


def changed_recipe(
    name: str,
    tuning: TuningOptions,
    scored: DevelopmentSetOptions,
    changes: Mapping[str, Any],
    own_pairs: OwnPairs | None = None,
) -> Any:
    """Return the block of a recipe, with `changes` and then those of the options."""
    check_files("--recipes", tuning.recipes)
    blocks = read_recipe_blocks(tuning.recipes)
    if name not in blocks:
        hint = nearest_name(name, blocks)
        raise UserError(f"--recipe {name}", f"no such recipe in {tuning.recipes}", hint)
    changes = dict(changes)
    for setting in tuning.set:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise UserError(f"--set {setting}", "write key=value, such as epochs=2", None)
        # of a key that is set twice the last setting counts, in its own place
        changes.pop(path, None)
        try:
            changes[path] = parse_json(text, "--set")
        except UserError:
            changes[path] = text
    if scored.development_set is not None or own_pairs is not None:
        every = scored.development_every
        changes["development"] = {
            "dataset": own_pairs.name if own_pairs is not None else scored.development_set,
            "every": _SCORED_EVERY if every is None else every,
            "patience": scored.patience,
        }
    else:
        for key in ("development_every", "patience"):
            if getattr(scored, key) is not None:
                option = f"--{key.replace('_', '-')}"
                remedy = "give --development-set or --development-pairs too"
                raise UserError(option, "no development set to score on", remedy)
    return change_recipe(blocks[name], changes) if isinstance(blocks[name], dict) else blocks[name]


def by_option(error: UserError, recipe_name: str, settings: Sequence[str]) -> UserError:
    """Return an error of a recipe in the words of the command line, where that set the key.

    `settings` are those of --set.
    """
    above = f"recipes.{recipe_name}."
    if not isinstance(error, ConfigError | UnknownKeyError) or not error.key.startswith(above):
        return error
    key = error.key.removeprefix(above)
    for setting in reversed(settings):
        path = setting.partition("=")[0]
        if f"{key}.".startswith(f"{path}.") or path.startswith(f"{key}."):
            within = f" ({key})" if len(key) > len(path) else ""
            option = f"--set {path}{within}"
            if isinstance(error, UnknownKeyError):
                return UserError(option, "unknown key", error.remedy)
            return error.at(option)
    if key not in _OPTIONS:
        return error
    if isinstance(error, UnknownKeyError):
        problem = f"recipe {recipe_name} has no key `{key}`"
        return UserError(_OPTIONS[key], problem, "take another --recipe")
    return error.at(_OPTIONS[key])


def check_output(
    output: Path, overwrite: bool, inputs: Sequence[str | Path], step_log: Path | None
) -> None:
    """Raise `UserError` if `output` cannot become an encoder folder, or holds an input or a log.

    An existing folder is replaced only if it is an encoder, an existing log only if it logs steps.
    """
    if output.exists() and not output.is_dir():
        raise UserError(f"--output {output}", "is a file", "give a folder")
    if output.is_dir() and any(output.iterdir()) and not overwrite:
        raise UserError(f"--output {output}", "not empty", "choose another or add --overwrite")
    for source in inputs:
        if Path(source).exists() and Path(source).resolve().is_relative_to(output.resolve()):
            raise UserError(f"--output {output}", f"would replace {source}", "choose another")
    if output.is_dir():
        check_replaceable("--output", output)
    check_can_be_made("--output", output)
    if step_log is None:
        return
    log = step_log.resolve()
    if log.is_relative_to(output.resolve()) or not log.parent.is_dir():
        raise UserError(
            f"--step-log {step_log}", "give a file in a folder outside the output", None
        )
    check_own_json("--step-log", step_log, "step")


def step_log_of(path: str | None, seed: int, seeds: Collection[int]) -> Path | None:
    """Return the step log of a seed: the file that was given, or one of each seed next to it."""
    log = path and Path(path)
    if log and not log.name:
        raise UserError(f"--step-log {path}", "is a folder", "give a file name")
    return log.with_stem(f"{log.stem}.seed{seed}") if log and len(seeds) > 1 else log or None


def outputs_of(output: Path, seeds: Sequence[int]) -> dict[int, Path]:
    """Return the encoder folder of each seed: `output` for one, folders in it for several."""
    for seed in seeds:
        if not 0 <= seed < SEED_LIMIT or seeds.count(seed) > 1:
            raise UserError(
                f"--seed {seed}", "give different whole numbers from 0 to 2^63 - 1", None
            )
    return {seed: output / f"seed{seed}" if len(seeds) > 1 else output for seed in seeds}


def read_development(
    recipe: Recipe, data_root: Path | None, threads: int, own_pairs: OwnPairs | None = None
) -> "DevelopmentSet | None":
    """Return the development set of a recipe, None where it has none."""
    if recipe.development is None:
        return None
    name, entry, items = own_pairs or read_named_set(recipe.development.dataset, data_root)
    # Only now: it brings numpy.
    from workflow_scripts.scoring.development_set import DevelopmentSet

    strings, numbered = number_items(name, entry, items)
    return DevelopmentSet(name, numbered, strings[None], threads=threads)


def read_named_set(name: str, data_root: Path | None) -> tuple[str, DatasetEntry, Items]:
    """Return a data set of the catalogues that may choose weights: name, entry and items."""
    if data_root is None:
        raise UserError("--data-root", "missing", f"give the folder with the files of {name}")
    entries = choose_datasets(CATALOGUES, [name])
    if name not in entries:
        remedy = f"name one of {', '.join(entries)}"
        raise UserError(f"--development-set {name}", "is a pattern", remedy)
    check_development_task(name, entries[name].task, "--development-set")
    drop_missing(data_root, entries, strict=True)
    return name, entries[name], read_dataset(data_root, entries[name], name)


def read_development_pairs(scored: DevelopmentSetOptions) -> OwnPairs | None:
    """Return the user's own pairs to score on; None if a data set or nothing was chosen."""
    if scored.development_pairs is None:
        for option, value in (
            ("--pair-columns", scored.pair_columns),
            ("--pair-half", scored.pair_half),
        ):
            if value:
                raise UserError(option, "no pairs", "give --development-pairs too")
        return None
    if scored.development_set is not None:
        raise UserError("--development-pairs", "--development-set is given too", "give one of them")
    check_files("--development-pairs", scored.development_pairs)
    return read_own_pairs(
        "--development-pairs", scored.development_pairs, scored.pair_columns, scored.pair_half
    )


def plan_encoders(
    model: str,
    recipe_name: str,
    inputs: Sequence[Path],
    tuning: TuningOptions,
    scored: DevelopmentSetOptions,
    machine: MachineOptions,
    changes: Mapping[str, Any] | None = None,
) -> EncoderPlan:
    """Return the encoders to make; `UserError` before anything is computed.

    `inputs` are the files that no output may replace, `changes` those of the recipe that --set
    overrides.
    """
    own_pairs = read_development_pairs(scored)
    # for its errors alone, before anything is read
    tracker_names(tuning.report_to)
    block = changed_recipe(recipe_name, tuning, scored, changes or {}, own_pairs)
    try:
        recipe = read_recipe(recipe_name, block, str(tuning.recipes))
    except UserError as error:
        raise by_option(error, recipe_name, tuning.set) from error
    development = read_development(recipe, scored.data_root, machine.threads, own_pairs)
    outputs = {}
    for seed, output in outputs_of(tuning.output, tuning.seed).items():
        log = step_log_of(tuning.step_log, seed, tuning.seed)
        check_output(output, tuning.overwrite, [model, *inputs], log)
        outputs[seed] = (output, log)
    how = {"model": model, "recipe_name": recipe_name, "recipe_block": block}
    how |= {"development": development, "threads": machine.threads, "device": machine.device}
    how |= {"report_to": tuning.report_to, "tracking_folder": tuning.tracking_folder}
    return EncoderPlan(recipe, outputs, how)


def make_encoders(plan: EncoderPlan, corpus: Path, more_corpora: Sequence[Path]) -> None:
    """Make the encoder of each seed, and print how to load it."""
    is_first = os.environ.get("RANK", "0") == "0"
    files: dict[str, Any] = {"corpus_path": str(corpus), "more_corpora": [*map(str, more_corpora)]}
    for seed, (output, log) in plan.outputs.items():
        # of several processes of one run the first
        with sole_run("--output", output) if is_first else nullcontext():
            make_encoder(seed=seed, output=output.resolve(), step_log=log, **files, **plan.how)
    for output, _ in plan.outputs.values() if is_first else ():
        print(f"encoder written to {output}; load it with")
        print("  from sentence_transformers import SentenceTransformer")
        print(f"  encoder = SentenceTransformer({str(output)!r})")


def tune(
    *,
    model: str,
    recipe: str,
    corpus: Path,
    more_corpora: Sequence[Path] = (),
    table: TableOptions,
    tuning: TuningOptions,
    development: DevelopmentSetOptions,
    machine: MachineOptions,
) -> None:
    """Turn a model and your own strings into an encoder, with any recipe that tunes.

    The encoder is a folder that loads with SentenceTransformer(DIR) and with transformers. A recipe
    with `start` continues from an encoder: --model is then the folder of that encoder.

    Args:
        model: model folder or hub id (id@revision)
        recipe: name of a recipe in config/recipes.yaml
        corpus: text file, one raw string per line, or a table
        more_corpora: files of the recipe's additional corpora, such as bitext, in its order
    """
    check_files("--corpus", corpus, folders=bool(table.column))
    check_files("--more-corpora", *more_corpora)
    for path in more_corpora:
        require_lines("--more-corpora", path, "give a text file with one string or pair per line")
    inputs = [corpus, *more_corpora]
    plan = plan_encoders(model, recipe, inputs, tuning, development, machine)
    with corpus_lines("--corpus", corpus, table) as lines:
        make_encoders(plan, lines, more_corpora)


main = command(tune, EXAMPLE)

if __name__ == "__main__":
    run_command(main)
