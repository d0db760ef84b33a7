"""Command of rule `tune_mirror`: a model, a corpus and a recipe make an encoder."""

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.dag.sources import digest_of
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.imports import quick_imports
from workflow_scripts.tuning.corpus_strings import Corpus, check_batch_size, read_corpus
from workflow_scripts.tuning.encoder_card import write_card
from workflow_scripts.tuning.near_duplicates import count_near_duplicates, warning_line
from workflow_scripts.tuning.recipes import MirrorChoices, parse_recipe

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel

    # Gives what scores a model, from pooling and maximum length.
    ScoreMaker = Callable[[str, int], Callable[[LoadedModel], float]]

# An interrupted tuning that took longer than this goes on from where it was.
SECONDS_BETWEEN_STATES = 60.0


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
    make_score: "ScoreMaker | None" = None,
) -> None:
    """Tune `model` on a corpus and write the encoder folder `output`, whole or not at all.

    `recipe_block` is the block of config as it was read. `make_score` gives the score of the
    recipe's development set. A run that is interrupted leaves its state beside `output` and goes on
    from there when it is called again. Started by `accelerate launch` in several processes, it
    tunes one model with all of them. Raises `UserError` for a recipe, corpus or model that will not
    do; recipe and corpus are looked at before torch is even imported.
    """
    recipe = parse_recipe(recipe_name, recipe_block)
    if recipe.mirror is None:
        raise UserError(
            f"recipes.{recipe_name}.method: {recipe.method!r} tunes nothing; embed the model "
            "itself, or choose a recipe whose method is mirror"
        )
    corpus = read_strings(corpus_path, recipe.mirror, recipe_name)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import tokenizers
        import torch
        import transformers

        from workflow_scripts.embedding.encoder_folder import load_model, save_encoder
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.tuning.mirror_tuning import tune_model
        from workflow_scripts.tuning.processes import Processes
        from workflow_scripts.tuning.step_log import keep_steps
        from workflow_scripts.tuning.tuning_state import StateFile

    processes = Processes()
    loaded = load_model(model, processes.device(set_up_torch(threads, device)))
    loaded.check_pooling(recipe.pooling, recipe.embed_max_length)
    loaded.warn_of_missing_mark(recipe.pooling)
    record = {
        "corpus": corpus.as_record(),
        "dimension": loaded.model.config.hidden_size,
        "max_length": recipe.embed_max_length,
        "model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256},
        "pooling": recipe.pooling,
        "recipe": recipe_block,
        "recipe_name": recipe_name,
        "seed": seed,
        "versions": {
            "tokenizers": tokenizers.__version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }
    output = Path(output)
    state = StateFile(
        output.with_name(f".{output.name}.state.safetensors"),
        digest_of("tuning.tune_mirror", record, threads, device, processes.count),
        SECONDS_BETWEEN_STATES,
    )
    writes = step_log and processes.is_first
    if writes:
        keep_steps(Path(step_log), state.read().step)
    # not in several processes, which would have to agree on the step
    saved = state.saved_on_sigterm() if processes.count == 1 else nullcontext()
    with saved, open(step_log, "a", encoding="utf-8") if writes else nullcontext() as stream:
        summary = tune_model(
            loaded,
            corpus.strings,
            recipe.mirror,
            recipe.pooling,
            seed,
            stream,
            partners=corpus.partners,
            score=make_score and make_score(recipe.pooling, recipe.embed_max_length),
            state=state,
            processes=processes,
        )
    if processes.is_first:
        record["tuning"] = summary.as_record()
        card = write_card(record)
        save_encoder(output, loaded, recipe.pooling, recipe.embed_max_length, record, card)
        state.remove()
    processes.wait()


def read_strings(path: str, choices: MirrorChoices, recipe_name: str) -> Corpus:
    """Return the corpus as a recipe wants it; say on stderr how many strings are alike.

    Raises `UserError` for a missing or malformed file and one that does not fill a batch.
    """
    corpus = read_corpus(path, choices.deduplicate, pairs=choices.positives == "pairs")
    check_batch_size(corpus, choices.batch_size, recipe_name)
    for strings in filter(None, (corpus.strings, corpus.partners)):
        found = count_near_duplicates(strings)
        if warning := warning_line(corpus.path.name, found, choices.batch_size):
            print(warning, file=sys.stderr)
    return corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that all commands that tune by a rule have."""
    parser.add_argument("--model", required=True, help="model folder or hub id")
    parser.add_argument("--corpus", required=True, help="text file, one string a line")
    parser.add_argument("--recipe-name", required=True)
    parser.add_argument("--recipe-json", required=True, help="the recipe's block of config as JSON")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--output", required=True, help="encoder folder to write")
    parser.add_argument("--step-log", help="JSON lines: step, loss, learning rate, strings/s, ...")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="cpu")


def read_recipe_block(text: str) -> Any:
    """Return the block in --recipe-json; `UserError` if it is not valid JSON."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"--recipe-json: not valid JSON ({error.msg})") from error


def run(arguments: argparse.Namespace, make_score: "ScoreMaker | None" = None) -> None:
    """Make the encoder that the arguments of `add_arguments` ask for."""
    make_encoder(
        model=arguments.model,
        corpus_path=arguments.corpus,
        recipe_name=arguments.recipe_name,
        recipe_block=read_recipe_block(arguments.recipe_json),
        seed=arguments.seed,
        output=arguments.output,
        threads=arguments.threads,
        device=arguments.device,
        step_log=arguments.step_log,
        make_score=make_score,
    )


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    run(parser.parse_args(argv))


if __name__ == "__main__":
    run_command(main)
