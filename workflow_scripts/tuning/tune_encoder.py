"""Step `tune_encoder`: a model, a corpus and a recipe make an encoder."""

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workflow_scripts import plugins
from workflow_scripts.command_main import run_command
from workflow_scripts.downloads.model_files import local_path
from workflow_scripts.embedding.recorded_settings import recorded_model
from workflow_scripts.errors import UserError, damaged_file_error
from workflow_scripts.files import append_to, read_json
from workflow_scripts.imports import Device, quick_imports
from workflow_scripts.path_functions import command
from workflow_scripts.sources import digest_of
from workflow_scripts.tuning.encoder_card import write_card
from workflow_scripts.tuning.recipe import METHODS, TuningRecipe, method_module, tuning_recipe_of
from workflow_scripts.tuning.trackers import start_trackers, tracker_names

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder import Encoder

# An interrupted tuning that took longer than this continues from where it was.
SECONDS_BETWEEN_STATES = 60.0
# Scoring is above tuning: loaded by name, and a source only where a recipe has a development set.
SCORES = ("scoring", "development_scores")
METRIC_NAMES = ("scoring", "metric_names")
# where trackers write: the folder that TensorBoard uses by itself
RUNS = Path("runs")


def make_encoder(
    model: str,
    corpus_path: str,
    recipe_name: str,
    recipe_block: Any,
    seed: int,
    output: str | Path | None,
    threads: int = 1,
    device: str = "cpu",
    step_log: str | Path | None = None,
    development: Any = None,
    more_corpora: Sequence[str] = (),
    report_to: str | Sequence[str] = (),
    tracking_folder: str | Path = RUNS,
) -> "Encoder":
    """Return the encoder that `model` becomes when it is tuned on a corpus.

    It is written to the folder `output`, whole or not at all; an interrupted run leaves its state
    next to that folder and continues from there. Without an output nothing is written.
    `recipe_block` is the block of config as read, `development` the `DevelopmentSet` of a recipe
    that has one, `more_corpora` the files of its further corpora in order. `report_to` names
    experiment trackers, whose files are written below `tracking_folder`. Raises `UserError` for a
    recipe, corpus or model that cannot be used.
    """
    recipe = tuning_recipe_of(recipe_name, recipe_block)
    method = plugins.load(METHODS, recipe.method)
    start = read_start(model, recipe_name, recipe)
    if not start:
        warn_of_sentence_encoder(model, recipe_name, recipe.pooling, development is not None)
    keys, names = recipe.corpora(), tracker_names(report_to)
    if len(more_corpora) != len(keys):
        shown = ", ".join(keys) or "none"
        raise UserError(
            f"recipes.{recipe_name}",
            f"takes {len(keys)} more corpora ({shown}), got {len(more_corpora)}",
            "give a file of each with --more-corpora",
        )
    corpus = method.read(corpus_path, recipe, recipe_name, *more_corpora)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import tokenizers
        import torch
        import transformers

        from workflow_scripts.embedding.card_metadata import inherited_metadata
        from workflow_scripts.embedding.encoder import Encoder
        from workflow_scripts.embedding.encoder_folder import load_model
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.tuning.loop import tune_model
        from workflow_scripts.tuning.processes import Processes
        from workflow_scripts.tuning.step_log import keep_steps
        from workflow_scripts.tuning.tuning_state import StateFile

    settings, processes = recipe.settings, Processes()
    torch_device = processes.device(set_up_torch(threads, device))
    loaded = load_model(model, torch_device).without_modules()
    loaded.check_settings(settings)
    loaded.warn_of_missing_mark(settings.pooling)
    libraries = (tokenizers, torch, transformers)
    record = {"corpus": corpus.as_record(), "recipe": recipe_block, "recipe_name": recipe_name}
    record |= {"dimension": loaded.model.config.hidden_size, **settings.as_record()}
    record |= {"model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256}}
    record |= {"seed": seed, **start}
    record["versions"] = {library.__name__: library.__version__ for library in libraries}
    modules, score = [method_module(recipe.method)], None
    if development is not None:
        metric_names = plugins.load(*METRIC_NAMES)
        modules += metric_names.development_modules(development.entry["task"])
        score = plugins.load(*SCORES).make_score(development, settings)
    # not the threads: weights and scores do not depend on them
    watched = development and {**vars(development), "threads": None}
    state = None
    if output is not None:
        output = Path(output)
        inputs = (record, loaded.model_sha256, watched, device, processes.count)
        digest = digest_of("tuning.tune_encoder", *inputs, more=tuple(modules))
        state_file = output.with_name(f".{output.name}.state.safetensors")
        state = StateFile(state_file, digest, SECONDS_BETWEEN_STATES)
    log_file = Path(step_log) if step_log and processes.is_first else None
    if log_file is not None:
        keep_steps(log_file, 0 if state is None else state.read().step)
    # not in several processes, which would have to agree on the step
    alone = state is not None and processes.count == 1
    run = f"{loaded.name}-{recipe_name}-seed{seed}"
    origin = {"model": loaded.name, "corpus": corpus.as_record()["name"], "seed": seed}
    names = names if processes.is_first else []
    with (
        start_trackers(names, Path(tracking_folder), run, recipe_block | origin) as trackers,
        state.saved_on_signals() if state and alone else nullcontext(),
        nullcontext() if log_file is None else append_to(log_file) as stream,
    ):
        summary = tune_model(
            loaded,
            corpus,
            recipe,
            seed,
            step_log=stream,
            score=score,
            state=state,
            processes=processes,
            trackers=trackers,
        )
    record["tuning"] = summary.as_record()
    # the weights are no longer those of its folder
    tuned = replace(loaded, folder=None, weights_sha256="", model_sha256="")
    card = write_card(record, method, inherited_metadata(loaded.name, loaded.folder))
    own, curve = summary.own_weights, summary.learning_curve
    encoder = Encoder(tuned, settings, record, card, own, curve)
    if output is not None and state is not None and processes.is_first:
        encoder.write(output)
        state.path.unlink(missing_ok=True)
    processes.wait()
    return encoder


def read_start(model: str, recipe_name: str, recipe: TuningRecipe) -> dict[str, Any]:
    """Return what a record says of the encoder that a recipe starts from, {} without one."""
    if recipe.start is None:
        return {}
    expected, file = recipe.start, local_path(model) / "encoder.json"
    record: dict[str, Any] = {"recipe_name": None, "corpus": {"name": ""}}
    if file.is_file():
        record = read_json(file)
    with damaged_file_error(file, "make the encoder again"):
        actual = (record["recipe_name"], Path(record["corpus"]["name"]).stem)
    if actual != (expected.recipe, expected.corpus):
        raise UserError(
            f"--model {model}",
            f"recipes.{recipe_name}.start continues from an encoder",
            f"give the folder of one of recipe {expected.recipe} and corpus {expected.corpus}",
        )
    kept = ("corpus", "recipe", "recipe_name", "seed", "start", "weights_sha256")
    start = {key: record[key] for key in kept if key in record}
    return {"model": record["model"], "start": start}


def warn_of_sentence_encoder(model: str, recipe_name: str, pooling: str, is_watched: bool) -> None:
    """Say on stderr what tuning does to a model that already is a sentence encoder.

    That it may become worse is not said where it is watched: a development set shows it, and keeps
    the best weights.
    """
    recorded = recorded_model(model)
    before = recorded.settings.get("pooling")
    lines = []
    if before is not None and before != pooling:
        lines.append(
            f"note: {model} records pooling {before}; recipe {recipe_name} changes it to {pooling} "
            f"(pooling={before} keeps it)"
        )
    if lost := [module.kind for module in recorded.after_pooling if module.kind == "Dense"]:
        lines.append(f"note: {model} has a {lost[0]} module, which the new encoder will not have")
    if recorded.problem:
        lines.append(f"note: only the model in {model} is tuned: {recorded.problem}")
    if (before is not None or recorded.problem) and not is_watched:
        lines.append(
            f"warning: {model} already is a sentence encoder, and tuning it on raw strings can "
            "make it worse; give a development set, which keeps the best weights (and "
            f"silences this warning), or compare with `mirror-bert evaluate --against {model}`"
        )
    for line in lines:
        print(line, file=sys.stderr)


def tune_encoder(
    *,
    model: str,
    corpus: Path,
    more_corpora: Sequence[Path] = (),
    recipe_name: str,
    recipe_json: dict[str, Any],
    seed: int,
    output: Path,
    step_log: Path | None = None,
    development: Sequence[Path] = (),
    linking_similarity: Literal["dot", "cosine", "none"] = "none",
    threads: int = 1,
    device: Device = "cpu",
) -> None:
    """Write the encoder that a model becomes by a recipe on a corpus.

    Args:
        model: model folder or hub id
        corpus: text file, one string a line
        more_corpora: files of the recipe's additional corpora, such as bitext, in its order
        recipe_name: name of the recipe
        recipe_json: the recipe's block of config as JSON
        seed: of all that is random
        output: encoder folder to write
        step_log: JSON lines: step, loss, learning rate, strings/s, ...
        development: strings (one a line) and items.json of the recipe's development set
        linking_similarity: of the development set, if it is one of linking
        threads: threads of torch
        device: where the model runs; auto: CUDA where there is a device
    """
    own_set = tuning_recipe_of(recipe_name, recipe_json).development
    development_set = None
    if len(development) != (2 if own_set else 0):
        raise UserError(
            f"recipes.{recipe_name}.development",
            "goes with --development STRINGS ITEMS",
            "give both or neither",
        )
    if own_set:
        similarity = None if linking_similarity == "none" else linking_similarity
        reading = plugins.load("scoring", "development_set")
        choices = (own_set.dataset, similarity, threads)
        development_set = reading.read_development_set(*map(str, development), *choices)
    make_encoder(
        model,
        str(corpus),
        recipe_name,
        recipe_json,
        seed,
        output,
        threads=threads,
        device=device,
        step_log=step_log,
        development=development_set,
        more_corpora=[*map(str, more_corpora)],
    )


main = command(tune_encoder)

if __name__ == "__main__":
    run_command(main)
