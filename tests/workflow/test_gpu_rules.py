"""Rules that ask for a GPU, on a machine that has none or pretends to."""

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]

ENCODER = "results/encoders/bert-en-mini/mirror-word/words-en/seed33/encoder.json"


@pytest.fixture
def on_auto(fresh):
    """The small project with tuning and embedding on a GPU where there is one."""
    config = fresh.read_config()
    config["device"] = "auto"
    fresh.write_config(config)
    return fresh


@pytest.mark.parametrize("processes", [1, 2])
def test_without_a_gpu_the_rules_that_ask_for_one_run_on_the_processor(
    processes, on_auto, monkeypatch
):
    config = on_auto.read_config()
    config["processes"] = {"tuning": processes}
    on_auto.write_config(config)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    options = ("--dry-run", "--printshellcmds", "--quiet", "host")
    dry = on_auto.run(ENCODER, *options)
    assert f" on_gpu {processes} " in dry.stdout + dry.stderr
    # a limit of Snakemake's reaches the job
    dry = on_auto.run(ENCODER, "--resources", "gpu=0", *options)
    assert " on_gpu 0 " in dry.stdout + dry.stderr
    result = on_auto.run(ENCODER)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_job_of_more_gpus_than_there_are_fails_with_one_line(on_auto, monkeypatch):
    config = on_auto.read_config()
    config["processes"] = {"tuning": 3}
    on_auto.write_config(config)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    result = on_auto.run("--cores", "3", ENCODER)
    assert result.returncode != 0
    errors = result.stdout + result.stderr
    assert "error: 3 GPUs are asked for one job, but there are 2 (0, 1)" in errors
