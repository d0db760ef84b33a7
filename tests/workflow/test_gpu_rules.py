"""Rules that ask for a GPU, on a machine that has none or pretends to."""

import json

import pytest
from small_project import TUNE

ENCODER = "results/encoders/bert-en-mini/mirror-word/words-en/seed33/encoder.json"


@pytest.fixture
def on_auto(fresh):
    """Return a function that writes a config: a GPU where there is one, processes of tuning."""

    def write(processes):
        with fresh.edited_config() as config:
            config |= {"device": "auto", "processes": {"tuning": processes}}
        return fresh

    return write


def commands(small, *options):
    return small.succeeds(ENCODER, "--dry-run", "--printshellcmds", "--quiet", "host", *options)


def test_a_rule_takes_the_gpus_it_asks_for_within_snakemake_s_limit(on_auto):
    assert " on_gpu 1 " in commands(on_auto(1))
    assert " on_gpu 0 " in commands(on_auto(2), "--resources", "gpu=0")


def test_a_limit_below_the_processes_of_a_job_is_refused_before_it_starts_with_fewer(on_auto):
    """Snakemake itself would give the job one GPU, which its two processes would share."""
    small = on_auto(2)
    said = small.fails(ENCODER, "--dry-run", "--resources", "gpu=1")
    assert "error: config: `processes.tuning`: is 2, and a job has 1 GPUs at most; give" in said
    assert " on_gpu 2 " in commands(small, "--resources", "gpu=2")
    with small.edited_config() as config:
        config["device"] = "cpu"
    assert " on_gpu 0 " in commands(small, "--resources", "gpu=1")


@pytest.mark.slow
def test_without_a_gpu_two_processes_run_on_the_processor(on_auto, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    small = on_auto(2)
    said = small.succeeds(ENCODER, "--printshellcmds", "--quiet", "host")
    assert " on_gpu 2 " in said
    assert "accelerate launch" in said and "--num_processes 2" in said
    assert json.loads((small.folder / ENCODER).read_text())["tuning"]["steps"] == 3
    assert f"rule {TUNE}" in said


def test_a_job_of_more_gpus_than_there_are_fails_with_one_line(on_auto, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    errors = on_auto(3).fails("--cores", "3", ENCODER)
    assert "error: --gpus: 3 GPUs are asked for one job, but there are 2 (0, 1)" in errors
