"""Fixtures of this folder: the tiny models, and runs inside the test's own process."""

import contextlib
import importlib
import io
import json

import pytest
from tiny_models import one_thread, tiny_bert

from benchmarks import (
    probe_workloads,
    run_benchmarks,
    scale_measures,
    scale_workloads,
    workloads,
)

__all__ = ["one_thread", "tiny_bert"]


def run_inside(what, module, arguments, threads):
    """As `run_module` in this process, for imports take seconds; seconds and memory are made up."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(module).main([*map(str, arguments)])
    made_up = {"process_seconds": 1.0, "used_seconds": 1.0, "peak_memory": 2**20}
    return printed.getvalue().splitlines(), made_up


def job_inside(what, job, shown):
    """As `run_job`, with made-up memory."""
    arguments = [json.dumps(job, default=str)]
    printed, made_up = run_inside(what, "benchmarks.timed_run", arguments, 1)
    return json.loads(printed[-1]) | made_up | {"memory_growth": 2**19}


@pytest.fixture
def inside(monkeypatch):
    """Let the benchmarks start no processes."""
    for module in (workloads, probe_workloads, scale_workloads, scale_measures):
        monkeypatch.setattr(module, "run_module", run_inside)
    for module in (workloads, run_benchmarks, scale_workloads):
        monkeypatch.setattr(module, "run_job", job_inside)
