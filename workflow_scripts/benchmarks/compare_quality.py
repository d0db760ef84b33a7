"""The guard of quality: STS-B dev after the project's tuning loop and after the plain one.

Same strings, settings and seeds; only the dropout masks differ, so the scores should not, beyond
what the seed alone does.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from workflow_scripts.benchmarks.benchmark_strings import read_strings, write_strings
from workflow_scripts.benchmarks.child_process import measure_module
from workflow_scripts.benchmarks.contenders import OURS, PLAIN
from workflow_scripts.benchmarks.machine import describe_machine
from workflow_scripts.benchmarks.measurements import ABOUT, Measurement, rows_of
from workflow_scripts.benchmarks.quality_run import DATASET
from workflow_scripts.benchmarks.report import save_report
from workflow_scripts.benchmarks.settings import (
    CONFIG,
    Settings,
    add_common_arguments,
    read_recipe,
    read_settings,
)
from workflow_scripts.errors import run_command

# The recipe as the embedded default has it: one that moves a model of this size.
RECIPE = "mirror-sentence"
# Welch's test needs two scores a side.
FEWEST_SEEDS = 2


def measure_quality(settings: Settings) -> list[Measurement]:
    """Return the score of each loop for `settings.runs` seeds, two at least."""
    section, task = "quality", DATASET
    recipe = read_recipe(RECIPE, settings, CONFIG)
    found = read_strings(settings.data, "sentences", settings.strings)
    seeds = range(settings.seed, settings.seed + max(settings.runs, FEWEST_SEEDS))
    rows = rows_of(
        section,
        task,
        ABOUT,
        0,
        {
            **describe_machine(),
            "model": settings.model.resolve().name,
            "threads": settings.threads,
            "source": found.source,
            "strings": len(found.strings),
            "recipe": RECIPE,
            "pooling": recipe["pooling"],
            "temperature": recipe["temperature"],
            "learning_rate": recipe["learning_rate"],
        },
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "strings.txt"
        write_strings(path, found.strings)
        for run, seed in enumerate(seeds, start=1):
            for contender in (PLAIN, OURS):
                what = f"quality, {contender}, seed {seed}"
                options = {
                    "--contender": contender,
                    "--model": settings.model,
                    "--recipe": json.dumps(recipe),
                    "--strings": path,
                    "--data": settings.data,
                    "--seed": seed,
                    "--threads": settings.threads,
                }
                measures = measure_module(
                    what, "workflow_scripts.benchmarks.quality_run", options, settings.threads
                )
                rows += rows_of(section, task, contender, run, measures)
                print(f"{what}: {measures['spearman']:.4f}", file=sys.stderr, flush=True)
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_common_arguments(parser)
    parser.add_argument("--strings", type=int, default=Settings.strings, help="to tune on")
    arguments = parser.parse_args(argv)
    save_report(arguments.output, arguments.measures, measure_quality(read_settings(arguments)))


if __name__ == "__main__":
    run_command(main)
