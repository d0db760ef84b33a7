"""Front door: turn one's own model and strings into an encoder by Mirror tuning.

The encoder is a folder that loads with SentenceTransformer(DIR) and with transformers.
"""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.datasets.catalogue import check_development_task
from workflow_scripts.datasets.read_suite import read_suite
from workflow_scripts.errors import UserError, nearest_name, run_command
from workflow_scripts.evaluate import DATASET_FILE, choose_datasets, drop_missing
from workflow_scripts.scoring.development_set import DevelopmentSet
from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning.recipe_file import read_recipe_blocks
from workflow_scripts.tuning.tune_mirror import make_encoder

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel
    from workflow_scripts.tuning.tune_mirror import ScoreMaker

RECIPE_FILE = Path(__file__).resolve().parent.parent / "config" / "recipes.yaml"


def choose_recipe(blocks: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the block of a recipe; `UserError` with the nearest name if there is none."""
    if name in blocks:
        return blocks[name]
    raise UserError(f"--recipe {name}: no such recipe; {nearest_name(name, blocks)}")


def set_keys(block: dict[str, Any], settings: list[str]) -> dict[str, Any]:
    """Return the block with `key=value` settings applied.

    A value is read as JSON (3e-4, null, true), as text if it is none. `span_masking.length=3`
    reaches into a nested block. Which keys and values are right is for `parse_recipe` to say.
    """
    if not isinstance(block, dict):
        return block
    changes: dict[str, Any] = {}
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path:
            raise UserError(f"--set {setting}: write key=value, such as epochs=2")
        # of a key that is set twice the last setting counts, in its own place
        changes.pop(path, None)
        try:
            changes[path] = json.loads(text)
        except json.JSONDecodeError:
            changes[path] = text
    return change_recipe(block, changes)


def check_output(output: Path, overwrite: bool, inputs: list[str]) -> None:
    """Raise `UserError` if `output` cannot become an encoder folder, or holds one of the inputs."""
    if output.exists() and not output.is_dir():
        raise UserError(f"--output {output}: is a file; give a folder")
    if output.is_dir() and any(output.iterdir()) and not overwrite:
        raise UserError(f"--output {output}: not empty; choose another or add --overwrite")
    for source in inputs:
        if Path(source).exists() and Path(source).resolve().is_relative_to(output.resolve()):
            raise UserError(f"--output {output}: would replace {source}; choose another")
    parent = next(path for path in output.resolve().parents if path.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise UserError(f"--output {output}: cannot be made in {parent}; choose another")


def check_step_log(step_log: str | None, output: Path) -> None:
    """Raise `UserError` if the log of steps would lie in the encoder folder or nowhere."""
    if step_log is None:
        return
    path = Path(step_log).resolve()
    if path.is_relative_to(output.resolve()) or not path.parent.is_dir():
        raise UserError(
            f"--step-log {step_log}: give a file in an existing folder beside the output"
        )


def outputs_of(output: Path, seeds: list[int]) -> dict[int, Path]:
    """Return the encoder folder of each seed: `output` itself for one, a folder in it for several.

    Raises `UserError` for a seed that is given twice or is negative.
    """
    for seed in seeds:
        if seed < 0 or seeds.count(seed) > 1:
            raise UserError(f"--seed {seed}: give different whole numbers of 0 or more")
    return {seed: output / f"seed{seed}" if len(seeds) > 1 else output for seed in seeds}


def add_development(block: Any, dataset: str, every: int, patience: int | None) -> dict[str, Any]:
    """Return the block with the key `development`, the data set being a suite of its own."""
    development = {"suite": dataset, "dataset": dataset, "every": every, "patience": patience}
    return {**block, "development": development} if isinstance(block, dict) else block


def read_score(block: Any, data_root: Path | None, threads: int) -> "ScoreMaker | None":
    """Return what scores on the development set of a recipe's block, None where it has none.

    Raises `UserError` for a set that cannot be read or is of a task that has no single score.
    """
    development = block.get("development") if isinstance(block, dict) else None
    if not development or not isinstance(development, dict) or "dataset" not in development:
        return None
    name = development["dataset"]
    if data_root is None:
        raise UserError(f"--data-root: missing; give the folder with the files of {name}")
    entries, _ = drop_missing(data_root, choose_datasets(DATASET_FILE, name), strict=True)
    if name not in entries:
        raise UserError(f"--development-set {name}: a suite; name one of {', '.join(entries)}")
    check_development_task(name, entries[name]["task"], "--development-set")
    strings, datasets = read_suite(data_root, entries)

    def make_score(pooling: str, max_length: int) -> "Callable[[LoadedModel], float]":
        # Only now: it needs torch.
        from workflow_scripts.tuning.development_scores import make_score

        development_set = DevelopmentSet(name, datasets[name], strings, threads=threads)
        return make_score(development_set, pooling, max_length)

    return make_score


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m workflow_scripts.mirror", description=__doc__)
    parser.add_argument("--model", required=True, help="model folder or hub id (id@revision)")
    parser.add_argument("--corpus", required=True, help="text file, one raw string a line")
    parser.add_argument("--recipe", required=True, help="name of a recipe in config/recipes.yaml")
    parser.add_argument("--output", required=True, type=Path, help="encoder folder to write")
    parser.add_argument(
        "--seed",
        type=int,
        nargs="+",
        default=[33],
        help="several make an encoder each, in the folders seedN of the output (default 33)",
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="auto")
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="change a key of the recipe: batch_size=64, span_masking.length=3; repeatable",
    )
    parser.add_argument("--recipes", type=Path, default=RECIPE_FILE, help="another file of recipes")
    parser.add_argument(
        "--step-log", help="JSON lines: step, loss, alignment, uniformity, learning rate, tokens/s"
    )
    parser.add_argument(
        "--development-set",
        metavar="DATASET",
        help="data set of config/datasets.yaml to score on while tuning; the best weights are kept",
    )
    parser.add_argument("--data-root", type=Path, help="folder of the development set's files")
    parser.add_argument(
        "--development-every", type=int, default=10, metavar="STEPS", help="default %(default)s"
    )
    parser.add_argument(
        "--patience", type=int, help="scores without a better one after which tuning ends"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace what is in the output")
    arguments = parser.parse_args(argv)
    block = set_keys(
        choose_recipe(read_recipe_blocks(arguments.recipes), arguments.recipe), arguments.settings
    )
    if arguments.development_set:
        block = add_development(
            block, arguments.development_set, arguments.development_every, arguments.patience
        )
    make_score = read_score(block, arguments.data_root, arguments.threads)
    outputs = outputs_of(arguments.output, arguments.seed)
    for output in outputs.values():
        check_output(output, arguments.overwrite, [arguments.model, arguments.corpus])
        check_step_log(arguments.step_log, output)
    for seed, output in outputs.items():
        step_log = arguments.step_log
        if step_log and len(outputs) > 1:
            step_log = Path(step_log).with_stem(f"{Path(step_log).stem}.seed{seed}")
        make_encoder(
            model=arguments.model,
            corpus_path=arguments.corpus,
            recipe_name=arguments.recipe,
            recipe_block=block,
            seed=seed,
            output=output.resolve(),
            threads=arguments.threads,
            device=arguments.device,
            step_log=step_log,
            make_score=make_score,
        )
    # of several processes the first one tells
    if os.environ.get("RANK", "0") != "0":
        return
    for output in outputs.values():
        print(f"encoder written to {output}; load it with")
        print("  from sentence_transformers import SentenceTransformer")
        print(f"  encoder = SentenceTransformer({str(output)!r})")


if __name__ == "__main__":
    run_command(main)
