"""How runs of Snakemake are changed."""

import inspect
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from workflow_scripts.runtime.snakemake_run import SnakemakeRun


@pytest.mark.parametrize("is_local", [True, False])
def test_jobs_on_this_machine_are_started_without_a_limit_in_a_time(is_local):
    scheduler = SimpleNamespace(job_rate_limiter="100/1s")
    workflow = SimpleNamespace(local_exec=is_local, scheduler=scheduler, modifier=None)
    SnakemakeRun(workflow).start_jobs_at_once()
    assert scheduler.job_rate_limiter == (None if is_local else "100/1s")


def test_snakemake_keeps_its_limit_where_it_is_taken_away():
    """Or a run would wait at its end for nothing."""
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler)
