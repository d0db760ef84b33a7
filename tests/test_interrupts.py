"""Ctrl-C at any time ends a command with one line and 130: what is kept, and how to go on."""

import subprocess
import sys

import pytest

from workflow_scripts.errors import run_command

STEPS = ("datasets.read_dataset", "tuning.tune_encoder")
COMMANDS = "tune cmlm evaluate embed link search translate export_onnx check_config"


@pytest.mark.parametrize("module", [*COMMANDS.split(), *STEPS])
def test_an_interrupt_while_modules_are_imported_is_one_line(project, tmp_path, module):
    # what all of them import comes with the interrupt
    for name in ("argparse", "pathlib"):
        (tmp_path / f"{name}.py").write_text("raise KeyboardInterrupt\n")
    command = [sys.executable, "-m", f"workflow_scripts.{module}"]
    result = subprocess.run(
        command, cwd=project, env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert (result.returncode, result.stderr) == (130, "interrupted\n")


@pytest.mark.parametrize(
    ("kept", "said"),
    [("3 of 7 are kept", "3 of 7 are kept"), ("", "what was not finished is not written; ")],
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
        "import atexit, os, signal; from workflow_scripts.errors import run_command; "
        "run_command(lambda: atexit.register(os.kill, os.getpid(), signal.SIGINT))"
    )
    command = [sys.executable, "-c", program]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
