"""The rounds of tuning: every way to tune, in turn, on the same strings."""

import json
import sys
from pathlib import Path

from workflow_scripts.benchmarks.benchmark_strings import (
    draw_strings,
    read_strings,
    write_strings,
)
from workflow_scripts.benchmarks.child_process import measure_module
from workflow_scripts.benchmarks.contenders import TUNING_CONTENDERS, TUNING_TASKS
from workflow_scripts.benchmarks.machine import describe_machine
from workflow_scripts.benchmarks.measurements import ABOUT, Measurement, rows_of
from workflow_scripts.benchmarks.settings import Settings, read_recipe


def measure_tuning(task: str, settings: Settings, folder: Path) -> list[Measurement]:
    """Return the measurements of all ways to tune on the strings of one task.

    `folder` takes the strings. The warm-up has strings of its own, then `settings.steps` batches
    are timed, each string once: the same ones in every run.
    """
    recipe = read_recipe(TUNING_TASKS[task], settings)
    found = read_strings(settings.data, task, settings.strings)
    warmup = settings.warmup_steps * settings.batch_size
    timed = settings.steps * settings.batch_size
    path = folder / f"{task}.txt"
    write_strings(path, draw_strings(found.strings, warmup + timed, settings.seed))
    about = {
        **describe_machine(),
        "model": settings.model.resolve().name,
        "threads": settings.threads,
        "source": found.source,
        "available": len(found.strings),
        "recipe": TUNING_TASKS[task],
        "max_length": recipe["max_length"],
        "batch_size": settings.batch_size,
    }
    rows = rows_of("tuning", task, ABOUT, 0, about)
    for run in range(1, settings.runs + 1):
        for contender in TUNING_CONTENDERS:
            what = f"tuning, {task}, {contender}, run {run}"
            options = {
                "--contender": contender,
                "--model": settings.model,
                "--recipe": json.dumps(recipe),
                "--strings": path,
                "--warmup-strings": warmup,
                "--seed": settings.seed,
                "--threads": settings.threads,
            }
            measures = measure_module(
                what, "workflow_scripts.benchmarks.tuning_run", options, settings.threads
            )
            rows += rows_of("tuning", task, contender, run, measures)
            seconds, memory = measures["seconds_per_step"], measures["peak_memory"] / 2**20
            print(f"{what}: {seconds:.3f} s a step, {memory:.0f} MiB", file=sys.stderr, flush=True)
    return rows
