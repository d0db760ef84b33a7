"""The failed jobs of a run, one line each: which, why, and where its log is."""

import re
import sys
from pathlib import Path
from typing import Any

from workflow_scripts.errors import printable


class FailedJobs:
    """Collects what Snakemake logs of jobs that fail; what a cluster says of one is shown at once.

    Where a job's own command failed, the reason is the last line of its log.
    """

    def __init__(self) -> None:
        self._lines: dict[str, str] = {}
        # what the log of a group's cluster job says of each of its jobs
        self._group_logs: dict[str, list[str]] = {}

    def hear(self, event: str, record: Any) -> None:
        """Take an event of a job, as `SnakemakeRun.watch` hands it on."""
        if event == "job_finished":
            self._lines.pop(str(record.job_id), None)
        elif event == "group_error":
            for job in record.job_error_info:
                self._group_logs[str(job["jobid"])] = [log for log in record.aux_logs if log]
        elif event == "job_error":
            job = str(record.jobid)
            logs = [*(log for log in record.log if log), *self._group_logs.pop(job, [])]
            # what a cluster said of the job, without what Snakemake says of every one
            message = " ".join((record.rule_msg or "").split()).partition("For further error")[0]
            message = message.replace("Reason: Unknown.", "").strip().rstrip(".")
            killed = _killed(logs)
            message = f"{message} ({killed})" if message and killed else message or killed
            why = message or _last_line(logs) or "its command failed"
            line = f"{record.rule_name} {''.join((record.output or [])[:1])}: {why}"
            self._lines[job] = printable(f"{line}; log: {', '.join(logs)}" if logs else line)
            if message:
                print(f"failed: {self._lines[job]}", file=sys.stderr, flush=True)

    @property
    def lines(self) -> list[str]:
        """ "rule output: why; log: files" of each job that failed and did not finish later."""
        return list(self._lines.values())


def _killed(logs: list[str]) -> str:
    # what SLURM's daemon writes when it ends a job: memory or time
    texts = "\n".join(map(_text, logs))
    match = re.search(r"^slurmstepd\S*: error: (.*)$", texts, flags=re.MULTILINE)
    return match[1].strip(" *") if match else ""


def _last_line(logs: list[str]) -> str:
    for log in logs:
        # behind the command, and the comments on what it runs with
        for line in reversed(_text(log).splitlines()[1:]):
            if (text := line.strip()) and not text.startswith("#"):
                return text
    return ""


def _text(log: str) -> str:
    try:
        return Path(log).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
