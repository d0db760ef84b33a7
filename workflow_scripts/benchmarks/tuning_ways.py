"""What benchmarks use of the project's tuning: recipes, views and the loop itself."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.methods.register import read_recipe_blocks
from workflow_scripts.tuning.recipe import TuningRecipe
from workflow_scripts.tuning.span_masking import make_views, token_units

CONFIG = Path(__file__).resolve().parent.parent.parent / "config"


def read_block(name: str, batch_size: int, embedded: bool = False) -> dict[str, Any]:
    """Return the block of a recipe in float32; `embedded` lays the embedded default's over it."""
    block = dict(read_recipe_blocks(CONFIG / "recipes.yaml")[name])
    if embedded:
        block |= read_recipe_blocks(CONFIG / "config.yaml").get(name, {})
    return block | {"batch_size": batch_size, "precision": "float32"}


def pair_views(
    strings: Sequence[str], choices: Any, tokenizer: Any, generator: random.Random
) -> tuple[list[str], list[str]]:
    token, units = tokenizer.mask_token or "", token_units(tokenizer)
    return make_views(strings, choices.span_masking, token, units, generator)


def tune_by_project(loaded: Any, strings: Sequence[str], choices: TuningRecipe, seed: int) -> Any:
    """Tune `loaded.model` in place by the project's loop; return its summary (steps, losses)."""
    from workflow_scripts.tuning.loop import tune_model

    return tune_model(loaded, Corpus(list(strings)), choices, seed)
