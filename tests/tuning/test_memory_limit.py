"""How much memory a process may take, according to the kernel's files."""

import numpy as np
import psutil
import pytest

from workflow_scripts.tuning.memory import memory_limit, resident_memory


@pytest.fixture
def of_groups(tmp_path, monkeypatch):
    """A function that returns the limit in a control group /job/step, for the limits passed."""
    monkeypatch.delenv("STEP_MEMORY_MB", raising=False)

    def limit_of(**limits):
        (tmp_path / "groups").write_text("0::/job/step\n")
        (tmp_path / "job" / "step").mkdir(parents=True)
        for name, limit in limits.items():
            folder = {"root": "", "job": "job", "step": "job/step"}[name]
            (tmp_path / folder / "memory.max").write_text(f"{limit}\n")
        return memory_limit(tmp_path, str(tmp_path / "groups"))

    return limit_of


def test_the_least_limit_of_the_groups_around_a_process_counts(of_groups):
    assert of_groups(root=3_000_000, job=2_000_000, step="max") == 2_000_000


def test_without_one_it_is_what_the_machine_has(of_groups, tmp_path, monkeypatch):
    most = psutil.virtual_memory().total
    assert 0.01 * most < of_groups(step="max") <= 1.1 * most
    assert 0.01 * most < memory_limit(tmp_path, str(tmp_path / "none")) <= 1.1 * most
    monkeypatch.setenv("STEP_MEMORY_MB", "8000")
    assert memory_limit() == 8_000_000_000


def test_resident_memory_grows_with_what_is_held():
    before = resident_memory()
    held = np.ones(10_000_000)
    assert resident_memory() - before > 0.9 * held.nbytes
