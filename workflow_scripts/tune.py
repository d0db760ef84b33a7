"""Command: turn one's own model and strings into an encoder, by any recipe that tunes.

The encoder is a folder that loads with SentenceTransformer(DIR) and with transformers. A recipe
with `start` goes on from an encoder: --model is then the folder of that one.
"""

import argparse
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.cli import check_files, command_parser
from workflow_scripts.configuration.blocks import SEED_LIMIT
from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.downloads.model_files import check_replaceable
from workflow_scripts.errors import (
    ConfigError,
    UnknownKeyError,
    UserError,
    nearest_name,
    run_command,
)
from workflow_scripts.evaluate import DATASET_FILES, choose_datasets, drop_missing
from workflow_scripts.files import check_own_json, parse_json
from workflow_scripts.imports import add_machine_arguments
from workflow_scripts.locking import sole_run
from workflow_scripts.scoring.development_set import DevelopmentSet
from workflow_scripts.scoring.tasks.register import check_development_task
from workflow_scripts.tuning.methods.register import read_recipe, read_recipe_blocks
from workflow_scripts.tuning.recipe import Recipe, change_recipe
from workflow_scripts.tuning.tune_encoder import make_encoder

EXAMPLE = """
COMMAND --model resources/models/bert-bio-mini --recipe mirror-phrase --set pooling=mean \\
    --set learning_rate=3.0e-4 --corpus resources/sample_data/names/biomedical_names.txt \\
    --output my-encoder
"""
RECIPE_FILE = CONFIG / "recipes.yaml"
# the options that set a key of the recipe, beside --set
OPTIONS = {
    "bitext": "--bitext",
    "development.every": "--development-every",
    "development.patience": "--patience",
    "epochs": "--epochs",
    "held_out": "--held-out",
    "held_out.every": "--held-out-every",
}


class Wanted(NamedTuple):
    """What is asked for: a recipe, typed and as its block, and the folder of each seed."""

    recipe: Recipe
    block: Any
    development: DevelopmentSet | None
    outputs: dict[int, Path]


def add_arguments(parser: argparse.ArgumentParser, **recipe: Any) -> None:
    """Add what all commands of tuning have; `recipe` are options of --recipe."""
    add = parser.add_argument
    add("--model", required=True, help="model folder or hub id (id@revision)")
    add("--recipe", help="name of a recipe in config/recipes.yaml", **recipe)
    add("--output", required=True, type=Path, help="encoder folder to write")
    several = "several make an encoder each, in the folders seedN of the output (default 33)"
    add("--seed", type=int, nargs="+", default=[33], help=several)
    change = "change a key of the recipe: batch_size=64, span_masking.length=3; repeatable"
    options: dict[str, Any] = {
        "dest": "settings",
        "metavar": "KEY=VALUE",
        "action": "append",
        "default": [],
    }
    add("--set", **options, help=change)
    add("--recipes", type=Path, default=RECIPE_FILE, help="another file of recipes")
    add("--step-log", help="JSON lines: step, loss, other measures, learning rate, tokens/s")
    add("--overwrite", action="store_true", help="replace what is in the output")
    add = parser.add_argument_group("development set").add_argument
    scored = "data set of config/datasets.yaml to score on while tuning; the best weights are kept"
    add("--development-set", metavar="DATASET", help=scored)
    add("--data-root", type=Path, help="folder of the development set's files")
    add("--development-every", type=int, metavar="STEPS", help="default 10")
    add("--patience", type=int, help="scores without a better one after which tuning ends")
    add_machine_arguments(parser)


def read_block(arguments: argparse.Namespace, before: Mapping[str, Any]) -> Any:
    """Return the block of the recipe that is asked for, changed by `before` and by --set."""
    check_files("--recipes", arguments.recipes)
    blocks, name = read_recipe_blocks(arguments.recipes), arguments.recipe
    if name not in blocks:
        where = arguments.recipes
        hint = nearest_name(name, blocks)
        raise UserError(f"--recipe {name}", f"no such recipe in {where}", hint)
    changes = dict(before)
    for setting in arguments.settings:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise UserError(f"--set {setting}", "write key=value, such as epochs=2", None)
        # of a key that is set twice the last setting counts, in its own place
        changes.pop(path, None)
        try:
            changes[path] = parse_json(text, "--set")
        except UserError:
            changes[path] = text
    if dataset := arguments.development_set:
        every = 10 if arguments.development_every is None else arguments.development_every
        own = {"dataset": dataset, "every": every}
        changes["development"] = own | {"patience": arguments.patience}
    else:
        for key in ("development_every", "patience"):
            if getattr(arguments, key) is not None:
                option = f"--{key.replace('_', '-')}"
                remedy = "give --development-set too"
                raise UserError(option, "no development set to score on", remedy)
    return change_recipe(blocks[name], changes) if isinstance(blocks[name], dict) else blocks[name]


def by_option(error: UserError, arguments: argparse.Namespace) -> UserError:
    """Return an error of a recipe in the words of the command line, where that set the key."""
    above = f"recipes.{arguments.recipe}."
    if not isinstance(error, ConfigError | UnknownKeyError) or not error.key.startswith(above):
        return error
    key = error.key.removeprefix(above)
    for setting in reversed(arguments.settings):
        path = setting.partition("=")[0]
        if f"{key}.".startswith(f"{path}.") or path.startswith(f"{key}."):
            within = f" ({key})" if len(key) > len(path) else ""
            option = f"--set {path}{within}"
            if isinstance(error, UnknownKeyError):
                return UserError(option, "unknown key", error.remedy)
            return error.at(option)
    if key not in OPTIONS:
        return error
    if isinstance(error, UnknownKeyError):
        problem = f"recipe {arguments.recipe} has no key `{key}`"
        return UserError(OPTIONS[key], problem, "take another --recipe")
    return error.at(OPTIONS[key])


def check_output(output: Path, overwrite: bool, inputs: list[str], step_log: Path | None) -> None:
    """Raise `UserError` if `output` cannot become an encoder folder, or holds an input or a log.

    What is there is replaced only if it is an encoder, and a log only if it is one of steps.
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
    parent = next(path for path in output.resolve().parents if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise UserError(f"--output {output}", f"cannot be made in {parent}", "choose another")
    if step_log is None:
        return
    log = step_log.resolve()
    if log.is_relative_to(output.resolve()) or not log.parent.is_dir():
        raise UserError(f"--step-log {step_log}", "give a file in a folder beside the output", None)
    check_own_json("--step-log", step_log, "step")


def step_log_of(path: str | None, seed: int, seeds: Collection[int]) -> Path | None:
    """Return the step log of a seed: the file that was given, or of several one each beside it."""
    log = path and Path(path)
    if log and not log.name:
        raise UserError(f"--step-log {path}", "is a folder", "give a file name")
    return log.with_stem(f"{log.stem}.seed{seed}") if log and len(seeds) > 1 else log or None


def outputs_of(output: Path, seeds: list[int]) -> dict[int, Path]:
    """Return the encoder folder of each seed: `output` for one, folders in it for several."""
    for seed in seeds:
        if not 0 <= seed < SEED_LIMIT or seeds.count(seed) > 1:
            raise UserError(
                f"--seed {seed}", "give different whole numbers from 0 to 2^63 - 1", None
            )
    return {seed: output / f"seed{seed}" if len(seeds) > 1 else output for seed in seeds}


def read_development(recipe: Recipe, data_root: Path | None, threads: int) -> DevelopmentSet | None:
    """Return the development set of a recipe, None where it has none."""
    if recipe.development is None:
        return None
    name = recipe.development.dataset
    if data_root is None:
        raise UserError("--data-root", "missing", f"give the folder with the files of {name}")
    entries = choose_datasets(DATASET_FILES, [name])
    if name not in entries:
        remedy = f"name one of {', '.join(entries)}"
        raise UserError(f"--development-set {name}", "is a pattern", remedy)
    check_development_task(name, entries[name].task, "--development-set")
    drop_missing(data_root, entries, strict=True)
    items = read_dataset(data_root, entries[name], name)
    strings, numbered = number_items(name, entries[name], items)
    return DevelopmentSet(name, numbered, strings[None], threads=threads)


def read_wanted(
    arguments: argparse.Namespace, inputs: Sequence[str], before: Mapping[str, Any] | None = None
) -> Wanted:
    """Return what parsed arguments ask for; `UserError` before anything is computed.

    `inputs` are the files that no output may replace, `before` changes of the recipe that those of
    --set follow.
    """
    block = read_block(arguments, before or {})
    try:
        recipe = read_recipe(arguments.recipe, block, str(arguments.recipes))
    except UserError as error:
        raise by_option(error, arguments) from error
    development = read_development(recipe, arguments.data_root, arguments.threads)
    outputs = outputs_of(arguments.output, arguments.seed)
    for seed, output in outputs.items():
        log = step_log_of(arguments.step_log, seed, outputs)
        check_output(output, arguments.overwrite, [arguments.model, *inputs], log)
    return Wanted(recipe, block, development, outputs)


def make_encoders(
    arguments: argparse.Namespace, wanted: Wanted, corpus: str, more_corpora: Sequence[str]
) -> None:
    """Make the encoder of each seed, and say how to load it."""
    is_first = os.environ.get("RANK", "0") == "0"
    for seed, output in wanted.outputs.items():
        step_log = step_log_of(arguments.step_log, seed, wanted.outputs)
        inputs = (arguments.model, corpus, arguments.recipe, wanted.block, seed)
        machine: dict[str, Any] = {"threads": arguments.threads, "device": arguments.device}
        told: dict[str, Any] = {"step_log": step_log, "development": wanted.development}
        # of several processes of one run the first
        with sole_run("--output", output) if is_first else nullcontext():
            make_encoder(*inputs, output.resolve(), **machine, **told, more_corpora=more_corpora)
    for output in wanted.outputs.values() if is_first else ():
        print(f"encoder written to {output}; load it with")
        print("  from sentence_transformers import SentenceTransformer")
        print(f"  encoder = SentenceTransformer({str(output)!r})")


def main(argv: list[str] | None = None) -> None:
    parser = command_parser("tune", __doc__, EXAMPLE)
    parser.add_argument("--corpus", required=True, help="text file, one raw string a line")
    more = "files of the further corpora of the recipe, such as bitext, in its order"
    parser.add_argument("--more-corpora", nargs="*", default=[], metavar="FILE", help=more)
    add_arguments(parser, required=True)
    arguments = parser.parse_args(argv)
    check_files("--corpus", arguments.corpus)
    check_files("--more-corpora", *arguments.more_corpora)
    wanted = read_wanted(arguments, [arguments.corpus, *arguments.more_corpora])
    make_encoders(arguments, wanted, arguments.corpus, arguments.more_corpora)


if __name__ == "__main__":
    run_command(main)
