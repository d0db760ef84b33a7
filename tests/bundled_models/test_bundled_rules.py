"""The rules of pretraining, in a dry run."""

import pytest
from small_project import copy_project


@pytest.mark.slow
def test_pretraining_runs_on_the_device_of_the_config(project, tmp_path):
    small = copy_project(project, tmp_path / "project")
    (tmp_path / "eval.txt").write_text("line\n")
    block = {"texts": ["own"], "training": {"minutes": 1}}
    text = {"language": "en", "reader": "lines", "files": ["eval.txt"], "name": "X", "licence": "X"}
    config = small.read_config()
    config["pretraining"] = {
        "texts": {"own": text},
        "evaluation": [{"reader": "lines", "files": ["eval.txt"]}],
        "pretrained": {"bert-en-mini": block},
    }
    options = ("--config", f"pretraining_text={tmp_path}", "--dry-run", "--printshellcmds")
    small.write_config(config | {"device": "cpu"})
    output = small.succeeds("results/pretraining/bert-en-mini/model", *options, "--quiet", "host")
    command = output.partition("rule pretrain_model:")[2]
    assert " on_gpu 0 " in command
    assert " --device cpu " in command
