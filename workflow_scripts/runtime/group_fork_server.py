"""The fork server of a group of jobs, on its node of a cluster."""

from typing import Any

from workflow_scripts.runtime.fork_server import start_fork_server
from workflow_scripts.runtime.snakemake_run import JobEvents, SnakemakeRun


class GroupForkServer(JobEvents):
    """Starts it with the first job of the group: Snakemake calls no `onstart` there."""

    def __init__(self, run: SnakemakeRun) -> None:
        super().__init__()
        self._run = run

    def hear(self, event: str, record: Any) -> None:
        if event == "job_info" and self._run.is_group:
            # nothing where there is one
            start_fork_server(self._run)
