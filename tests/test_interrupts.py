"""Ctrl-C at any time ends a command with one line and 130: what is kept, and how to continue."""

import subprocess
import sys

import pytest

from workflow_scripts.command_main import run_command


@pytest.mark.parametrize(
    ("kept", "said"),
    [("3 of 7 are kept", "3 of 7 are kept"), ("", "unfinished outputs were not written; ")],
)
def test_an_interrupt_says_what_is_kept(kept, said, capsys):
    def interrupted():
        raise KeyboardInterrupt(*([kept] if kept else []))

    with pytest.raises(SystemExit) as ended:
        run_command(interrupted)
    assert ended.value.code == 130
    assert capsys.readouterr().err.startswith(f"interrupted: {said}")


def test_an_interrupt_while_packages_tidy_up_is_nothing(project):
    program = (
        "import atexit, os, signal; from workflow_scripts.command_main import run_command; "
        "run_command(lambda: atexit.register(os.kill, os.getpid(), signal.SIGINT))"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
