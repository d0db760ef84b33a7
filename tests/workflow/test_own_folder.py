"""`mirror-bert init`: each folder that it makes can be checked and planned as it is."""

import os
import re
import shlex
import sys

import pytest
from small_project import run_in_server

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.errors import UserError
from workflow_scripts.make_folder import main
from workflow_scripts.plan.plan import Plan

KINDS = ("my-model", "my-strings", "my-data-set")
# tuned rows of the table of each
TUNED = {"my-model": 2, "my-strings": 2, "my-data-set": 1}


@pytest.fixture(params=KINDS)
def made(request, tmp_path, monkeypatch, capsys):
    """The kind of a folder, in which the test runs, and the commands that are printed."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    main([request.param, str(tmp_path / "own")])
    monkeypatch.chdir(tmp_path / "own")
    return request.param, [line.strip() for line in capsys.readouterr().out.splitlines()[1:]]


def test_the_config_is_a_right_one_with_the_paper_s_hyper_parameters(made, paper_config):
    plan = Plan(read_layers(["config.yaml"]))
    assert plan.typed.blocks["recipes"]["mirror-sentence"]["learning_rate"] == 2.0e-5
    for key in ("recipes", "retrieval", "classification"):
        assert read_layers(["config.yaml"]).config[key] == paper_config[key]
    # the example that a user replaces
    assert all("my-" in file for file in os.listdir("data")) if os.path.exists("data") else True


def test_the_printed_commands_plan_the_table_and_nothing_is_missing(made, project):
    kind, (change, check, run) = made
    assert change == f"cd {os.getcwd()}" and check == "mirror-bert check config.yaml"
    words = shlex.split(run)
    assert words[0] == "snakemake" and f"{project}/Snakefile" in words
    environment = os.environ | {"HF_HUB_OFFLINE": "0"}
    command = [sys.executable, "-m", *words, "--dry-run"]
    done = run_in_server(command, os.getcwd(), environment)
    assert done.returncode == 0, done.stdout
    assert re.search(rf"^tune_encoder +{TUNED[kind]}$", done.stdout, re.MULTILINE)
    assert re.search(r"^assemble_table +1$", done.stdout, re.MULTILINE)


def test_a_file_that_is_there_stays(tmp_path):
    (tmp_path / "config.yaml").write_text("seeds: [1]\n")
    with pytest.raises(UserError, match=r"config\.yaml: already exists; give another folder"):
        main(["my-strings", str(tmp_path)])
    assert (tmp_path / "config.yaml").read_text() == "seeds: [1]\n"
    assert os.listdir(tmp_path) == ["config.yaml"]
