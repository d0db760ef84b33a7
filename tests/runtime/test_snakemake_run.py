"""How runs of Snakemake are changed."""

import inspect
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from workflow_scripts.runtime.snakemake_run import SnakemakeRun


@pytest.mark.parametrize("is_local", [True, False])
def test_jobs_on_this_machine_start_without_a_limit_on_their_rate(is_local):
    scheduler = SimpleNamespace(job_rate_limiter="100/1s")
    workflow = SimpleNamespace(local_exec=is_local, scheduler=scheduler, modifier=None)
    SnakemakeRun(workflow).start_jobs_at_once()
    assert scheduler.job_rate_limiter == (None if is_local else "100/1s")


def test_snakemake_still_reads_the_attribute_that_holds_its_limit():
    """Else setting it would lift nothing."""
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler)
