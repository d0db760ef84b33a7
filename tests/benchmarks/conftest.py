"""Fixtures of this folder: the tiny models, and runs inside the test's own process."""

import contextlib
import importlib
import io
import json

import pytest
from tiny_models import one_thread, tiny_bert

from workflow_scripts.benchmarks import probe_workloads, run_benchmarks, workloads

__all__ = ["one_thread", "tiny_bert"]


def run_inside(what, module, arguments, threads):
    """Run the main of a module in this process, for imports take seconds; return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(module).main([*map(str, arguments)])
    return printed.getvalue()


def job_inside(what, job, shown):
    """As `run_job`, with made-up memory."""
    arguments = [json.dumps(job, default=str)]
    printed = run_inside(what, "workflow_scripts.benchmarks.timed_run", arguments, 1)
    made_up = {"process_seconds": 1.0, "peak_memory": 2**20, "memory_growth": 2**19}
    return json.loads(printed.splitlines()[-1]) | made_up


@pytest.fixture
def inside(monkeypatch):
    """Let the benchmarks start no processes."""
    for module in (workloads, probe_workloads):
        monkeypatch.setattr(module, "run_module", run_inside)
    for module in (workloads, run_benchmarks):
        monkeypatch.setattr(module, "run_job", job_inside)
