"""Command of rule `search_grid`: tune each cell of a slice and score it on the development set.

A job that was killed goes on where it was (<output>.progress.jsonl).
"""

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

from workflow_scripts.errors import run_command
from workflow_scripts.files import sha256_of, write_json
from workflow_scripts.imports import quick_imports
from workflow_scripts.plugins import module_of
from workflow_scripts.scoring.development_set import read_development_set
from workflow_scripts.sources import digest_of
from workflow_scripts.tuning.corpus_strings import read_corpus
from workflow_scripts.tuning.recipe import METHODS
from workflow_scripts.tuning_grid.cells import CellScore, cell_recipe
from workflow_scripts.tuning_grid.progress import Progress


def search_slice(block: dict[str, Any], files: argparse.Namespace) -> None:
    """Score the cells of a slice and write {"record": what made them, "scores": [...]}.

    `block` has what cells share and `cells`, a value for each of `axes`; the first slice scores the
    untuned model too. Raises `UserError` for inputs that will not do.
    """
    recipe_of = partial(cell_recipe, block["recipe_name"], block["recipe"])
    untuned = recipe_of({})
    settings = {
        number: dict(zip(block["axes"], values, strict=True))
        for number, values in enumerate(block["cells"], start=block["first_cell"])
    }
    recipes = {cell: recipe_of(its) for cell, its in settings.items()}
    choices = (block["dataset"], block["linking_similarity"], files.threads)
    development = read_development_set(files.strings, files.items, *choices)
    corpus = read_corpus(files.corpus)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import tokenizers
        import torch
        import transformers

        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.scoring.development_scores import make_score
        from workflow_scripts.tuning_grid.cell_scores import check_model, score_cell

    torch_device = set_up_torch(files.threads, files.device)
    loaded = load_model(files.model, torch_device)
    check_model(loaded, [untuned, *recipes.values()])
    record = {
        "corpus": corpus.as_record(),
        "dataset": {
            "items": len(development.entry["gold"]),
            "dropped": development.entry.get("dropped", {}),
            "items_sha256": sha256_of(files.items),
            "strings_sha256": sha256_of(files.strings),
        },
        "model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256},
        "versions": {one.__name__: one.__version__ for one in (tokenizers, torch, transformers)},
    }
    task = module_of("scoring.tasks", development.entry["task"])
    method = module_of(METHODS, untuned.method)
    parts = (block, record, loaded.model_sha256, str(torch_device), files.threads)
    digest = digest_of("tuning_grid.search_grid", *parts, more=(task, method))
    progress = Progress(files.output.with_suffix(".progress.jsonl"), digest)
    if progress.scores:
        print(f"going on after {len(progress.scores)} scores of a killed job", file=sys.stderr)

    if 0 in settings and (None, 0) not in progress.scores:
        value = make_score(development, untuned.pooling, untuned.embed_max_length)(loaded)
        progress.add("untuned", CellScore(cell=None, seed=0, value=value))
    for cell, recipe in recipes.items():
        for seed in block["seeds"]:
            if (cell, seed) not in progress.scores:
                its = (block["recipe_name"], recipe, files.corpus)
                score = score_cell(loaded, cell, *its, development, seed)
                progress.add(f"cell {cell} {settings[cell]}", score)
    scores = [_written(score) for score in progress.scores.values()]
    write_json(files.output, {"record": record, "scores": scores})
    progress.path.unlink()


def _written(score: CellScore) -> dict[str, Any]:
    value = None if score.value is None else round(score.value, 6)
    return {**vars(score), "value": value, "reason": " ".join(score.reason.split())}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--model", required=True, help="model folder or hub id")
    add("--corpus", required=True, help="text file, one string a line")
    add("--strings", required=True, help="strings of the development set, one a line")
    add("--items", required=True, help="items.json of the development set")
    add("--block", required=True, help="recipe, cells, seeds and data set as JSON")
    add("--output", required=True, type=Path, help="scores of the cells, json")
    add("--threads", type=int, default=1)
    add("--device", choices=("cpu", "cuda", "auto"), default="cpu")
    arguments = parser.parse_args(argv)
    search_slice(json.loads(arguments.block), arguments)


if __name__ == "__main__":
    run_command(main)
