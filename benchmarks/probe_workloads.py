"""SentEval's sets, vectors fixed: its algorithm one fit at a time, and the project's batches."""

import json
from pathlib import Path
from typing import Any

from benchmarks.child_process import run_module, words_of
from benchmarks.scale_measures import timed
from benchmarks.sections import OURS, PLAIN, Prepared, Workload
from benchmarks.settings import Settings
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.tuning.methods.register import read_recipe, read_recipe_blocks

CONFIG = Path(__file__).resolve().parents[1] / "config"
PROTOCOL = "prototyping"
SETS = ("mr", "cr", "subj", "mpqa", "sst2", "trec", "mrpc", "sick-e", "sick-r")


def prepare_probes(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Embed a set once; then the fits on its vectors, by each way."""
    name, blocks = workload.task, read_recipe_blocks(CONFIG / "recipes.yaml")
    of_encoder = read_recipe(workload.recipe, blocks[workload.recipe]).settings
    block = read_mapping(CONFIG / "datasets.yaml")["datasets"][name]
    files = {key: folder / f"{name}.{key}" for key in ("txt", "json", "npy", "record")}
    options = {"dataset": name, "block": json.dumps(block), "root": settings.data}
    options |= {"strings": files["txt"], "items": files["json"]}
    _run("reading", "datasets.read_dataset", options)
    options = {"model": settings.model, "datasets": name, "strings": files["txt"]}
    options |= {"threads": settings.threads}
    options |= {"settings": json.dumps(of_encoder.as_record()), "output": files["npy"]}
    _run("embedding", "embedding.embed_suite", options | {"record": files["record"]})
    job = {"probes": name, "protocol": PROTOCOL, "items": files["json"], "vectors": files["npy"]}
    job |= {"threads": settings.threads}
    about = {"protocol": PROTOCOL, "pooling": of_encoder.pooling}
    return about, lambda way, run: job


def _run(what: str, module: str, options: dict[str, Any]) -> None:
    run_module(f"{what} of SentEval", f"workflow_scripts.{module}", words_of(options), 1)


def probe_measures(job: dict[str, Any]) -> dict[str, Any]:
    """Return the score of a way, and the seconds of its fits and tests alone."""
    # Only now: torch takes seconds and memory, and counts in the process that measures alone.
    import torch

    from benchmarks.plain_senteval import predict_plainly
    from workflow_scripts import plugins
    from workflow_scripts.embedding.suite_vectors import read_string_vectors
    from workflow_scripts.retrieval.suite_files import read_dataset
    from workflow_scripts.scoring.linear_probe import PROTOCOLS
    from workflow_scripts.scoring.measurement import measure_dataset
    from workflow_scripts.scoring.tidy_scores import EncoderIds
    from workflow_scripts.scoring.trained_predictions import predict

    torch.set_num_threads(job["threads"])
    name, vectors = job["probes"], read_string_vectors(job["vectors"], job["probes"])
    entry = read_dataset(job["items"])
    ways = {
        PLAIN: lambda: predict_plainly(entry, vectors, PROTOCOLS[job["protocol"]]),
        OURS: lambda: predict(name, entry, vectors, job["protocol"]),
    }
    found, measures = timed(ways[job["way"]])
    metric = plugins.load("scoring.tasks", entry["task"]).PRIMARY
    own = EncoderIds("model", "recipe", "corpus", 0)
    value = measure_dataset(own, entry, vectors, [metric], found).values[metric]
    counts = {"items": len(entry["labels"]), "tested": len(found), "width": vectors[[0]].shape[1]}
    return measures | counts | {"score": 100 * value}
