"""The failed jobs of a run, one line each: which, why, and where its log is."""

import logging
import re
import sys
from pathlib import Path


class FailedJobs(logging.Handler):
    """Collects what Snakemake logs of jobs that fail, whatever it is told to show.

    What a cluster says of a job (killed for memory or time, cancelled) is shown at once; where the
    job's own command failed, the reason is the last line of its log.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[str, str] = {}
        # what the log of a group's cluster job says of each of its jobs
        self._group_logs: dict[str, list[str]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Take note of a job that failed or, at a later attempt, finished."""
        event = getattr(getattr(record, "event", None), "value", None)
        if event == "job_finished":
            self._lines.pop(str(record.job_id), None)
        elif event == "group_error":
            for job in record.job_error_info:
                self._group_logs[str(job["jobid"])] = [log for log in record.aux_logs if log]
        elif event == "job_error":
            job = str(record.jobid)
            logs = [*(log for log in record.log if log), *self._group_logs.pop(job, [])]
            said = _without_advice(record.rule_msg or "")
            killed = _killed(logs)
            if said and killed:
                said = f"{said} ({killed})"
            why = said or killed or last_line(logs) or "its command failed"
            place = record.output[0] if record.output else ""
            line = f"{record.rule_name} {place}: {why}"
            self._lines[job] = f"{line}; log: {', '.join(logs)}" if logs else line
            if said:
                print(f"failed: {self._lines[job]}", file=sys.stderr, flush=True)

    @property
    def lines(self) -> list[str]:
        """ "rule output: why; log: files" of each job that failed and did not finish later."""
        return list(self._lines.values())

    def watch(self) -> None:
        """Collect from now on what Snakemake logs in this process."""
        logging.getLogger("snakemake.logging").addHandler(self)


def _without_advice(message: str) -> str:
    """Return what a cluster said of a job, without what Snakemake says of every one."""
    message = re.sub(r"For further error details see .*", "", " ".join(message.split()))
    return message.replace("Reason: Unknown.", "").strip().rstrip(".")


def _killed(logs: list[str]) -> str:
    """Return what SLURM's daemon wrote into a log when it ended a job: memory or time."""
    for log in logs:
        if found := re.search(r"^slurmstepd\S*: error: (.*)$", _text(log), flags=re.MULTILINE):
            return found[1].strip(" *")
    return ""


def _text(log: str) -> str:
    try:
        return Path(log).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def last_line(logs: list[str]) -> str:
    """Return the last line of the first of some logs that says anything."""
    for log in logs:
        if said := [line.strip() for line in _text(log).splitlines() if line.strip()]:
            return said[-1]
    return ""
