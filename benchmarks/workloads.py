"""What is measured: named workloads, each with the ways that take turns at it.

A workload is a line of `WORKLOADS`, prepared by its section; a way is an entry of the section's
ways, a branch of timed_run.py and shown by report_parts.py. Nothing here imports torch but for
random weights, which come last: the memory of this process counts as that of its children.
"""

import json
import random
from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.benchmark_strings import (
    read_neighbours,
    read_strings,
    read_sts_pairs,
    texts_of,
)
from benchmarks.child_process import run_job, run_module, words_of
from benchmarks.probe_workloads import SETS, prepare_probes
from benchmarks.scale_workloads import SCALE_WORKLOADS
from benchmarks.sections import (
    BEST,
    ONE,
    OURS,
    OURS_INT8,
    OURS_ONNX,
    PLAIN,
    RATE,
    TRAINER,
    Prepared,
    Section,
    Workload,
)
from benchmarks.settings import Settings
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text
from workflow_scripts.tuning.methods.register import read_recipe_blocks

CONFIG = Path(__file__).resolve().parents[1] / "config"
TUNING_WAYS = {PLAIN: "the authors' way", TRAINER: TRAINER, OURS: "this project"}
CMLM_WAYS = {PLAIN: "the plain way", TRAINER: "sentence-transformers, TSDAE", OURS: "this project"}
EMBEDDING_WAYS = {
    TRAINER: "sentence-transformers, as it comes",
    BEST: "sentence-transformers, its best batch size",
    OURS: "this project",
    OURS_ONNX: "this project, ONNX",
    OURS_INT8: "this project, ONNX int8",
}
# Dense bfloat16 TFLOP/s by makers' data sheets (float16 where a device has no bfloat16 units); the
# first name that a device's name holds counts.
PEAKS = {"H100 PCIe": 756, "H100": 989, "H200": 989, "A100": 312, "A10G": 70, "A10": 125}
PEAKS |= {"L40S": 362, "L4": 121, "V100": 125, "T4": 65}
# With a model of BERT-base's shape a step takes seconds.
FEW = {"batch_size": 64, "steps": 2, "warmup_steps": 1}
# By the most tokens of a sequence: sentences that are joined to one, pairs in a step.
JOINED, PAIRS = {"64": 1, "128": 4}, 64
# Real tokens of a made-up name, of them the marks at both ends.
NAME_TOKENS, MARKS = 8, 2
# Strings to warm up on in embedding, and the share of the names that each batch size is tried on.
WARM_UP, TRIED = 100, 5


def read_block(name: str, batch_size: int, bundled: bool = False) -> dict[str, Any]:
    """Return the block of a recipe in float32; `bundled` overrides it with the default run's."""
    block = dict(read_recipe_blocks(CONFIG / "recipes.yaml")[name])
    if bundled:
        block |= read_recipe_blocks(CONFIG / "config.yaml").get(name, {})
    return block | {"batch_size": batch_size, "precision": "float32"}


def draw_strings(strings: list[str], count: int, seed: int) -> list[str]:
    """Return `count` of the strings at random, all again and again where there are fewer."""
    order = list(strings)
    random.Random(seed).shuffle(order)
    return list(islice(cycle(order), count))


def write_strings(path: Path, strings: list[str]) -> Path:
    """Write the strings, one a line; return the path."""
    write_text(path, "".join(text + "\n" for text in strings))
    return path


def prepare_tuning(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Tune by each way for some steps on the same strings, after a warm-up on others."""
    block = read_block(workload.recipe, settings.batch_size)
    found, source = read_strings(settings.data, workload.task, settings.strings)
    return _steps_on(found, source, block, settings, folder)


def prepare_cmlm(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """The same with pairs of neighbours, each a document of two lines."""
    block = read_block(workload.recipe, min(PAIRS, settings.batch_size))
    block["max_length"] = int(workload.task)
    found, source = read_neighbours(settings.data, JOINED[workload.task], settings.strings)
    return _steps_on(found, source, block, settings, folder)


def _steps_on(
    found: list[str], source: str, block: dict[str, Any], settings: Settings, folder: Path
) -> Prepared:
    warm_up = settings.warmup_steps * block["batch_size"]
    count = warm_up + settings.steps * block["batch_size"]
    drawn = draw_strings(found, count, settings.seed)
    job = _common(settings) | {
        "recipe": block | {"epochs": 1},
        "warm_up": write_strings(folder / "warm_up.txt", drawn[:warm_up]),
        "strings": write_strings(folder / "strings.txt", drawn[warm_up:]),
    }
    about = {"source": source, "available": len(found)}
    about |= {key: block[key] for key in ("max_length", "batch_size")}
    return about, lambda way, run: job


def prepare_threads(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Tune with one thread and with all; the task names the model and the load."""
    if workload.task.startswith("base"):
        few = {key: min(most, getattr(settings, key)) for key, most in FEW.items()}
        settings = replace(settings, **few, model=_make_random_model(settings, folder)[0])
    about, job_of = prepare_tuning(replace(workload, task="sentences"), settings, folder)
    busy = {"busy": 2 if workload.task.endswith("busy") else 0}
    return about, lambda way, run: job_of(way, run) | busy | ({"threads": 1} if way == ONE else {})


def prepare_embedding(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Embed names by each way, the best batch size found on a part of them; compare the vectors."""
    names, source = read_strings(settings.data, "phrases", settings.names)
    common = _common(settings) | {
        "model": _make_encoder(workload.recipe, settings, names, folder),
        "warm_up": write_strings(folder / "warm_up.txt", names[:WARM_UP]),
    }
    few = write_strings(folder / "few.txt", names[: max(len(names) // TRIED, 1)])
    rates = {}
    for size in settings.encode_batch_sizes:
        job = common | {"way": BEST, "strings": few, "batch_size": size}
        rates[size] = run_job(f"embedding, batch size {size}", job, RATE)[RATE]
    best = max(rates, key=lambda size: rates[size])
    strings = write_strings(folder / "strings.txt", names)
    about = {"source": source, "strings": len(names), "best_batch_size": best}
    about |= {f"{RATE}_of_batch_size_{size}": rate for size, rate in rates.items()}

    def job_of(way: str, run: int) -> dict[str, Any]:
        job = common | {"strings": strings, "vectors": folder / f"{way}.npy"}
        job |= {"like": folder / f"{TRAINER}.npy"} if way != TRAINER else {}
        return job | ({"batch_size": best} if way == BEST else {})

    return about, job_of


def prepare_sts(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Embed the test pairs of STS-B by one encoder in all its forms, and score them."""
    sentences, _ = read_strings(settings.data, "sentences", settings.strings)
    pairs = texts_of(read_sts_pairs(settings.data, "test"))
    job = _common(settings) | {
        "model": _make_encoder(workload.recipe, settings, sentences, folder),
        "warm_up": write_strings(folder / "warm_up.txt", sentences[:WARM_UP]),
        "strings": write_strings(folder / "strings.txt", pairs),
        **{"score": settings.data, "split": "test"},
    }
    return {"pairs": len(pairs) // 2}, lambda way, run: job


def _make_encoder(recipe: str, settings: Settings, strings: list[str], folder: Path) -> Path:
    """Tune by the command, with the settings of the default run; add ONNX files."""
    block = read_block(recipe, settings.batch_size, bundled=True)
    corpus = write_strings(folder / f"{recipe}.txt", strings[: settings.strings])
    options = _common(settings) | {"corpus": corpus, "recipe": recipe, "output": folder / recipe}
    arguments = words_of(options)
    for key, value in block.items():
        arguments += ["--set", f"{key}={json.dumps(value)}"] * (key != "method")
    run_module(f"tuning by {recipe}", "workflow_scripts.tune", arguments, settings.threads)
    arguments = ["--encoder", folder / recipe, "--int8"]
    run_module("export to ONNX", "workflow_scripts.export_onnx", arguments, settings.threads)
    return folder / recipe


def prepare_quality(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Tune by either loop and score it: same strings, settings and seeds, other dropout masks."""
    block = read_block(workload.recipe, settings.batch_size, bundled=True)
    strings, source = read_strings(settings.data, "sentences", settings.strings)
    path = write_strings(folder / "strings.txt", strings)
    job = _common(settings) | {"recipe": block, "strings": path}
    job |= {"score": settings.data, "split": "dev"}
    about = {"source": source, "strings": len(strings)}
    about |= {key: block[key] for key in ("pooling", "temperature", "learning_rate")}
    return about, lambda way, run: job | {"seed": settings.seed + run - 1}


def prepare_gpu(workload: Workload, settings: Settings, folder: Path) -> Prepared:
    """Tune, or embed made-up names, with a model of BERT-base's shape and random weights."""
    # Only now: torch takes seconds and memory, which the workloads on a CPU have no use for.
    import torch

    if settings.device == "cuda" and not torch.cuda.is_available():
        raise UserError(
            "--gpu", "no CUDA device here, so there is nothing to measure", "use make bench"
        )
    device = torch.cuda.get_device_name() if settings.device == "cuda" else "CPU"
    peak = settings.peak or peak_of(device)
    model, tokenizer, parameters = _make_random_model(settings, folder)
    if workload.recipe:
        # `precision: auto`, and so mixed precision on a GPU: what a user gets
        block = read_block(workload.recipe, settings.batch_size) | {"precision": "auto"}
        if workload.task == "cmlm":
            block["max_length"] = min(128, settings.shape["max_position_embeddings"])
            found, source = read_neighbours(settings.data, JOINED["128"], settings.strings)
        else:
            found, source = read_strings(settings.data, workload.task, settings.strings)
        strings = draw_strings(found, settings.strings, settings.seed)
        # FLOPs for each token and weight: a multiplication and an addition, twice as many backward
        warm_up, flops = strings[: 3 * settings.batch_size], 6
        choices: dict[str, Any] = {"recipe": block}
    else:
        strings = make_names(tokenizer, settings.gpu_names, settings.seed)
        source = f"{len(strings)} made-up names"
        warm_up, flops = strings[: len(strings) // 10], 2
        tokens = NAME_TOKENS * len(strings)
        choices = {"pooling": "cls", "max_length": 25, "precision": "auto", "tokens": tokens}
    job = {
        **{**_common(settings), **choices, "model": model, "device": settings.device},
        "warm_up": write_strings(folder / "warm_up.txt", warm_up),
        "strings": write_strings(folder / "strings.txt", strings),
        **{"flops_per_token": flops * parameters, "peak": peak},
    }
    about = {"source": source, "device": device, "parameters": parameters}
    about["peak"] = "unknown" if peak is None else f"{peak:.4g}"
    return about, lambda way, run: job


def peak_of(device: str) -> float | None:
    """Return the dense bfloat16 FLOP/s of a device by its name, None for an unknown one."""
    return next((1e12 * peak for name, peak in PEAKS.items() if name in device), None)


def _make_random_model(settings: Settings, folder: Path) -> tuple[Path, Any, int]:
    """Return folder, tokenizer and number of weights (not embeddings) of a random BERT."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(settings.model, local_files_only=True)
    torch.manual_seed(settings.seed)
    sizes = {"vocab_size": len(tokenizer), "pad_token_id": tokenizer.pad_token_id}
    model = BertModel(BertConfig(**settings.shape, **sizes), add_pooling_layer=False)
    model.save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    embedded = (part for part in model.modules() if isinstance(part, torch.nn.Embedding))
    looked_up = sum(part.weight.numel() for part in embedded)
    return folder / "model", tokenizer, model.num_parameters() - looked_up


def make_names(tokenizer: Any, count: int, seed: int) -> list[str]:
    """Return `count` strings of words that are one token each, 8 tokens with the marks."""
    generator = random.Random(seed)
    words = [word for word in sorted(tokenizer.get_vocab()) if word.isascii() and word.isalpha()]
    names = [" ".join(generator.choices(words, k=NAME_TOKENS - MARKS)) for _ in range(count)]
    lengths = {len(ids) for ids in tokenizer(names[:1000])["input_ids"]}
    if lengths != {NAME_TOKENS}:
        problem = f"names of its vocabulary have {sorted(lengths)} tokens, not 8"
        raise UserError("--model", problem, "give another")
    return names


def _common(settings: Settings) -> dict[str, Any]:
    return {key: getattr(settings, key) for key in ("model", "seed", "threads")} | {"device": "cpu"}


OUR_FORMS = {way: EMBEDDING_WAYS[way] for way in (OURS, OURS_ONNX, OURS_INT8)}
BOTH = {way: TUNING_WAYS[way] for way in (PLAIN, OURS)}
TUNING = Section("tuning", TUNING_WAYS, prepare_tuning, "seconds_per_step")
CMLM = Section("cmlm", CMLM_WAYS, prepare_cmlm, "seconds_per_step")
EMBEDDING = Section("embedding", EMBEDDING_WAYS, prepare_embedding, RATE)
FORMS = Section("embedding", OUR_FORMS, prepare_sts, "spearman")
# Welch's test needs two scores a side.
QUALITY = Section("quality", BOTH, prepare_quality, "spearman", fewest_runs=2)
THREADED = {ONE: "one thread", OURS: "all threads"}
THREADS = Section("threads", THREADED, prepare_threads, "seconds_per_step")
GPU = Section("gpu", {OURS: TUNING_WAYS[OURS]}, prepare_gpu, "loop_seconds")
PROBE_WAYS = {PLAIN: "one fit at a time", OURS: TUNING_WAYS[OURS]}
SENTEVAL = Section("senteval", PROBE_WAYS, prepare_probes, "processor_seconds")
WORKLOADS = {
    "words": Workload(TUNING, "words", "mirror-word"),
    "phrases": Workload(TUNING, "phrases", "mirror-phrase"),
    "sentences": Workload(TUNING, "sentences", "mirror-sentence-cls"),
    "cmlm": Workload(CMLM, "64", "cmlm-small"),
    "cmlm-128": Workload(CMLM, "128", "cmlm-small"),
    "names": Workload(EMBEDDING, "names", "mirror-phrase"),
    "stsb": Workload(FORMS, "stsb", "mirror-sentence"),
    "threads": Workload(THREADS, "mini", "mirror-sentence-cls"),
    "threads-busy": Workload(THREADS, "mini-busy", "mirror-sentence-cls"),
    "threads-base": Workload(THREADS, "base", "mirror-sentence-cls"),
    "threads-base-busy": Workload(THREADS, "base-busy", "mirror-sentence-cls"),
    "quality": Workload(QUALITY, "stsb-dev", "mirror-sentence"),
    "gpu-sentences": Workload(GPU, "sentences", "mirror-sentence-cls"),
    "gpu-words": Workload(GPU, "words", "mirror-word"),
    "gpu-cmlm": Workload(GPU, "cmlm", "cmlm-small"),
    "gpu-names": Workload(GPU, "names", recipe=None),
    **{f"senteval-{name}": Workload(SENTEVAL, name, "base-mp") for name in SETS},
    **SCALE_WORKLOADS,
}
