"""Tuning through the workflow: with a development set, and in two processes."""

import json

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]

ENCODER = "results/encoders/bert-en-mini/{}/words-en/seed33"


def test_a_development_set_makes_a_rule_of_its_own_with_the_suite_as_input(fresh):
    config = fresh.read_config()
    config["recipes"]["mirror-word"]["development"] = {
        "suite": "words-dev",
        "dataset": "simlex999",
        "every": 2,
    }
    fresh.write_config(config)
    target = ENCODER.format("mirror-word") + "/encoder.json"
    assert fresh.planned(target) == [
        "read_suite suite=words-dev",
        "sample_frequent_words corpus=words-en",
        "tune_with_development model=bert-en-mini, recipe=mirror-word, corpus=words-en, seed=33",
    ]
    result = fresh.run(target)
    assert result.returncode == 0, result.stdout + result.stderr
    record = json.loads((fresh.folder / target).read_text())
    assert record["tuning"]["steps"] == 3
    assert record["tuning"]["best_step"] in (2, 3)
    assert fresh.planned(target) == []
    # Scoring is a part of this tuning, and of no other.
    module = fresh.folder / "workflow_scripts" / "scoring" / "similarity.py"
    module.write_text(module.read_text() + "\n# edited\n")
    assert any(job.startswith("tune_with_development") for job in fresh.planned(target))
    plain = fresh.planned(
        "results/encoders/bert-en-mini/mirror-sentence/sentences-en/seed33/encoder.json"
    )
    assert [job.split()[0] for job in plain] == ["sample_sentences", "tune_mirror"]


def test_two_processes_are_started_by_accelerate(fresh):
    config = fresh.read_config()
    config["processes"] = {"tuning": 2}
    fresh.write_config(config)
    target = ENCODER.format("mirror-word") + "/encoder.json"
    result = fresh.run(target)
    assert result.returncode == 0, result.stdout + result.stderr
    assert json.loads((fresh.folder / target).read_text())["tuning"]["steps"] == 3
    options = ("--dry-run", "--printshellcmds", "--quiet", "host", "--forcerun", "tune_mirror")
    dry = fresh.run(target, *options)
    assert "accelerate launch --cpu --num_processes 2" in dry.stdout + dry.stderr
