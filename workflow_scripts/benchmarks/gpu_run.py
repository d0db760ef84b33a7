"""One timed run on a GPU, in a process of its own; prints its measures as JSON.

Not for users: `run_gpu_benchmarks` starts it. A short piece of the same work warms up.
"""

import argparse
import dataclasses
import json
import random
from typing import TYPE_CHECKING

from workflow_scripts.benchmarks.stopwatch import Stopwatch
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import read_lines
from workflow_scripts.tuning.recipes import parse_recipe

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

WARMUP_STEPS = 3
# FLOPs for each token and parameter: a multiplication and an addition, forward; and twice as much
# backward.
FORWARD, FORWARD_AND_BACKWARD = 2, 6
# Real tokens of a made-up name, of them the marks at both ends.
NAME_TOKENS, MARKS = 8, 2
POOLING, MAX_LENGTH = "cls", 25


def count_parameters(model: "torch.nn.Module") -> int:
    """Return the number of weights outside embedding matrices, which are looked up."""
    import torch

    embedded = sum(
        weight.numel()
        for module in model.modules()
        if isinstance(module, torch.nn.Embedding)
        for weight in module.parameters()
    )
    return sum(weight.numel() for weight in model.parameters()) - embedded


def make_names(tokenizer: "PreTrainedTokenizerBase", count: int, seed: int) -> list[str]:
    """Return `count` strings of words that are one token each, 8 tokens with the marks."""
    generator = random.Random(seed)
    words = [word for word in sorted(tokenizer.get_vocab()) if word.isascii() and word.isalpha()]
    names = [" ".join(generator.choices(words, k=NAME_TOKENS - MARKS)) for _ in range(count)]
    lengths = {len(ids) for ids in tokenizer(names[:1000])["input_ids"]}
    if lengths != {NAME_TOKENS}:
        raise UserError(f"--model: names of its vocabulary have {sorted(lengths)} tokens, not 8")
    return names


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--recipe", help="to tune by, block of config as JSON")
    parser.add_argument("--strings", help="to tune on, one string a line")
    parser.add_argument("--names", type=int, help="how many to embed, in place of tuning")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--device", choices=("cpu", "cuda"), required=True)
    arguments = parser.parse_args(argv)

    import torch

    from workflow_scripts.embedding.encoder_folder import load_model
    from workflow_scripts.embedding.string_encoding import encode_strings
    from workflow_scripts.embedding.torch_setup import set_up_torch
    from workflow_scripts.tuning.mirror_tuning import tune_model

    device = set_up_torch(arguments.threads, arguments.device)
    loaded = load_model(arguments.model, device)
    parameters = count_parameters(loaded.model)

    def settle() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize()

    if arguments.recipe:
        recipe = parse_recipe("benchmark", json.loads(arguments.recipe))
        choices, strings = recipe.mirror, read_lines(arguments.strings)
        token_ids = loaded.tokenizer(strings, truncation=True, max_length=choices.max_length)
        # Each string is read twice an epoch, once a view.
        tokens = 2 * choices.epochs * sum(map(len, token_ids["input_ids"]))
        flops = FORWARD_AND_BACKWARD * parameters * tokens
        short = dataclasses.replace(choices, epochs=1)
        tune_model(
            loaded,
            strings[: WARMUP_STEPS * choices.batch_size],
            short,
            recipe.pooling,
            arguments.seed,
        )
        settle()
        stopwatch = Stopwatch()
        tune_model(loaded, strings, choices, recipe.pooling, arguments.seed)
    else:
        strings = make_names(loaded.tokenizer, arguments.names, arguments.seed)
        tokens = NAME_TOKENS * len(strings)
        flops = FORWARD * parameters * tokens
        warmup = strings[: len(strings) // 10]
        encode_strings(loaded, warmup, POOLING, MAX_LENGTH, precision="auto")
        settle()
        stopwatch = Stopwatch()
        encode_strings(loaded, strings, POOLING, MAX_LENGTH, precision="auto")
    settle()
    times = stopwatch.read()
    on_gpu = device.type == "cuda"
    print(
        json.dumps(
            {
                "device": torch.cuda.get_device_name() if on_gpu else "CPU",
                "parameters": parameters,
                "strings": len(strings),
                "tokens": tokens,
                "loop_seconds": times.seconds,
                "tokens_per_second": tokens / times.seconds,
                "flops_per_second": flops / times.seconds,
                "gpu_memory": torch.cuda.max_memory_allocated() if on_gpu else 0,
            }
        )
    )


if __name__ == "__main__":
    run_command(main)
