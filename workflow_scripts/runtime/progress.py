"""What each job of a run is, one line as it starts: its rule, and model, recipe, corpus, ..."""

import sys
from typing import Any

from workflow_scripts.errors import printable
from workflow_scripts.runtime.snakemake_run import SnakemakeRun


def print_starts(run: SnakemakeRun) -> None:
    """Print a line for each job that starts, if Snakemake is quiet about rules and shows a number.

    Nothing is printed if Snakemake prints jobs itself, or if `--quiet` asks for even less.
    """

    def hear(event: str, record: Any) -> None:
        if event == "job_info":
            what = ", ".join(f"{name} {value}" for name, value in (record.wildcards or {}).items())
            line = f"job {record.jobid}, {record.rule_name}" + (f": {what}" if what else "")
            print(printable(line), file=sys.stderr, flush=True)

    if "RULES" in run.quiet and not run.quiet & {"ALL", "PROGRESS"}:
        run.watch(hear)
