"""What each job of a run is, one line as it starts: its rule, and model, recipe, corpus, ..."""

import logging
import sys
from typing import Any


class Progress(logging.Handler):
    """Says what Snakemake, which is quiet about rules, calls a number: the jobs that start."""

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(getattr(record, "event", None), "value", None) != "job_info":
            return
        what = ", ".join(f"{name} {value}" for name, value in (record.wildcards or {}).items())
        line = f"job {record.jobid}, {record.rule_name}" + (f": {what}" if what else "")
        print(line, file=sys.stderr, flush=True)

    def watch(self, workflow: Any) -> None:
        """Say so, unless Snakemake does it itself, or is to say less than that."""
        quiet = {one.name for one in workflow.output_settings.quiet or ()}
        if "RULES" in quiet and not quiet & {"ALL", "PROGRESS"}:
            logging.getLogger("snakemake.logging").addHandler(self)
