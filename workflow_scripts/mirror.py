"""Front door: turn one's own model and strings into an encoder by Mirror tuning.

The encoder is a folder that loads with SentenceTransformer(DIR) and with transformers.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, nearest_name, run_command
from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning.recipe_file import read_recipe_blocks
from workflow_scripts.tuning.tune_mirror import make_encoder

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


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m workflow_scripts.mirror", description=__doc__)
    parser.add_argument("--model", required=True, help="model folder or hub id (id@revision)")
    parser.add_argument("--corpus", required=True, help="text file, one raw string a line")
    parser.add_argument("--recipe", required=True, help="name of a recipe in config/recipes.yaml")
    parser.add_argument("--output", required=True, type=Path, help="encoder folder to write")
    parser.add_argument("--seed", type=int, default=33)
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
    parser.add_argument("--step-log", help="JSON lines: step, loss, learning rate, strings/s")
    parser.add_argument("--overwrite", action="store_true", help="replace what is in the output")
    arguments = parser.parse_args(argv)
    block = set_keys(
        choose_recipe(read_recipe_blocks(arguments.recipes), arguments.recipe), arguments.settings
    )
    check_output(arguments.output, arguments.overwrite, [arguments.model, arguments.corpus])
    check_step_log(arguments.step_log, arguments.output)
    make_encoder(
        model=arguments.model,
        corpus_path=arguments.corpus,
        recipe_name=arguments.recipe,
        recipe_block=block,
        seed=arguments.seed,
        output=arguments.output.resolve(),
        threads=arguments.threads,
        device=arguments.device,
        step_log=arguments.step_log,
    )
    print(f"encoder written to {arguments.output}; load it with")
    print("  from sentence_transformers import SentenceTransformer")
    print(f"  encoder = SentenceTransformer({str(arguments.output)!r})")


if __name__ == "__main__":
    run_command(main)
