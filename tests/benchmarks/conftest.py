"""Fixtures of this folder: the tiny models, and children run inside the test's own process."""

import importlib
from collections.abc import Callable

import pytest
from children_inside import measure_inside, run_inside
from tiny_models import one_thread, tiny_bert

__all__ = ["one_thread", "tiny_bert"]


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that makes a module of rounds start no processes."""

    def patch(name: str) -> None:
        module = importlib.import_module(f"workflow_scripts.benchmarks.{name}")
        monkeypatch.setattr(module, "measure_module", measure_inside)
        if hasattr(module, "run_module"):
            monkeypatch.setattr(module, "run_module", run_inside)

    return patch
