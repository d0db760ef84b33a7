"""Whole runs on the device: killed, in two processes, next to each other, by Snakemake."""

import json
import os
import signal
import subprocess
import sys

import pytest
import torch
from command_words import as_argv
from device_runs import ON_GPU, moved_apart, recipe_of
from launched_processes import run_in_two_processes
from safetensors.torch import load_file
from same_everywhere import wait_for
from small_project import copy_project

pytestmark = [pytest.mark.gpu, pytest.mark.slow]
MODULE = "workflow_scripts.tuning.tune_encoder"
OFTEN = f"import {MODULE} as step; step.SECONDS_BETWEEN_STATES = 0.2; step.main()"
DROPOUT = {"epochs": 40, "dropout": 0.1, "precision": "auto"}


@pytest.fixture
def arguments(model, corpora, device, tmp_path):
    """A function from what a recipe changes to the options that make the encoder `name`."""

    def write(name, **changes):
        recipe = json.dumps(recipe_of("mirror", **changes))
        options = {"--model": str(model), "--corpus": str(corpora / "strings.txt")}
        options |= {"--recipe-name": "own", "--recipe-json": recipe, "--seed": "33"}
        return as_argv({**options, "--device": device, "--output": str(tmp_path / name)})

    return write


def start(project, argv, code=f"import {MODULE} as step; step.main()"):
    return subprocess.Popen([sys.executable, "-c", code, *argv], cwd=project)


def run(project, argv):
    assert start(project, argv).wait() == 0


def largest_difference(tmp_path, name, other):
    left, right = (load_file(tmp_path / folder / "model.safetensors") for folder in (name, other))
    return max((left[key] - right[key]).abs().max().item() for key in left)


def test_a_killed_run_goes_on_to_the_same_weights(arguments, project, tmp_path, figure):
    argv = arguments("killed", **DROPOUT)
    state = tmp_path / ".killed.state.safetensors"
    process = start(project, argv, OFTEN)
    wait_for(state.is_file, process)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert state.is_file() and not (tmp_path / "killed").exists()
    run(project, argv)
    assert not state.exists()
    run(project, arguments("whole", **DROPOUT))
    apart = largest_difference(tmp_path, "killed", "whole")
    figure("largest difference of a weight", apart, at_most=0)


def test_two_processes_give_the_weights_of_one(
    arguments, project, tmp_path, untuned, device, figure
):
    if ON_GPU and torch.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices, here is one")
    run(project, arguments("alone"))
    run_in_two_processes(arguments("both"), project, device)
    alone, both = (load_file(tmp_path / name / "model.safetensors") for name in ("alone", "both"))
    apart = moved_apart(untuned, alone, both)
    figure("weights, difference as a share of their change", apart, at_most=0.01)


def test_two_jobs_on_one_device_do_not_change_each_other(arguments, project, tmp_path, figure):
    run(project, arguments("alone", **DROPOUT))
    jobs = [start(project, arguments(name, **DROPOUT)) for name in ("left", "right")]
    assert [job.wait() for job in jobs] == [0, 0]
    apart = max(largest_difference(tmp_path, name, "alone") for name in ("left", "right"))
    figure("largest difference of a weight", apart, at_most=0)


def test_a_branch_of_the_workflow_runs_through_gpu_slots(project, tmp_path, monkeypatch):
    if not ON_GPU:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    small = copy_project(project, tmp_path / "project")
    with small.edited_config() as config:
        config["device"] = "auto"
    encoder = "bert-en-mini/mirror-word/words-en/seed33"
    results = small.folder / "results"
    scores = f"scores/{encoder}/similarity.tsv"
    small.succeeds("--resources", "gpu=1", "--", f"results/{scores}")
    assert "spearman" in (results / scores).read_text()
    for rule, name in (("tune_encoder", encoder), ("embed_suite", f"{encoder}/similarity")):
        log = (results / "logs" / rule / f"{name}.log").read_text()
        assert "gpu_slots --gpus 1 -- " in log.partition("\n")[0]
        # the machine that the step used
        usage = (results / "benchmarks" / rule / f"{name}.tsv").read_text()
        assert not ON_GPU or torch.cuda.get_device_name() in usage
