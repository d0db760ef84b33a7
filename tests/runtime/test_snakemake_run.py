"""Snakemake's objects, which change with its version, are used in few places."""

import ast
import inspect
import re
from types import SimpleNamespace

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from workflow_scripts.runtime.snakemake_run import SnakemakeRun

OWN = {"snakemake_run.py", "results_records.py", "slurm_patches.py"}


def test_snakemake_is_imported_in_its_adapters_alone(project):
    found = set()
    for file in sorted((project / "workflow_scripts").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            if any(re.match(r"snakemake(\W|_executor|_interface|$)", name) for name in names):
                found.add(file.name)
    assert found == OWN


def test_the_snakefile_hands_its_workflow_to_the_adapter_alone(project):
    for file in [project / "Snakefile", *(project / "rules").glob("*.smk")]:
        lines = file.read_text(encoding="utf-8").splitlines()
        uses = [line for line in lines if re.search(r"\bworkflow\b(?!_)[.,)]", line)]
        assert uses == (["run = SnakemakeRun(workflow)"] if file.name == "Snakefile" else [])


@pytest.mark.parametrize("is_local", [True, False])
def test_jobs_on_this_machine_are_started_without_a_limit_in_a_time(is_local):
    scheduler = SimpleNamespace(job_rate_limiter="100/1s")
    workflow = SimpleNamespace(local_exec=is_local, scheduler=scheduler, modifier=None)
    SnakemakeRun(workflow).start_jobs_at_once()
    assert scheduler.job_rate_limiter == (None if is_local else "100/1s")


def test_snakemake_keeps_its_limit_where_it_is_taken_away():
    """Or a run would wait at its end for nothing."""
    assert "self.job_rate_limiter is None" in inspect.getsource(JobScheduler)
