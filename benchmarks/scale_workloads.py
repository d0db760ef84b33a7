"""What is prepared at the size of real ontologies and vocabularies: indices and word vectors."""

import random
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.benchmark_strings import read_strings
from benchmarks.child_process import run_job, run_module, words_of
from benchmarks.sections import (
    FAISS,
    OURS,
    PLAIN,
    SEARCH,
    TRAINER,
    Prepared,
    Section,
    Workload,
)
from benchmarks.settings import Settings
from workflow_scripts.files import write_text

LINK = "workflow_scripts.link"
# Of the encoder, which records no choices of its own.
CHOICES = {"pooling": "mean", "max_length": 25}
K = 5
# The best batch size of sentence-transformers for names (docs/explanation/performance.md).
BATCH_SIZE = 128
# Sizes of the curve of CSLS, as shares of the largest; its vectors' width.
SHARES = {"tenth": 0.1, "fifth": 0.2, "half": 0.5, "whole": 1.0}
WORD_DIMENSION = 300
# Of the vectors that are searched alone; queries of them that are checked.
WIDTH, CHECKED = 768, 20


def combine_names(names: list[str], count: int, seed: int) -> list[str]:
    """Return at most `count` different names: all but the last word of one, the last of another."""
    words = [name.split() for name in names]
    heads = list(dict.fromkeys(" ".join(one[:-1]) for one in words if len(one) > 1))
    tails = list(dict.fromkeys(one[-1] for one in words))
    possible = len(heads) * len(tails)
    drawn = random.Random(seed).sample(range(possible), min(count, possible))
    return [f"{heads[one // len(tails)]} {tails[one % len(tails)]}" for one in drawn]


def prepare_linking(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Make an index of many names by `link`, embed a sample by the other way; then the search."""
    real, source = read_strings(settings.data, "phrases", 10**9)
    names = combine_names(real, settings.ontology_names, settings.seed)
    mentions = random.Random(settings.seed).sample(real, min(settings.mentions, len(real)))
    files = {
        key: folder / f"{key}.txt" for key in ("names", "mentions", "one", "sample", "warm_up")
    }
    rows = (f"{row}\t{name}\n" for row, name in enumerate(names))
    write_text(files["names"], "".join(rows))
    sample = names[: max(len(names) // 400, 1)]
    for key, strings in (("mentions", mentions), ("sample", sample), ("warm_up", sample[:100])):
        write_text(files[key], "".join(text + "\n" for text in strings))
    count = len(names)
    del names, sample, rows
    common = {"model": settings.model, "threads": settings.threads, "device": "cpu", "k": K}
    common |= {"scale": "linking", "index": folder / "index", "mentions": files["mentions"]}
    common |= {"queries": folder / "queries.npy", "found": folder / "brute_force.npz"}
    job = {key: common[key] for key in ("model", "threads", "device")} | {"seed": settings.seed}
    job |= {"strings": files["sample"], "warm_up": files["warm_up"], "batch_size": BATCH_SIZE}
    job |= {"way": TRAINER}
    theirs = run_job("encode, of a sample", job, "strings_per_second")
    # with one mention: names cannot be kept without
    write_text(files["one"], mentions[0] + "\n")
    common["mentions"] = files["one"]
    command = [*link_options(common, folder / "first.tsv"), "--names", files["names"]]
    _, made = run_module("index of names", LINK, command, settings.threads)
    common["mentions"] = files["mentions"]
    options = {"strings": files["mentions"], "output": common["queries"]} | CHOICES
    options |= {"model": settings.model, "threads": settings.threads, "device": "cpu"}
    run_module("mentions", "workflow_scripts.embed", words_of(options), settings.threads)
    rate = count / made["process_seconds"]
    told = {
        OURS: {
            "embedded": count,
            "names_per_second": rate,
            "names_per_processor_second": count / made["used_seconds"],
            "making_seconds": made["process_seconds"],
            "making_peak": made["peak_memory"],
        },
        TRAINER: {
            "embedded": theirs["strings"],
            "names_per_second": theirs["strings_per_second"],
            "names_per_processor_second": theirs["strings"] / theirs["processor_seconds"],
            "making_seconds": theirs["loop_seconds"],
            "making_peak": theirs["peak_memory"],
        },
    }
    about = {"source": source, "names": count, "mentions": len(mentions), "k": K}
    about |= {"index_size": sum(path.stat().st_size for path in (folder / "index").iterdir())}
    links = folder / "links.tsv"
    common |= {"links": links, "command": link_options(common, links)}
    return about, lambda way, run: common | {"told": told.get(way, {})}


def link_options(job: dict[str, Any], output: Path) -> list[object]:
    """Return the options of `link` for an index and mentions, in half precision on disk."""
    options = {"encoder": job["model"], "mentions": job["mentions"], "index": job["index"]}
    options |= {"k": job["k"], "threads": job["threads"], "output": output, "dtype": "float16"}
    options |= {"device": "cpu"} | CHOICES
    return words_of(options)


def prepare_wide(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Keep random vectors as an index keeps them; then names and vectors are searched alone."""
    job = {"scale": "wide", "folder": folder / "index", "threads": settings.threads, "k": K}
    job |= {"names": settings.ontology_names, "queries": settings.mentions, "width": WIDTH}
    job |= {"seed": settings.seed, "checked": CHECKED}
    made = run_job("index of random vectors", job | {"way": "making"}, "loop_seconds")
    told = {f"making_{key}": made[key] for key in ("processor_seconds", "peak_memory")}
    about = {"names": job["names"], "queries": job["queries"], "width": WIDTH, "checked": CHECKED}
    return about, lambda way, run: job | {"told": told}


def prepare_csls(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Make vectors of two languages: a spectrum that falls, half of the words translations."""
    count = max(int(SHARES[workload.task] * settings.vocabulary), 60)
    generator = np.random.default_rng(settings.seed)
    spectrum = np.arange(1, WORD_DIMENSION + 1, dtype=np.float32) ** -0.4

    def normal() -> np.ndarray:
        shape = (count, WORD_DIMENSION)
        return spectrum * generator.standard_normal(shape, dtype=np.float32)

    sources, noise = normal(), normal()
    targets = 0.7 * sources + 0.7 * noise
    targets[::2] = noise[::2]
    targets = targets[generator.permutation(count)]
    for name, vectors in (("sources", sources), ("targets", targets)):
        np.save(folder / f"{name}.npy", vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
    job = {"scale": "csls", "sources": folder / "sources.npy", "targets": folder / "targets.npy"}
    job |= {"threads": settings.threads, "k": K, "found": folder / "plain.npz"}
    return {"words": count, "k": K, "dimension": WORD_DIMENSION}, lambda way, run: job


LINKING_WAYS = {
    PLAIN: "brute force in float32, numpy",
    FAISS: "FAISS, flat index in memory",
    TRAINER: "sentence-transformers, semantic_search",
    SEARCH: "this project, the search alone",
    OURS: "this project, `link` as a command",
}
LINKING = Section("linking", LINKING_WAYS, prepare_linking, "processor_seconds")
WIDE = Section("linking", {OURS: "this project"}, prepare_wide, "processor_seconds")
CSLS_WAYS = {PLAIN: "the plain way", FAISS: "three FAISS passes", OURS: "this project"}
CSLS = Section("csls", CSLS_WAYS, prepare_csls, "processor_seconds")
SCALE_WORKLOADS = {
    "linking": Workload(LINKING, "names", None),
    "linking-wide": Workload(WIDE, "wide", None),
    **{f"csls-{share}": Workload(CSLS, share, None) for share in SHARES},
}
