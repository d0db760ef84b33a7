"""Fixtures of this folder: the tiny models, and children run inside the test's own process."""

import contextlib
import importlib
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tiny_models import one_thread, tiny_bert

from workflow_scripts.benchmarks.child_process import as_arguments

__all__ = ["one_thread", "tiny_bert"]


def run_inside(what: str, module: str, options: Mapping[str, object], threads: int) -> str:
    """Run the main of a module and return what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(module).main(as_arguments(options))
    return printed.getvalue()


def measure_inside(
    what: str, module: str, options: Mapping[str, object], threads: int
) -> dict[str, Any]:
    """As `measure_module`, with made-up memory, in this process: imports take seconds."""
    measures = json.loads(run_inside(what, module, options, threads).splitlines()[-1])
    return {**measures, "process_seconds": 1.0, "peak_memory": 2**20, "memory_growth": 2**19}


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that makes a module of rounds start no processes."""

    def patch(name: str) -> None:
        module = importlib.import_module(f"workflow_scripts.benchmarks.{name}")
        monkeypatch.setattr(module, "measure_module", measure_inside)
        if hasattr(module, "run_module"):
            monkeypatch.setattr(module, "run_module", run_inside)

    return patch
