"""What a run would hand to a cluster: of each submission its rules, resources and command.

A dry run knows no groups. Here Snakemake plans with the executor of its profile and stops before it
submits.

    python tests/support/planned_submissions.py WORDS...   # prints a line of JSON for each
"""

import json
import sys
from collections import Counter
from typing import Any

from snakemake import cli
from snakemake.scheduling.job_scheduler import JobScheduler

PREFIX = "submission "


def show_submissions(scheduler: Any) -> bool:
    """Print what a scheduler would submit, instead of doing so."""
    dag = scheduler.workflow.dag
    for job in dag.get_jobs_or_groups():
        members = list(job.jobs) if job.is_group() else [job]
        if job.is_local or not all(map(dag.needrun, members)):
            continue
        resources = {key: value for key, value in job.resources.items() if isinstance(value, int)}
        rules = Counter(member.rule.name for member in members)
        print(PREFIX + json.dumps({"rules": rules, "command": _command(job), **resources}))
    return True


def _command(job: Any) -> str:
    """Return what the executor plugin for SLURM would call."""
    from snakemake_executor_plugin_slurm.submit_string import get_submit_command
    from snakemake_executor_plugin_slurm.utils import set_gres_string

    of_the_run = ("run_uuid", "slurm_logfile", "comment_str", "account", "partition", "workdir")
    return get_submit_command(job, dict.fromkeys(of_the_run, "")) + set_gres_string(job)


if __name__ == "__main__":
    JobScheduler.schedule = show_submissions
    sys.argv = ["snakemake", "--no-hooks", *sys.argv[1:]]
    cli.main()
