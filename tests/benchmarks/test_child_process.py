"""Processes of their own: their measures, memory and errors."""

import json
import subprocess
import sys

import pytest

from benchmarks.child_process import run_module
from workflow_scripts.errors import UserError


@pytest.fixture
def child(tmp_path, monkeypatch):
    """The file of a module `child`."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "child.py"


def test_memory_is_that_of_the_child_alone(child, project):
    size = 300 * 2**20
    child.write_text(
        "import os, sys\n"
        f"held = bytearray({size})\n"
        "held[::4096] = bytes(len(held[::4096]))\n"
        "print('a line', *sys.argv[1:])\n"
        "print(os.environ['OMP_NUM_THREADS'])\n"
    )
    # From a small process, as the commands are: this one has torch in its memory.
    code = (
        "import json\n"
        "from benchmarks.child_process import run_module\n"
        "print(json.dumps(run_module('a run', 'child', ['--one', 1], threads=3)))\n"
    )
    lines, measures = json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=project))
    assert lines == ["a line --one 1", "3"]
    assert measures["process_seconds"] > 0
    assert size < measures["peak_memory"] < 1.3 * size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "import sys\nprint('early')\nsys.exit('the reason\\nin two lines')\n",
            r"^a run: the run failed with exit code 1: the reason \| in two lines; fix that and",
        ),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "failed with exit code -9"),
    ],
)
def test_a_failed_child_gives_one_error_with_its_last_lines(child, text, message):
    child.write_text(text)
    with pytest.raises(UserError, match=message):
        run_module("a run", "child", [], threads=1)
