"""Tuning and embedding with a model of BERT-base's shape on a GPU: seconds and share of its peak.

The weights are random, which serves for speed; vocabulary and tokenizer are those of `--model`.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from workflow_scripts.benchmarks.benchmark_strings import (
    draw_strings,
    read_strings,
    write_strings,
)
from workflow_scripts.benchmarks.child_process import measure_module
from workflow_scripts.benchmarks.contenders import OURS, TUNING_TASKS
from workflow_scripts.benchmarks.machine import describe_machine
from workflow_scripts.benchmarks.measurements import ABOUT, Measurement, rows_of
from workflow_scripts.benchmarks.report import save_report
from workflow_scripts.benchmarks.settings import (
    Settings,
    add_common_arguments,
    read_recipe,
    read_settings,
)
from workflow_scripts.errors import UserError, run_command

# Dense bfloat16 FLOP/s by makers' data sheets (float16 where a device has no bfloat16 units); the
# first name that a device's name holds counts.
PEAKS = {
    "H100 PCIe": 756e12,
    "H100": 989e12,
    "H200": 989e12,
    "A100": 312e12,
    "A10G": 70e12,
    "A10": 125e12,
    "L40S": 362e12,
    "L4": 121e12,
    "V100": 125e12,
    "T4": 65e12,
}
NAMES = 1_000_000
TASKS = ("sentences", "words", "names")
BERT_BASE: dict[str, int] = {
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
}


def peak_of(device: str) -> float | None:
    """Return the dense bfloat16 FLOP/s of a device by its name, None for an unknown one."""
    return next((peak for name, peak in PEAKS.items() if name in device), None)


def make_random_model(source: Path, folder: Path, shape: dict[str, int], seed: int) -> None:
    """Save a BERT of a shape with random weights and the tokenizer of the model in `source`."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True)
    torch.manual_seed(seed)
    config = BertConfig(**shape, vocab_size=len(tokenizer), pad_token_id=tokenizer.pad_token_id)
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def measure_gpu(
    settings: Settings,
    folder: Path,
    names: int = NAMES,
    shape: dict[str, int] = BERT_BASE,
    peak: float | None = None,
    device: str = "cuda",
) -> list[Measurement]:
    """Return the measurements of all tasks; `folder` takes model and strings."""
    model = folder / "model"
    make_random_model(settings.model, model, shape, settings.seed)
    options: dict[str, dict[str, Any]] = {"names": {"--names": names}}
    sources = {"names": f"{names} made-up names"}
    for task in ("sentences", "words"):
        # `precision: auto`, and so mixed precision on a GPU: what a user gets
        recipe = {**read_recipe(TUNING_TASKS[task], settings), "precision": "auto"}
        found = read_strings(settings.data, task, settings.strings)
        strings = draw_strings(found.strings, settings.strings, settings.seed)
        path = folder / f"{task}.txt"
        write_strings(path, strings)
        options[task] = {"--recipe": json.dumps(recipe), "--strings": path}
        sources[task] = found.source
    common = {
        "--model": model,
        "--seed": settings.seed,
        "--threads": settings.threads,
        "--device": device,
    }
    rows: list[Measurement] = []
    for run in range(1, settings.runs + 1):
        for task in TASKS:
            what = f"GPU, {task}, run {run}"
            measures = measure_module(
                what,
                "workflow_scripts.benchmarks.gpu_run",
                {**common, **options[task]},
                settings.threads,
            )
            name = measures.pop("device")
            best = peak or peak_of(name)
            if best is not None:
                measures["share_of_peak"] = measures["flops_per_second"] / best
            if run == 1:
                about = {**describe_machine(), "device": name, "source": sources[task]}
                about["peak"] = "unknown" if best is None else f"{best:.4g}"
                rows += rows_of("gpu", task, ABOUT, 0, about)
            rows += rows_of("gpu", task, OURS, run, measures)
            seconds = measures["loop_seconds"]
            print(f"{what}: {seconds:.2f} s", file=sys.stderr, flush=True)
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_common_arguments(parser)
    parser.add_argument("--names", type=int, default=NAMES, help="to embed")
    parser.add_argument("--peak", type=float, help="FLOP/s of the device, where it is not known")
    arguments = parser.parse_args(argv)
    settings = read_settings(arguments)

    # Only now: torch takes seconds, which bad arguments should not wait for.
    import torch

    if not torch.cuda.is_available():
        raise UserError("no CUDA device here, so there is nothing to measure; use make bench")
    with tempfile.TemporaryDirectory() as folder:
        rows = measure_gpu(settings, Path(folder), settings.names, peak=arguments.peak)
    save_report(arguments.output, arguments.measures, rows)


if __name__ == "__main__":
    run_command(main)
