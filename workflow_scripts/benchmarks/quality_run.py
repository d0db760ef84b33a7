"""One tuning and its score on STS-B dev, in a process of its own; prints its measures as JSON.

Not for users: `compare_quality` starts it. Both loops are scored by the same encoding.
"""

import argparse
import json
from pathlib import Path

from workflow_scripts.benchmarks.contenders import OURS, PLAIN
from workflow_scripts.benchmarks.stopwatch import Stopwatch
from workflow_scripts.datasets.read_suite import read_suite
from workflow_scripts.errors import run_command
from workflow_scripts.evaluate import DATASET_FILE, choose_datasets
from workflow_scripts.files import read_lines
from workflow_scripts.tuning.recipes import parse_recipe

DATASET = "stsb-dev"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contender", required=True, choices=(PLAIN, OURS))
    parser.add_argument("--model", required=True)
    parser.add_argument("--recipe", required=True, help="block of config as JSON")
    parser.add_argument("--strings", required=True, help="text file, one string a line")
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args(argv)
    recipe = parse_recipe("benchmark", json.loads(arguments.recipe))
    strings = read_lines(arguments.strings)
    scored, items = read_suite(arguments.data, choose_datasets(DATASET_FILE, DATASET))

    from workflow_scripts.embedding.encoder_folder import load_model
    from workflow_scripts.embedding.torch_setup import set_up_torch
    from workflow_scripts.scoring.development_set import DevelopmentSet
    from workflow_scripts.tuning.development_scores import make_score

    if arguments.contender == PLAIN:
        from workflow_scripts.benchmarks.plain_tuning import tune_plainly as tune
    else:
        from workflow_scripts.tuning.mirror_tuning import tune_model as tune

    loaded = load_model(arguments.model, set_up_torch(arguments.threads, "cpu"))
    stopwatch = Stopwatch()
    summary = tune(loaded, strings, recipe.mirror, recipe.pooling, arguments.seed)
    times = stopwatch.read()
    development = DevelopmentSet(DATASET, items[DATASET], scored)
    score = make_score(development, recipe.pooling, recipe.embed_max_length)
    print(
        json.dumps(
            {
                "seed": arguments.seed,
                "spearman": score(loaded),
                "steps": summary.steps,
                "last_loss": summary.last_loss,
                "loop_seconds": times.seconds,
            }
        )
    )


if __name__ == "__main__":
    run_command(main)
