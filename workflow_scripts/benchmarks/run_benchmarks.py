"""Time and memory of Mirror tuning and of embedding, against other ways to do the same.

One process a run; rounds in which every contender has its turn (A B C A B C ...), so that what else
the machine does falls on all of them. Writes every measurement to a tsv file and the report.
"""

import argparse
import tempfile
from pathlib import Path

from workflow_scripts.benchmarks.compare_quality import measure_quality
from workflow_scripts.benchmarks.contenders import TUNING_TASKS
from workflow_scripts.benchmarks.embedding_rounds import NAMES, measure_embedding
from workflow_scripts.benchmarks.report import save_report
from workflow_scripts.benchmarks.settings import Settings, add_common_arguments, read_settings
from workflow_scripts.benchmarks.tuning_rounds import measure_tuning
from workflow_scripts.errors import UserError, nearest_name, run_command

TASKS = (*TUNING_TASKS, NAMES)


def choose_tasks(text: str) -> list[str]:
    """Return the tasks of "words,names"; `UserError` for an unknown one."""
    tasks = [name.strip() for name in text.split(",")]
    for name in tasks:
        if name not in TASKS:
            raise UserError(f"--only {name}: no such benchmark; {nearest_name(name, TASKS)}")
    return tasks


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_common_arguments(parser)
    parser.add_argument("--only", default=",".join(TASKS), help="of %(default)s, by commas")
    parser.add_argument("--quality", action="store_true", help="the guard of quality as well")
    parser.add_argument("--steps", type=int, default=Settings.steps, help="timed in a run")
    parser.add_argument("--warmup-steps", type=int, default=Settings.warmup_steps)
    parser.add_argument("--names", type=int, default=Settings.names, help="to embed")
    arguments = parser.parse_args(argv)
    tasks, settings = choose_tasks(arguments.only), read_settings(arguments)
    # Saved task by task: what was measured stays if a later run fails.
    for task in tasks:
        with tempfile.TemporaryDirectory() as folder:
            measure = measure_embedding if task == NAMES else measure_tuning
            save_report(arguments.output, arguments.measures, measure(task, settings, Path(folder)))
    if arguments.quality:
        save_report(arguments.output, arguments.measures, measure_quality(settings))


if __name__ == "__main__":
    run_command(main)
