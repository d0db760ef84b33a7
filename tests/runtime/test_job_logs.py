"""The log of a job begins with its command, versions and seed, and can be pasted."""

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from workflow_scripts.runtime import run_lock

JOB_SH = Path(run_lock.__file__).with_name("job.sh")
WORDS = [
    "a b",
    "",
    "it's",
    '{"key": ["é", "x y"]}',
    "$HOME `id` \\ !",
    "two\nlines",
    "*",
    "~",
    "=a",
]
SHOW = [sys.executable, "-c", "import os, sys; print(os.environ.get('HIDDEN'), sys.argv[1:])"]


def bash(script, folder, *words):
    command = ["bash", "-euo", "pipefail", "-c", script, "bash", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("before", [[], ["on_gpu", "0"]])
def test_a_pasted_command_gets_the_same_words(before, tmp_path):
    script = f'source {JOB_SH}; logged a.log none "$@"'
    bash(script, tmp_path, *before, *SHOW, *WORDS)
    shown = f"None {WORDS}\n"
    log = (tmp_path / "a.log").read_text()
    assert log.endswith(shown)
    pasted = log.removesuffix(shown)
    assert pasted.startswith("CUDA_VISIBLE_DEVICES= ") == bool(before)
    # in a shell that has no function of ours
    assert bash(pasted, tmp_path) == shown


def test_a_command_on_a_gpu_is_shown_with_what_finds_one(tmp_path):
    line = bash(f'source {JOB_SH}; pasteable "$@"', tmp_path, "on_gpu", "2", "python", "-m", "a.b")
    assert line == "python -m workflow_scripts.runtime.gpu_slots --gpus 2 -- python -m a.b\n"


STEP = """
from workflow_scripts.command_main import run_command
from workflow_scripts.path_functions import command
import sys
def step(*, seed: int = 7, output: str) -> None:
    print(sorted({"torch", "transformers", "snakemake"} & {*sys.modules}))
def plain(*, output: str) -> None:
    print("done")
run_command(command({function}))
"""


@pytest.mark.parametrize(
    ("function", "words", "seeds"),
    [("step", ["--seed=33"], ["# seed 33"]), ("step", [], ["# seed 7"]), ("plain", [], [])],
)
def test_versions_and_the_seed_come_first_and_nothing_heavy_is_imported(
    function, words, seeds, project, tmp_path, monkeypatch
):
    monkeypatch.setenv("PYTHONPATH", str(project))
    monkeypatch.setenv("WORKFLOW_STARTED", '{"commit": "abc"}')
    step = [sys.executable, "-c", STEP.replace("{function}", function), "--output", "o", *words]
    script = f'source {JOB_SH}; logged a.log usage.tsv "$@"'
    bash(script, tmp_path, *step)
    head, *lines = (tmp_path / "a.log").read_text().split("\n# ", 1)[1].splitlines()
    names = ("torch", "transformers", "snakemake", "numpy")
    assert head.startswith(f"python {sys.version.split()[0]}, ")
    assert {f"{name} {version(name)}" for name in names} | {"commit abc"} <= {*head.split(", ")}
    # of a run in the same environment its versions are known
    about = {"environment": sys.prefix, "versions": ["python 9"]}
    with monkeypatch.context() as patch:
        patch.setenv("WORKFLOW_STARTED", json.dumps(about))
        bash(script, tmp_path, *step)
    assert "\n# python 9\n" in (tmp_path / "a.log").read_text()
    assert lines == [*seeds, "[]" if function == "step" else "done"]
    # of several processes the first; and a command by itself says nothing
    for variable in ({"RANK": "1", "STEP_USAGE": "usage.tsv"}, {}):
        with monkeypatch.context() as patch:
            for name, value in variable.items():
                patch.setenv(name, value)
            printed = subprocess.run(step, cwd=tmp_path, capture_output=True, text=True).stderr
        assert printed == ""
