"""Commands and the workflow under faults, in short; `make chaos` is the long form."""

import os
import random
import subprocess
import sys

import pytest

from tools.chaos_faults import KINDS, Alone, Case
from tools.chaos_subjects import Subject

WHOLE = """
import os, time
from pathlib import Path
time.sleep(0.05)
Path("out/.a.tmp").write_text("whole")
time.sleep(0.05)
os.replace("out/.a.tmp", "out/a.txt")
"""
APPENDS = "open('out/a.txt', 'a').write('whole')"
LEAVES = f"{WHOLE}\nPath(f'out/{{os.getpid()}}').touch()"
FAILS = f"from pathlib import Path\nassert Path('out/a.txt').stat().st_size == 5\n{WHOLE}"


def disturbed(code, kind, folder, monkeypatch):
    """Return what is wrong with a command of one file after a fault."""
    for name in ("made", "modules"):
        (folder / name).mkdir()
    module = folder / "modules" / "one_command.py"
    monkeypatch.syspath_prepend(module.parent)
    alone = Alone(Subject("a command", folder / "made", ["one_command"], "out"), folder / "alone")
    module.write_text(WHOLE if code is FAILS else code)
    alone.make()
    module.write_text(code)
    case = Case(alone, folder / "case", random.Random(3))
    try:
        KINDS[kind](case)
        case.again()
    finally:
        case.clean()
    return case.wrong


@pytest.mark.parametrize(
    "kind", ["SIGKILL process", "SIGTERM group", "clock jump", "lost output", "cut output"]
)
def test_a_command_that_holds_is_found_to(kind, tmp_path, monkeypatch):
    assert disturbed(WHOLE, kind, tmp_path, monkeypatch) == []


@pytest.mark.parametrize(
    ("code", "kind", "wrong"),
    [
        (APPENDS, "cut output", "out/a.txt is different"),
        (LEAVES, "clock jump", "is left over"),
        (FAILS, "lost output", "a traceback: "),
    ],
)
def test_what_is_wrong_is_found(code, kind, wrong, tmp_path, monkeypatch):
    assert any(wrong in one for one in disturbed(code, kind, tmp_path, monkeypatch))


@pytest.mark.nightly
def test_after_a_fault_the_same_command_gives_the_same_bytes(project):
    command = [sys.executable, "-m", "tools.chaos", "--seed", "33", "--numbers", *"0123"]
    told = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    result = subprocess.run(command, cwd=project, env=environment, **told)
    print(result.stdout)
    assert result.returncode == 0
    assert "4 faults, 0 of them wrong" in result.stdout
