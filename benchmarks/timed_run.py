"""One timed run of one way, in a process of its own; prints its measures as JSON.

`run_benchmarks` starts it with a job as JSON. The seconds are from raw strings to tuned weights or
vectors. What is of one way is imported by that way alone, for its memory counts.
"""

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psutil
import torch

from benchmarks.benchmark_strings import read_sts_pairs, texts_of
from benchmarks.probe_workloads import probe_measures
from benchmarks.scale_measures import scale_measures
from workflow_scripts.command_main import run_command
from workflow_scripts.datasets.strings import runs_of_lines
from workflow_scripts.embedding.encoder_folder import find_onnx_file, load_model
from workflow_scripts.embedding.recorded_settings import join_settings, recorded_settings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.embedding.torch_setup import set_up_torch
from workflow_scripts.files import read_lines
from workflow_scripts.tuning.recipe import tuning_recipe_of

Job = dict[str, Any]


class Times(NamedTuple):
    """Seconds of the wall clock and of the processor, since some time."""

    seconds: float
    processor_seconds: float


# Does its work on strings; returns its times and what came of it.
Work = Callable[[Sequence[str]], tuple[Times, Any]]


def now() -> Times:
    """Return the times when what a GPU was given before is done."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    return Times(time.perf_counter(), time.process_time())


def timed(method: Callable[[Sequence[str]], Any]) -> Work:
    def work(strings: Sequence[str]) -> tuple[Times, Any]:
        started = now()
        result = method(strings)
        return Times(*np.subtract(now(), started)), result

    return work


def load_tuner(job: Job, choices: Any, device: torch.device) -> tuple[Work, Any]:
    """Return what tunes on strings, and the model that it tunes."""
    seed, of_text = job["seed"], choices.method == "cmlm"
    if job["way"] == "sentence-transformers":
        from benchmarks import sentence_transformers_tuning as theirs

        encoder = theirs.make_sentence_transformer(job["model"], choices)

        def tune(texts: Sequence[str]) -> tuple[Times, None]:
            # a sentence is damaged and made whole where CMLM has a pair
            texts = [second for _, second in runs_of_lines(texts)] if of_text else texts
            started, ended = theirs.tune_with_trainer(encoder, texts, choices, seed, now)
            return Times(*np.subtract(ended, started)), None

        return tune, None
    method = tune_by_project
    if job["way"] == "plain" and of_text:
        from benchmarks.plain_cmlm import tune_plainly as method
    elif job["way"] == "plain":
        from benchmarks.plain_tuning import tune_plainly as method
    loaded, units = load_model(job["model"], device), runs_of_lines if of_text else list
    return timed(lambda texts: method(loaded, list(units(texts)), choices, seed)), loaded


def tune_by_project(loaded: Any, strings: list[Any], choices: Any, seed: int) -> Any:
    """Tune `loaded.model` in place by the project's loop; return its summary (steps, losses).

    `strings` are documents of two for CMLM.
    """
    from workflow_scripts.tuning.corpus_strings import Corpus
    from workflow_scripts.tuning.loop import tune_model
    from workflow_scripts.tuning.methods.cmlm import Corpora
    from workflow_scripts.tuning.running_text import RunningText

    of_text = choices.method == "cmlm"
    corpus = Corpora(RunningText(strings)) if of_text else Corpus(strings)
    return tune_model(loaded, corpus, choices, seed)


def load_encoder(job: Job, device: torch.device) -> Work:
    """Return what embeds strings to vectors [number of strings, D]."""
    way, folder = job["way"], job["model"]
    # its best batch size is a setting, not another way
    if way.startswith("sentence-transformers"):
        from sentence_transformers import SentenceTransformer

        encoder = SentenceTransformer(folder, device="cpu")
        size = {"batch_size": job["batch_size"]} if "batch_size" in job else {}
        return timed(lambda texts: encoder.encode(list(texts), show_progress_bar=False, **size))
    own = {name: job[name] for name in ("pooling", "max_length") if name in job}
    settings = join_settings(folder, recorded_settings(folder), own)
    loaded, precision = load_model(folder, device), job.get("precision", "float32")
    if way == "mirror":
        return timed(lambda texts: encode_strings(loaded, texts, settings, precision=precision))
    from workflow_scripts.embedding.onnx_encoding import onnx_encoder

    path = find_onnx_file(Path(folder), way == "mirror-int8")
    return timed(onnx_encoder(loaded, path, settings, job["threads"]).encode)


def tuning_measures(job: Job, choices: Any, strings: list[str], times: Times) -> dict[str, Any]:
    """Return the steps and tokens of a tuning, and their times."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(job["model"], local_files_only=True)
    strings = [text for text in strings if text]
    token_ids = tokenizer(strings, truncation=True, max_length=choices.max_length)["input_ids"]
    # a batch of CMLM is of pairs, and each string is read once; in Mirror tuning twice, once a view
    sides = 2 if choices.method == "cmlm" else 1
    steps = len(strings) // (sides * choices.batch_size) * choices.epochs
    tokens = sum(map(len, token_ids))
    processor = times.processor_seconds / steps
    rates = {"seconds_per_step": times.seconds / steps, "processor_seconds_per_step": processor}
    rates["units_per_second"] = steps * choices.batch_size / times.seconds
    counts = {"tokens_per_string": tokens / len(strings)}
    counts["tokens"] = 2 // sides * choices.epochs * tokens
    return {"seed": job["seed"], "steps": steps, **rates, **counts}


def embedding_measures(job: Job, vectors: np.ndarray, times: Times) -> dict[str, Any]:
    """Return the speed; save the vectors or compare them with those of a file where told."""
    measures = {"strings": len(vectors), "processor_seconds": times.processor_seconds}
    measures["strings_per_second"] = len(vectors) / times.seconds
    if "vectors" in job:
        np.save(job["vectors"], vectors)
    if "like" in job:
        measures["largest_difference"] = float(np.abs(vectors - np.load(job["like"])).max())
    return measures | ({"tokens": job["tokens"]} if "tokens" in job else {})


def spearman(pairs: Sequence[tuple[float, str, str]], vectors: np.ndarray) -> float:
    """Return Spearman's rho of the scores and the cosines of vectors [2 * pairs, D]."""
    from scipy.stats import spearmanr

    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (unit[::2] * unit[1::2]).sum(axis=1)
    return float(spearmanr([score for score, *_ in pairs], cosines).statistic)


def main(argv: list[str] | None = None) -> None:
    job = json.loads((sys.argv[1:] if argv is None else argv)[0])
    if "scale" in job:
        print(json.dumps(scale_measures(job)))
        return
    if "probes" in job:
        print(json.dumps(probe_measures(job)))
        return
    strings = read_lines(job["strings"])
    device = set_up_torch(job["threads"], job["device"])
    choices = tuning_recipe_of("benchmark", job["recipe"]) if "recipe" in job else None
    work, model = load_tuner(job, choices, device) if choices else (load_encoder(job, device), None)
    memory_before = psutil.Process().memory_info().rss
    if "warm_up" in job:
        work(read_lines(job["warm_up"]))
    times, result = work(strings)
    measures = {"loop_seconds": times.seconds, "memory_before": memory_before}
    if choices:
        measures |= tuning_measures(job, choices, strings, times)
    else:
        measures |= embedding_measures(job, result, times)
    if "score" in job:
        pairs = read_sts_pairs(Path(job["score"]), job["split"])
        if choices:
            measures["last_loss"] = result.last_loss
            result = encode_strings(model, texts_of(pairs), choices.settings)
        measures["spearman"] = spearman(pairs, result)
    if "flops_per_token" in job:
        rate = measures["tokens"] / times.seconds
        flops = rate * job["flops_per_token"]
        measures |= {"tokens_per_second": rate, "flops_per_second": flops}
        measures |= {"share_of_peak": flops / job["peak"]} if job["peak"] else {}
        cuda = device.type == "cuda"
        measures["gpu_memory"] = torch.cuda.max_memory_allocated() if cuda else 0
    print(json.dumps(measures))


if __name__ == "__main__":
    run_command(main)
