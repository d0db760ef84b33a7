"""The Snakefile of the bundled models, in a project of its own, dry and for real."""

import shutil
import subprocess
import sys

import pytest
from small_project import copy_project

TEXT = {"language": "en", "reader": "lines", "name": "X", "licence": "X"}
TRAINING = {"steps": 3, "tokens_per_batch": 128, "stages": [{"until": 1.0, "length": 16}]}
MODEL = {
    **{"texts": ["own"], "seed": 1, "training": TRAINING},
    "tokenizer": {"kind": "wordpiece", "size": 60, "maximum_length": 32},
    "architecture": {"family": "bert", "layers": 1, "units": 8, "heads": 2, "feed_forward": 8},
    "preparation": {"held_out": 10},
}
CONFIG = {
    **{"base": "none", "device": "cpu", "text_root": "texts"},
    "texts": {"own": {**TEXT, "files": ["text.txt"]}},
    "evaluation": [{"reader": "lines", "files": ["eval.txt"]}],
    "models": {"tiny": MODEL},
}


@pytest.fixture
def small(project, tmp_path):
    """A copy of the project with bundled_models, whose command runs the Snakefile in it."""
    small = copy_project(project, tmp_path / "project")
    shutil.copytree(project / "bundled_models", small.folder / "bundled_models")
    (small.folder / "texts").mkdir()
    lines = (f"The {n} boats of the town sail to the isle of {n * 7}.\n" for n in range(80))
    (small.folder / "texts" / "text.txt").write_text("".join(lines))
    (small.folder / "texts" / "eval.txt").write_text("A line that is kept out.\n")
    small.config_file = small.folder / "bundled.yaml"
    small.write_config(CONFIG)
    start = [sys.executable, "-m", "snakemake", "--snakefile", "bundled_models/Snakefile"]
    start += ["--configfile", "bundled.yaml", "--cores", "2"]
    small.command = lambda *options: [*start, *options]
    return small


@pytest.mark.slow
@pytest.mark.parametrize(("device", "gpus"), [("cpu", 0), ("auto", 1)])
def test_a_model_is_trained_on_the_device_of_the_config(small, device, gpus):
    small.write_config(CONFIG | {"device": device})
    output = small.succeeds("--dry-run", "--printshellcmds", "--quiet", "host")
    command = output.partition("rule pretrain_model:")[2]
    assert f" on_gpu {gpus} " in command
    assert f" --device {device} " in command


@pytest.mark.slow
def test_a_model_is_made_once_and_again_where_what_it_is_made_from_changes(small):
    small.succeeds()
    made = small.folder / "results" / "bundled_models" / "tiny" / "model"
    assert (made / "model.safetensors").is_file() and (made / "README.md").is_file()
    assert (small.folder / "results" / ".workflow" / "metadata").is_dir()
    assert small.planned() == []
    small.write_config(CONFIG | {"models": {"tiny": MODEL | {"examples": ["a {mask} ."]}}})
    assert small.planned() == ["all_models", "pretrain_model model=tiny"]
    small.write_config(CONFIG)
    script = small.folder / "bundled_models" / "train_word_vectors.py"
    script.write_text(script.read_text() + "\n# changed\n")
    after = ["all_models", "pretrain_model model=tiny", "train_word_vectors model=tiny"]
    assert small.planned() == after


@pytest.mark.slow
def test_a_run_in_another_folder_is_one_line(small, tmp_path):
    words = small.command("--dry-run")
    words[words.index("bundled_models/Snakefile")] = str(small.folder / "bundled_models/Snakefile")
    words[words.index("bundled.yaml")] = str(small.config_file)
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"error: {tmp_path}: not the folder of the project")
