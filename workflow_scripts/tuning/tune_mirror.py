"""Command of rule `tune_mirror`: a model, a corpus and a recipe make an encoder."""

import argparse
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.tuning.corpus_strings import check_batch_size, read_corpus
from workflow_scripts.tuning.encoder_card import write_card
from workflow_scripts.tuning.recipes import parse_recipe


def make_encoder(
    model: str,
    corpus_path: str,
    recipe_name: str,
    recipe_block: Any,
    seed: int,
    output: str | Path,
    threads: int = 1,
    device: str = "cpu",
    step_log: str | Path | None = None,
) -> None:
    """Tune `model` on a corpus and write the encoder folder `output`, whole or not at all.

    `recipe_block` is the block of config as it was read. Raises `UserError` for a recipe, corpus or
    model that will not do; recipe and corpus are looked at before torch is even imported.
    """
    recipe = parse_recipe(recipe_name, recipe_block)
    if recipe.mirror is None:
        raise UserError(
            f"recipes.{recipe_name}.method: {recipe.method!r} tunes nothing; embed the model "
            "itself, or choose a recipe whose method is mirror"
        )
    corpus = read_corpus(corpus_path, recipe.mirror.deduplicate)
    check_batch_size(corpus, recipe.mirror.batch_size, recipe_name)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    import tokenizers
    import torch
    import transformers

    from workflow_scripts.embedding.encoder_folder import load_model, save_encoder
    from workflow_scripts.embedding.torch_setup import set_up_torch
    from workflow_scripts.tuning.mirror_tuning import tune_model

    loaded = load_model(model, set_up_torch(threads, device))
    loaded.check_pooling(recipe.pooling, recipe.embed_max_length)
    loaded.warn_of_missing_mark(recipe.pooling)
    if step_log:
        Path(step_log).parent.mkdir(parents=True, exist_ok=True)
    with open(step_log, "w", encoding="utf-8") if step_log else nullcontext() as stream:
        summary = tune_model(loaded, corpus.strings, recipe.mirror, recipe.pooling, seed, stream)
    record = {
        "corpus": corpus.as_record(),
        "dimension": loaded.model.config.hidden_size,
        "max_length": recipe.embed_max_length,
        "model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256},
        "pooling": recipe.pooling,
        "recipe": recipe_block,
        "recipe_name": recipe_name,
        "seed": seed,
        "tuning": vars(summary),
        "versions": {
            "tokenizers": tokenizers.__version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }
    save_encoder(
        output, loaded, recipe.pooling, recipe.embed_max_length, record, write_card(record)
    )


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model folder or hub id")
    parser.add_argument("--corpus", required=True, help="text file, one string a line")
    parser.add_argument("--recipe-name", required=True)
    parser.add_argument("--recipe-json", required=True, help="the recipe's block of config as JSON")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--output", required=True, help="encoder folder to write")
    parser.add_argument("--step-log", help="JSON lines: step, loss, learning rate, strings/s")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="cpu")
    arguments = parser.parse_args(argv)
    try:
        recipe_block = json.loads(arguments.recipe_json)
    except json.JSONDecodeError as error:
        raise UserError(f"--recipe-json: not valid JSON ({error.msg})") from error
    make_encoder(
        model=arguments.model,
        corpus_path=arguments.corpus,
        recipe_name=arguments.recipe_name,
        recipe_block=recipe_block,
        seed=arguments.seed,
        output=arguments.output,
        threads=arguments.threads,
        device=arguments.device,
        step_log=arguments.step_log,
    )


if __name__ == "__main__":
    run_command(main)
