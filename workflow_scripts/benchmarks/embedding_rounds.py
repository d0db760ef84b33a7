"""The rounds of embedding: every way to embed, in turn, on the same names."""

import json
import sys
from pathlib import Path
from typing import Any

from workflow_scripts.benchmarks.benchmark_strings import read_strings, write_strings
from workflow_scripts.benchmarks.child_process import measure_module, run_module
from workflow_scripts.benchmarks.contenders import (
    EMBEDDING_CONTENDERS,
    OURS,
    OURS_INT8,
    OURS_ONNX,
    SENTENCE_TRANSFORMERS,
    SENTENCE_TRANSFORMERS_BEST,
)
from workflow_scripts.benchmarks.machine import describe_machine
from workflow_scripts.benchmarks.measurements import ABOUT, Measurement, rows_of
from workflow_scripts.benchmarks.settings import CONFIG, Settings, read_recipe
from workflow_scripts.datasets.read_suite import read_suite
from workflow_scripts.evaluate import DATASET_FILE, choose_datasets

NAMES, STS = "names", "stsb"
# What the encoders are tuned by: with the settings of the embedded default, since those of the
# paper hardly move a model of its size.
NAME_RECIPE, SENTENCE_RECIPE = "mirror-phrase", "mirror-sentence"
# The share of the names that each batch size is tried on.
TRIED = 5


def make_encoder(recipe_name: str, settings: Settings, strings: list[str], folder: Path) -> Path:
    """Tune the model by the front door, add its ONNX files; return the encoder folder."""
    recipe = read_recipe(recipe_name, settings, CONFIG)
    corpus, encoder = folder / f"{recipe_name}.txt", folder / recipe_name
    write_strings(corpus, strings[: settings.strings])
    options = {
        "--model": settings.model,
        "--corpus": corpus,
        "--recipe": recipe_name,
        "--set": [f"{key}={json.dumps(value)}" for key, value in recipe.items() if key != "method"],
        "--output": encoder,
        "--seed": settings.seed,
        "--threads": settings.threads,
        "--device": "cpu",
    }
    run_module(f"tuning by {recipe_name}", "workflow_scripts.mirror", options, settings.threads)
    options = {"--encoder": encoder, "--int8": True}
    run_module("export to ONNX", "workflow_scripts.export_onnx", options, settings.threads)
    return encoder


def embed(
    contender: str,
    encoder: Path,
    strings: Path,
    run: object,
    settings: Settings,
    batch_size: int | None = None,
) -> dict[str, Any]:
    """Return the measures of one run; the vectors lie beside the strings (`vectors_of`)."""
    what = f"embedding, {contender}, run {run}"
    options: dict[str, object] = {
        # the best batch size is a setting, not another way
        "--contender": contender.removesuffix("-best"),
        "--encoder": encoder,
        "--strings": strings,
        "--threads": settings.threads,
        "--vectors": vectors_of(contender, strings),
    }
    if batch_size is not None:
        options["--batch-size"] = batch_size
    measures = measure_module(
        what, "workflow_scripts.benchmarks.embedding_run", options, settings.threads
    )
    rate = measures["strings_per_second"]
    print(f"{what}: {rate:.0f} strings a second", file=sys.stderr, flush=True)
    return measures


def vectors_of(contender: str, strings: Path) -> Path:
    """Return where the vectors of a file of strings lie."""
    return strings.with_name(f"{strings.stem}.{contender}.npy")


def measure_embedding(task: str, settings: Settings, folder: Path) -> list[Measurement]:
    """Return the measurements of all ways to embed unique names; `folder` takes what they need.

    After them come the scores of the ONNX forms on STS-B.
    """
    found = read_strings(settings.data, "phrases", settings.names)
    encoder = make_encoder(NAME_RECIPE, settings, found.strings, folder)
    names, few_names = folder / "names.txt", folder / "few-names.txt"
    write_strings(names, found.strings)
    write_strings(few_names, found.strings[: max(len(found.strings) // TRIED, 1)])
    rates: dict[int, float] = {}
    for size in settings.encode_batch_sizes:
        tried = embed(
            SENTENCE_TRANSFORMERS_BEST, encoder, few_names, f"batch size {size}", settings, size
        )
        rates[size] = tried["strings_per_second"]
    best = max(rates, key=lambda size: rates[size])
    about = {
        **describe_machine(),
        "model": settings.model.resolve().name,
        "threads": settings.threads,
        "source": found.source,
        "strings": len(found.strings),
        "recipe": NAME_RECIPE,
        "best_batch_size": best,
        **{f"strings_per_second_of_batch_size_{size}": rate for size, rate in rates.items()},
    }
    rows = rows_of("embedding", task, ABOUT, 0, about)
    for run in range(1, settings.runs + 1):
        for contender in EMBEDDING_CONTENDERS:
            size = best if contender == SENTENCE_TRANSFORMERS_BEST else None
            measures = embed(contender, encoder, names, run, settings, size)
            rows += rows_of("embedding", task, contender, run, measures)
    # The last of all runs: the comparisons load libraries, whose memory a child would count.
    scores = measure_sts(settings, folder)
    for contender in EMBEDDING_CONTENDERS:
        if contender != SENTENCE_TRANSFORMERS:
            difference = largest_difference(
                vectors_of(contender, names), vectors_of(SENTENCE_TRANSFORMERS, names)
            )
            values = {"largest_difference": difference}
            rows += rows_of("embedding", task, contender, 0, values)
    return rows + scores


def measure_sts(settings: Settings, folder: Path) -> list[Measurement]:
    """Return Spearman's rho on the test set of STS-B, of one encoder in all its forms."""
    strings, items = read_suite(settings.data, choose_datasets(DATASET_FILE, STS))
    found = read_strings(settings.data, "sentences", settings.strings)
    encoder = make_encoder(SENTENCE_RECIPE, settings, found.strings, folder)
    path = folder / "sts.txt"
    write_strings(path, strings)
    forms = (OURS, OURS_ONNX, OURS_INT8)
    for form in forms:
        embed(form, encoder, path, "on STS-B", settings)

    # Only now, for the children above count the memory of this process as theirs.
    import numpy as np

    from workflow_scripts.scoring.suite_scores import score_datasets
    from workflow_scripts.scoring.tidy_scores import EncoderIds

    about = {"recipe": SENTENCE_RECIPE, "pairs": len(items[STS]["gold"])}
    rows = rows_of("embedding", STS, ABOUT, 0, about)
    for form in forms:
        ids = EncoderIds("model", "recipe", "corpus", settings.seed)
        (score,) = score_datasets(ids, items, np.load(vectors_of(form, path)))
        rows += rows_of("embedding", STS, form, 1, {"spearman": score.value})
    return rows


def largest_difference(first: Path, second: Path) -> float:
    """Return the largest absolute difference of two files of vectors."""
    import numpy as np

    return float(np.abs(np.load(first) - np.load(second)).max())
