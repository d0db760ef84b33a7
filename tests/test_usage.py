"""What a step writes of itself as it ends: what it used, where, and with what."""

import csv
import os
import platform
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from workflow_scripts.usage import STARTED, write_usage


def written(file: Path) -> dict[str, str]:
    write_usage(str(file), 0)
    (row,) = csv.DictReader(file.read_text().splitlines(), delimiter="\t")
    return row


def test_a_step_writes_its_machine_and_the_versions_that_it_imported(tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-c", "sum(range(10**7))"], check=True)
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delenv(STARTED, raising=False)
    row = written(tmp_path / "a.tsv")
    assert f", {os.cpu_count()} cores, " in row["machine"]
    versions = dict(part.split(" ") for part in row["versions"].split(", "))
    assert versions["python"] == platform.python_version()
    assert versions["numpy"] == np.__version__ and "torch" not in versions
    assert row["commit"] == ""
    # children's as well
    assert sum(os.times()[2:4]) > 0.01
    assert float(row["cpu_time"]) == pytest.approx(sum(os.times()[:4]), abs=0.05)


def test_a_gpu_that_a_step_used_is_of_its_machine(tmp_path, monkeypatch):
    for is_used in (True, False):
        cuda = {"is_initialized": lambda used=is_used: used, "get_device_name": lambda: "A GPU"}
        torch = SimpleNamespace(__version__="2.13", cuda=SimpleNamespace(**cuda))
        monkeypatch.setitem(sys.modules, "torch", torch)
        row = written(tmp_path / "a.tsv")
        assert row["machine"].endswith(", A GPU") == is_used
        assert "torch 2.13" in row["versions"]
