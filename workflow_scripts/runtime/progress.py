"""What each job of a run is, one line as it starts: its rule, and model, recipe, corpus, ..."""

import sys
from typing import Any

from workflow_scripts.errors import printable
from workflow_scripts.runtime.snakemake_run import JobEvents, SnakemakeRun


class Progress(JobEvents):
    """Says what Snakemake, which is quiet about rules, calls a number: the jobs that start."""

    def hear(self, event: str, record: Any) -> None:
        if event != "job_info":
            return
        what = ", ".join(f"{name} {value}" for name, value in (record.wildcards or {}).items())
        line = f"job {record.jobid}, {record.rule_name}" + (f": {what}" if what else "")
        print(printable(line), file=sys.stderr, flush=True)

    def watch_if_quiet(self, run: SnakemakeRun) -> None:
        """Say so, unless Snakemake does it itself, or is to say less than that."""
        if "RULES" in run.quiet and not run.quiet & {"ALL", "PROGRESS"}:
            self.watch()
