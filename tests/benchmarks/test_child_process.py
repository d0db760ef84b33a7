"""Processes of their own: their measures, memory and errors."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from workflow_scripts.benchmarks.child_process import measure_module, run_module
from workflow_scripts.errors import UserError


@pytest.fixture
def write_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that makes a module `child` of a text."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(text: str) -> str:
        (tmp_path / "child.py").write_text(text)
        return "child"

    return write


def test_measures_are_those_of_the_last_line_and_of_the_kernel(write_module, project: Path) -> None:
    size = 300 * 2**20
    module = write_module(
        "import json, os, sys\n"
        f"held = bytearray({size})\n"
        "held[::4096] = bytes(len(held[::4096]))\n"
        "print('a line before')\n"
        "print(json.dumps({'options': sys.argv[1:], 'memory_before': 50 * 2**20,\n"
        "                  'threads': os.environ['OMP_NUM_THREADS']}))\n"
    )
    # From a small process, as the commands are: this one has torch in its memory.
    code = (
        "import json\n"
        "from workflow_scripts.benchmarks.child_process import measure_module\n"
        "options = {'--one': 1, '--many': ['a', 'b'], '--flag': True}\n"
        f"print(json.dumps(measure_module('a run', {module!r}, options, threads=3)))\n"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, cwd=project
    ).stdout
    measures = json.loads(printed)
    assert measures["options"] == ["--one", "1", "--many", "a", "--many", "b", "--flag"]
    assert measures["threads"] == "3"
    assert measures["process_seconds"] > 0
    assert size < measures["peak_memory"] < 1.3 * size
    assert measures["memory_growth"] == measures["peak_memory"] - 50 * 2**20


def test_a_failed_child_gives_one_error_with_its_last_lines(write_module) -> None:
    module = write_module("import sys\nprint('early')\nsys.exit('the reason\\nin two lines')\n")
    with pytest.raises(
        UserError, match=r"^a run: the run failed with exit code 1: the reason \| in two lines$"
    ):
        run_module("a run", module, {}, threads=1)


def test_a_child_that_is_killed_says_so(write_module) -> None:
    module = write_module("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    with pytest.raises(UserError, match="failed with exit code -9"):
        run_module("a run", module, {}, threads=1)


@pytest.mark.parametrize(("text", "said"), [("print('hello')", "hello"), ("", "nothing")])
def test_a_child_without_measures_is_an_error(write_module, text: str, said: str) -> None:
    with pytest.raises(UserError, match=f"printed no measures but: {said}"):
        measure_module("a run", write_module(text), {}, threads=1)
