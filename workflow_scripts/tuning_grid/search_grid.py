"""Command of rule `search_grid`: tune each cell of a slice and score it on the development set.

A job that was killed goes on where it was (<output>.progress.jsonl).
"""

import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.command_main import run_command
from workflow_scripts.files import sha256_of, write_json
from workflow_scripts.imports import Device, quick_imports
from workflow_scripts.path_functions import command
from workflow_scripts.scoring.development_set import read_development_set
from workflow_scripts.scoring.metric_names import primary_modules
from workflow_scripts.sources import digest_of
from workflow_scripts.tuning.corpus_strings import read_corpus
from workflow_scripts.tuning.recipe import method_modules
from workflow_scripts.tuning_grid.cells import CellScore, cell_recipe
from workflow_scripts.tuning_grid.progress import Progress


class SliceFiles(NamedTuple):
    """What a slice is tuned and scored on, and the scores of a job that was killed."""

    corpus: Path
    strings: Path
    items: Path
    progress: Path


def search_slice(
    block: dict[str, Any], model: str, files: SliceFiles, threads: int, device: Device
) -> tuple[dict[str, Any], Progress]:
    """Score the cells of a slice: {"record": what made them, "scores": [...]}, and the progress.

    `block` has what cells share and `cells`, a value for each of `axes`; the first slice scores the
    untuned model too. Raises `UserError` for inputs that will not do.
    """
    recipe_of = partial(cell_recipe, block["recipe_name"], block["recipe"])
    untuned = recipe_of({})
    settings = {
        number: dict(zip(block["axes"], values, strict=True))
        for number, values in enumerate(block["cells"], start=block["first_cell"])
    }
    recipes = {cell: recipe_of(changes) for cell, changes in settings.items()}
    choices = (block["dataset"], block["linking_similarity"], threads)
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

    torch_device = set_up_torch(threads, device)
    # what is tuned, and compared with what was not
    loaded = load_model(model, torch_device).without_modules()
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
        "versions": {
            library.__name__: library.__version__ for library in (tokenizers, torch, transformers)
        },
    }
    modules = [*primary_modules(development.entry["task"]), *method_modules(untuned.method)]
    parts = (block, record, loaded.model_sha256, str(torch_device), threads)
    digest = digest_of("tuning_grid.search_grid", *parts, more=tuple(modules))
    progress = Progress(files.progress, digest)
    if progress.scores:
        print(f"continuing after {len(progress.scores)} scores of a killed job", file=sys.stderr)

    if 0 in settings and (None, 0) not in progress.scores:
        value = make_score(development, untuned.settings)(loaded, None)
        progress.add("untuned", CellScore(cell=None, seed=0, value=value))
    for cell, recipe in recipes.items():
        for seed in block["seeds"]:
            if (cell, seed) not in progress.scores:
                tuned_on = (block["recipe_name"], recipe, str(files.corpus))
                score = score_cell(loaded, cell, *tuned_on, development, seed)
                progress.add(f"cell {cell} {settings[cell]}", score)
    scores = [_written(score) for score in progress.scores.values()]
    return {"record": record, "scores": scores}, progress


def _written(score: CellScore) -> dict[str, Any]:
    value = None if score.value is None else round(score.value, 6)
    return {**vars(score), "value": value, "reason": " ".join(score.reason.split())}


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

    A job that was killed goes on where it was (<output>.progress.jsonl).

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
    files = SliceFiles(corpus, strings, items, output.with_suffix(".progress.jsonl"))
    search, progress = search_slice(block, model, files, threads, device)
    write_json(output, search)
    progress.path.unlink()


main = command(search_grid)

if __name__ == "__main__":
    run_command(main)
