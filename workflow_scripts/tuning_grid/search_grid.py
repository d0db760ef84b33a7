"""Command of rule `search_grid`: tune each cell of a slice and score it on the development set.

A job that was killed continues where it was (<output>.progress.jsonl).
"""

import sys
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of, write_json
from workflow_scripts.imports import Device, quick_imports
from workflow_scripts.path_functions import command
from workflow_scripts.scoring.development_set import DevelopmentSet, read_development_set
from workflow_scripts.scoring.metric_names import primary_modules
from workflow_scripts.sources import digest_of
from workflow_scripts.tuning.corpus_strings import read_corpus
from workflow_scripts.tuning.recipe import METHODS, TuningRecipe, method_module
from workflow_scripts.tuning_grid.cells import CellScore, cell_recipe
from workflow_scripts.tuning_grid.progress import Progress

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel


def score_cell(
    loaded: "LoadedModel",
    cell: int,
    name: str,
    recipe: TuningRecipe,
    corpus: Path,
    development: DevelopmentSet,
    seed: int,
) -> CellScore:
    """Return the score of a cell: a copy of `loaded`, tuned by `recipe`, changed from `name`.

    What cannot be tuned or scored gives no value but the reason.
    """
    from workflow_scripts.scoring.development_scores import make_score
    from workflow_scripts.tuning.loop import tune_model

    tuned = replace(loaded, model=deepcopy(loaded.model))
    score = make_score(development, recipe.settings)
    try:
        strings = plugins.load(METHODS, recipe.method).read(str(corpus), recipe, name)
        summary = tune_model(tuned, strings, recipe, seed, score=score)
        value = score(tuned, None)
    except UserError as error:
        return CellScore(cell, seed, value=None, reason=str(error))
    return CellScore(cell, seed, value, summary.first_loss, summary.last_loss, steps=summary.steps)


def search_grid(
    *,
    model: str,
    corpus: Path,
    strings: Path,
    items: Path,
    block: dict[str, Any],
    output: Path,
    threads: int = 1,
    device: Device = "cpu",
) -> None:
    """Tune each cell of a slice and score it on the development set.

    A job that was killed continues where it was (<output>.progress.jsonl). The first slice also
    scores the untuned model.

    Args:
        model: model folder or hub id
        corpus: text file, one string a line
        strings: strings of the development set, one a line
        items: items.json of the development set
        block: recipe, cells, seeds and data set as JSON
        output: scores of the cells, json
        threads: threads of torch
        device: where the model runs; auto: CUDA where there is a device
    """
    name = block["recipe_name"]
    untuned = cell_recipe(name, block["recipe"], {})
    settings = {
        number: dict(zip(block["axes"], values, strict=True))
        for number, values in enumerate(block["cells"], start=block["first_cell"])
    }
    recipes = {
        cell: cell_recipe(name, block["recipe"], changes) for cell, changes in settings.items()
    }
    choices = (block["dataset"], block["linking_similarity"], threads)
    development = read_development_set(strings, items, *choices)
    read = read_corpus(corpus)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import tokenizers
        import torch
        import transformers

        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.scoring.development_scores import make_score

    torch_device = set_up_torch(threads, device)
    # what is tuned, and compared with what was not
    loaded = load_model(model, torch_device).without_modules()
    every_recipe = (untuned, *recipes.values())
    for recipe in every_recipe:
        loaded.check_settings(recipe.settings)
        loaded.check_settings(recipe.training_settings)
    for pooling in sorted({recipe.pooling for recipe in every_recipe}):
        loaded.warn_of_missing_mark(pooling)
    libraries = (tokenizers, torch, transformers)
    record = {
        "corpus": read.as_record(),
        "dataset": {
            "items": len(development.entry["gold"]),
            "dropped": development.entry.get("dropped", {}),
            "items_sha256": sha256_of(items),
            "strings_sha256": sha256_of(strings),
        },
        "model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256},
        "versions": {library.__name__: library.__version__ for library in libraries},
    }
    modules = [*primary_modules(development.entry["task"]), method_module(untuned.method)]
    parts = (block, record, loaded.model_sha256, str(torch_device), threads)
    digest = digest_of("tuning_grid.search_grid", *parts, more=tuple(modules))
    progress = Progress(output.with_suffix(".progress.jsonl"), digest)
    if progress.scores:
        print(f"continuing after {len(progress.scores)} scores of a killed job", file=sys.stderr)

    if 0 in settings and (None, 0) not in progress.scores:
        value = make_score(development, untuned.settings)(loaded, None)
        progress.add("untuned", CellScore(cell=None, seed=0, value=value))
    for cell, recipe in recipes.items():
        for seed in block["seeds"]:
            if (cell, seed) not in progress.scores:
                score = score_cell(loaded, cell, name, recipe, corpus, development, seed)
                progress.add(f"cell {cell} {settings[cell]}", score)
    write_json(output, {"record": record, "scores": list(map(_written, progress.scores.values()))})
    progress.path.unlink()


def _written(score: CellScore) -> dict[str, Any]:
    value = None if score.value is None else round(score.value, 6)
    return {**vars(score), "value": value, "reason": " ".join(score.reason.split())}


main = command(search_grid)

if __name__ == "__main__":
    run_command(main)
