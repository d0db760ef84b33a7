"""What all benchmark commands are told: data, model, threads, how much and how often."""

import argparse
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.recipe_file import read_recipe_blocks

PROJECT = Path(__file__).resolve().parent.parent.parent
RECIPE_FILE = PROJECT / "config" / "recipes.yaml"
# The embedded default, whose recipes are made for models of the size of `MODEL`.
CONFIG = PROJECT / "config" / "config.yaml"
MODEL = PROJECT / "resources" / "models" / "bert-en-mini"


@dataclass(frozen=True)
class Settings:
    """Settings of a benchmark; the defaults are those of docs/benchmarks.md."""

    data: Path
    model: Path = MODEL
    threads: int = 2
    seed: int = 33
    runs: int = 5
    batch_size: int = 200
    steps: int = 10
    warmup_steps: int = 2
    strings: int = 10_000
    names: int = 20_000
    # of sentence-transformers, tried once each to find its best
    encode_batch_sizes: tuple[int, ...] = (8, 16, 32, 64, 128, 256)

    def quick(self) -> "Settings":
        """Return the smallest settings that go through everything; their times say nothing."""
        return dataclasses.replace(
            self,
            runs=1,
            batch_size=8,
            steps=1,
            warmup_steps=1,
            strings=64,
            names=120,
            encode_batch_sizes=(32,),
        )


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of every benchmark command."""
    parser.add_argument("--data", required=True, type=Path, help="data root with real strings")
    parser.add_argument("--output", required=True, type=Path, help="report to write, .md")
    parser.add_argument(
        "--measures",
        type=Path,
        help="all measurements, .tsv; what is measured anew is replaced, the rest kept "
        "(default: beside the report)",
    )
    parser.add_argument("--model", type=Path, default=MODEL, help="model folder")
    parser.add_argument("--runs", type=int, default=Settings.runs, help="of each contender")
    parser.add_argument("--threads", type=int, default=Settings.threads)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    parser.add_argument("--quick", action="store_true", help="go through everything once, tiny")


def read_settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings of parsed arguments; `UserError` for a number or folder that is wrong."""
    known = {field.name for field in dataclasses.fields(Settings)}
    given = {key: value for key, value in vars(arguments).items() if key in known}
    for key, value in given.items():
        if type(value) is int and value < 1 and key != "seed":
            raise UserError(f"--{key.replace('_', '-')} {value}: give 1 or more")
    for key in ("data", "model"):
        if not given[key].is_dir():
            raise UserError(f"--{key} {given[key]}: no such folder")
    settings = Settings(**given)
    return settings.quick() if arguments.quick else settings


def read_recipe(name: str, settings: Settings, changes: Path | None = None) -> dict[str, Any]:
    """Return the block of a recipe with the batch size of the settings, in float32.

    `changes` is a config whose block of the same name is laid over it.
    """
    block = {**read_recipe_blocks(RECIPE_FILE)[name]}
    if changes is not None:
        block |= read_recipe_blocks(changes).get(name, {})
    return {**block, "batch_size": settings.batch_size, "precision": "float32"}
