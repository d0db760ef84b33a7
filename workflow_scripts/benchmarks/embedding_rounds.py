"""The rounds of embedding: every way to embed, in turn, on the same names."""

import json
import sys
from pathlib import Path
from typing import Any

from workflow_scripts.benchmarks.benchmark_strings import read_strings, write_strings
from workflow_scripts.benchmarks.child_process import measure_module, run_module
from workflow_scripts.benchmarks.contenders import (
    EMBEDDING_CONTENDERS,
    SENTENCE_TRANSFORMERS,
    SENTENCE_TRANSFORMERS_BEST,
)
from workflow_scripts.benchmarks.machine import describe_machine
from workflow_scripts.benchmarks.measurements import ABOUT, Measurement, rows_of
from workflow_scripts.benchmarks.settings import CONFIG, Settings, read_recipe

NAMES = "names"
# What the encoder is tuned by: with the settings of the embedded default, since those of the paper
# hardly move a model of its size.
RECIPE = "mirror-phrase"
# The share of the names that each batch size is tried on.
TRIED = 5


def make_encoder(settings: Settings, names: list[str], folder: Path) -> Path:
    """Tune the model on names by the front door and return the encoder folder."""
    recipe = read_recipe(RECIPE, settings, CONFIG)
    corpus, encoder = folder / "corpus.txt", folder / "encoder"
    write_strings(corpus, names[: settings.strings])
    changed = ("pooling", "learning_rate", "batch_size", "precision")
    options = {
        "--model": settings.model,
        "--corpus": corpus,
        "--recipe": RECIPE,
        "--set": [f"{key}={json.dumps(recipe[key])}" for key in changed],
        "--output": encoder,
        "--seed": settings.seed,
        "--threads": settings.threads,
        "--device": "cpu",
    }
    run_module("making the encoder", "workflow_scripts.mirror", options, settings.threads)
    return encoder


def measure_embedding(task: str, settings: Settings, folder: Path) -> list[Measurement]:
    """Return the measurements of all ways to embed unique names; `folder` takes what they need."""
    found = read_strings(settings.data, "phrases", settings.names)
    encoder = make_encoder(settings, found.strings, folder)
    names, few_names = folder / "names.txt", folder / "few-names.txt"
    write_strings(names, found.strings)
    write_strings(few_names, found.strings[: max(len(found.strings) // TRIED, 1)])

    def embed(
        contender: str, strings: Path, run: object, batch_size: int | None = None
    ) -> dict[str, Any]:
        what = f"embedding, {contender}, run {run}"
        options: dict[str, object] = {
            # the best batch size is a setting, not another way
            "--contender": contender.removesuffix("-best"),
            "--encoder": encoder,
            "--strings": strings,
            "--threads": settings.threads,
            "--vectors": folder / f"{contender}.npy",
        }
        if batch_size is not None:
            options["--batch-size"] = batch_size
        measures = measure_module(
            what, "workflow_scripts.benchmarks.embedding_run", options, settings.threads
        )
        rate = measures["strings_per_second"]
        print(f"{what}: {rate:.0f} strings a second", file=sys.stderr, flush=True)
        return measures

    rates = {
        size: embed(SENTENCE_TRANSFORMERS_BEST, few_names, f"batch size {size}", size)[
            "strings_per_second"
        ]
        for size in settings.encode_batch_sizes
    }
    best = max(rates, key=lambda size: rates[size])
    about = {
        **describe_machine(),
        "model": settings.model.resolve().name,
        "threads": settings.threads,
        "source": found.source,
        "strings": len(found.strings),
        "recipe": RECIPE,
        "best_batch_size": best,
        **{f"strings_per_second_of_batch_size_{size}": rate for size, rate in rates.items()},
    }
    rows = rows_of("embedding", task, ABOUT, 0, about)
    for run in range(1, settings.runs + 1):
        for contender in EMBEDDING_CONTENDERS:
            size = best if contender == SENTENCE_TRANSFORMERS_BEST else None
            rows += rows_of("embedding", task, contender, run, embed(contender, names, run, size))
    for contender in EMBEDDING_CONTENDERS:
        if contender != SENTENCE_TRANSFORMERS:
            difference = largest_difference(
                folder / f"{contender}.npy", folder / f"{SENTENCE_TRANSFORMERS}.npy"
            )
            values = {"largest_difference": difference}
            rows += rows_of("embedding", task, contender, 0, values)
    return rows


def largest_difference(first: Path, second: Path) -> float:
    """Return the largest absolute difference of two files of vectors."""
    # Only now: the children before would count the memory of this process, which starts them.
    import numpy as np

    return float(np.abs(np.load(first) - np.load(second)).max())
