"""One timed run of one way of tuning, in a process of its own; prints its measures as JSON.

Not for users: `run_benchmarks` starts it. The loop is warmed up by a short tuning on other strings;
the seconds are those of the second, from raw strings to tuned weights, without imports and loading.
"""

import argparse
import dataclasses
import json
import tempfile
from collections.abc import Callable

from workflow_scripts.benchmarks.contenders import TUNING_CONTENDERS
from workflow_scripts.benchmarks.stopwatch import LoopTimes, Stopwatch
from workflow_scripts.errors import run_command
from workflow_scripts.files import read_lines
from workflow_scripts.tuning.recipes import parse_recipe


def _timed(tune: Callable[[list[str]], object]) -> Callable[[list[str]], LoopTimes]:
    def timed(strings: list[str]) -> LoopTimes:
        stopwatch = Stopwatch()
        tune(strings)
        return stopwatch.read()

    return timed


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contender", required=True, choices=TUNING_CONTENDERS)
    parser.add_argument("--model", required=True)
    parser.add_argument("--recipe", required=True, help="block of config as JSON")
    parser.add_argument("--strings", required=True, help="text file, those to warm up on first")
    parser.add_argument("--warmup-strings", type=int, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args(argv)
    recipe = parse_recipe("benchmark", json.loads(arguments.recipe))
    choices = dataclasses.replace(recipe.mirror, epochs=1)
    strings = read_lines(arguments.strings)
    warmup, strings = strings[: arguments.warmup_strings], strings[arguments.warmup_strings :]

    import psutil
    from transformers import AutoTokenizer

    from workflow_scripts.embedding.torch_setup import set_up_torch

    device = set_up_torch(arguments.threads, "cpu")
    with tempfile.TemporaryDirectory() as folder:
        if arguments.contender == "sentence-transformers":
            from workflow_scripts.benchmarks.sentence_transformers_tuning import (
                make_sentence_transformer,
                tune_with_trainer,
            )

            encoder = make_sentence_transformer(arguments.model, recipe.pooling, choices)

            def tune(strings: list[str]) -> LoopTimes:
                return tune_with_trainer(encoder, strings, choices, arguments.seed, folder)
        else:
            from workflow_scripts.embedding.encoder_folder import load_model

            if arguments.contender == "plain":
                from workflow_scripts.benchmarks.plain_tuning import tune_plainly as method
            else:
                from workflow_scripts.tuning.mirror_tuning import tune_model as method

            loaded = load_model(arguments.model, device)

            @_timed
            def tune(strings: list[str]) -> object:
                return method(loaded, strings, choices, recipe.pooling, arguments.seed)

        memory_before = psutil.Process().memory_info().rss
        tune(warmup)
        times = tune(strings)
    steps = len(strings) // choices.batch_size
    tokenizer = AutoTokenizer.from_pretrained(arguments.model, local_files_only=True)
    token_ids = tokenizer(strings, truncation=True, max_length=choices.max_length)["input_ids"]
    print(
        json.dumps(
            {
                "steps": steps,
                "loop_seconds": times.seconds,
                "seconds_per_step": times.seconds / steps,
                "processor_seconds_per_step": times.processor_seconds / steps,
                "memory_before": memory_before,
                "tokens_per_string": sum(map(len, token_ids)) / len(token_ids),
            }
        )
    )


if __name__ == "__main__":
    run_command(main)
