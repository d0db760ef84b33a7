"""The command that makes an encoder folder."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from scipy.stats import spearmanr
from sentence_transformers import SentenceTransformer
from tiny_models import RECIPE, make_sentences
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.tuning import tune_mirror, tune_with_development


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("\n".join(make_sentences(20)) + "\n")
    return {
        "--model": str(tiny_bert),
        "--corpus": str(corpus),
        "--recipe-name": "own",
        "--recipe-json": json.dumps(RECIPE),
        "--seed": "33",
        "--output": str(tmp_path / "out" / "seed33"),
    }


def as_argv(arguments):
    return [part for pair in arguments.items() for part in pair]


def bytes_of(folder):
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_an_encoder_folder_is_written_and_loads_everywhere(arguments, tiny_bert, tmp_path):
    arguments["--step-log"] = str(tmp_path / "logs" / "steps.jsonl")
    tune_mirror.main(as_argv(arguments))
    folder = tmp_path / "out" / "seed33"
    assert SentenceTransformer(str(folder), device="cpu").encode(["the cat"]).shape == (1, 32)
    assert AutoModel.from_pretrained(folder).dtype == torch.float32
    record = json.loads((folder / "encoder.json").read_text())
    assert record["recipe"] == RECIPE
    assert record["recipe_name"] == "own"
    assert record["seed"] == 33
    assert record["tuning"]["steps"] == 2
    assert record["corpus"]["strings"] == 20
    assert record["corpus"]["sha256"] == sha256_of(tmp_path / "corpus.txt")
    assert record["model"]["name"] == "tiny-bert"
    assert record["model"]["weights_sha256"] == sha256_of(tiny_bert / "model.safetensors")
    assert set(record["versions"]) == {"torch", "transformers", "tokenizers"}
    assert len((tmp_path / "logs" / "steps.jsonl").read_text().splitlines()) == 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["seed33"]


def test_two_runs_give_the_same_folder_byte_for_byte(arguments, tmp_path):
    tune_mirror.main(as_argv(arguments))
    tune_mirror.main(as_argv({**arguments, "--output": str(tmp_path / "elsewhere")}))
    once, again = bytes_of(tmp_path / "out" / "seed33"), bytes_of(tmp_path / "elsewhere")
    assert once == again
    for name in ("encoder.json", "README.md", "config.json", "tokenizer_config.json"):
        assert str(tmp_path) not in once[name].decode()
    tune_mirror.main(as_argv({**arguments, "--seed": "44"}))
    other = bytes_of(tmp_path / "out" / "seed33")
    assert other["model.safetensors"] != once["model.safetensors"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--recipe-json": "{"}, "--recipe-json: not valid JSON"),
        ({"--recipe-json": json.dumps({**RECIPE, "dropout": 1.5})}, r"recipes\.own\.dropout: 1\.5"),
        (
            {"--recipe-json": '{"method": "none", "pooling": "cls", "embed_max_length": 9}'},
            r"recipes\.own\.method: 'none' tunes nothing",
        ),
        (
            {"--recipe-json": json.dumps({**RECIPE, "batch_size": 200})},
            r"20 strings.*batch of 200.*batch_size to 20",
        ),
        ({"--recipe-json": json.dumps({**RECIPE, "embed_max_length": 99})}, "embed_max_length"),
        ({"--recipe-json": json.dumps({**RECIPE, "pooling": "pooler"})}, "hold no pooler"),
        ({"--corpus": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--model": "no/such/folder"}, "no/such/folder: no such model folder"),
        ({"--threads": "0"}, "--threads 0"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        tune_mirror.main(as_argv({**arguments, **changes}))
    assert not (tmp_path / "out").exists()


def test_as_a_process_a_mistake_is_one_line_and_exit_code_2(arguments, project, tmp_path):
    (tmp_path / "corpus.txt").write_bytes(b"fine\nna\xefve\n")
    result = subprocess.run(
        [sys.executable, "-m", "workflow_scripts.tuning.tune_mirror", *as_argv(arguments)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "corpus.txt:2: not UTF-8" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def command(arguments, module="workflow_scripts.tuning.tune_mirror"):
    return [sys.executable, "-m", module, *as_argv(arguments)]


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143)])
def test_a_killed_run_goes_on_and_ends_at_the_same_folder(
    sent, status, arguments, project, tmp_path
):
    """A signal as soon as there is a state; the log of steps is whole in the end.

    At SIGTERM the state of the last step is kept, not only that of the last time it was due.
    """
    recipe = {**RECIPE, "epochs": 60}
    arguments |= {
        "--recipe-json": json.dumps(recipe),
        "--step-log": str(tmp_path / "steps.jsonl"),
    }
    state = tmp_path / "out" / ".seed33.state.safetensors"
    (tmp_path / "out").mkdir()
    code = (
        "from workflow_scripts.tuning import tune_mirror as command; "
        "command.SECONDS_BETWEEN_STATES = 0.2; command.main()"
    )
    slow = [sys.executable, "-c", code, *as_argv(arguments)]
    process = subprocess.Popen(slow, cwd=project, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not state.is_file():
        assert process.poll() is None, "ended before there was a state"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(process.pid, sent)
    _, said = process.communicate()
    assert process.returncode == status, said
    assert not (tmp_path / "out" / "seed33").exists()
    result = subprocess.run(
        command(arguments), cwd=project, capture_output=True, text=True, check=True
    )
    goes_on = re.search(r"going on after step (\d+)", result.stderr)
    assert goes_on
    if sent == signal.SIGTERM:
        assert f"the state after step {goes_on[1]} is kept" in said
    assert not state.exists()
    undisturbed = {**arguments, "--output": str(tmp_path / "whole")}
    del undisturbed["--step-log"]
    tune_mirror.main(as_argv(undisturbed))
    assert bytes_of(tmp_path / "out" / "seed33") == bytes_of(tmp_path / "whole")
    lines = (tmp_path / "steps.jsonl").read_text().splitlines()
    steps = [json.loads(line)["step"] for line in lines]
    assert steps == list(range(1, 121))


def test_strings_that_repeat_are_warned_of(arguments, tmp_path, capsys):
    (tmp_path / "corpus.txt").write_text("\n".join([*make_sentences(20), "A dog!", "a dog"]) + "\n")
    tune_mirror.main(as_argv(arguments))
    told = capsys.readouterr().err
    assert "warning: corpus.txt: of 22 strings 1 equal an earlier one but for case" in told


def test_supervised_pairs_are_tuned_on_and_recorded(arguments, tmp_path):
    sentences = make_sentences(20)
    lines = [f"{a} || {b}" for a, b in zip(sentences, sentences[::-1], strict=True)]
    (tmp_path / "corpus.txt").write_text("\n".join(lines) + "\n")
    pairs = json.dumps({**RECIPE, "positives": "pairs"})
    tune_mirror.main(as_argv({**arguments, "--recipe-json": pairs}))
    record = json.loads((tmp_path / "out" / "seed33" / "encoder.json").read_text())
    assert record["corpus"]["pairs"] is True
    assert record["corpus"]["strings"] == 20


@pytest.fixture
def suite(tmp_path):
    """A suite with a small data set of similarity: its files and its pairs."""
    strings = make_sentences(12)
    left, right = list(range(6)), list(range(6, 12))
    gold = [0.5, 3.0, 1.0, 4.5, 2.0, 2.5]
    entry = {
        "task": "similarity",
        "split": "dev",
        "left": left,
        "right": right,
        "gold": gold,
        "dropped": {},
    }
    (tmp_path / "strings.txt").write_text("\n".join(strings) + "\n")
    (tmp_path / "items.json").write_text(json.dumps({"datasets": {"pairs": entry}}))
    return strings, gold


def test_the_encoder_has_the_weights_of_the_best_development_score(arguments, suite, tmp_path):
    """The score in the record is Spearman's of the vectors that sentence-transformers gives."""
    recipe = {**RECIPE, "epochs": 4, "learning_rate": 5e-3}
    recipe["development"] = {"suite": "own", "dataset": "pairs", "every": 1}
    steps = tmp_path / "steps.jsonl"
    tune_with_development.main(
        as_argv(
            {
                **arguments,
                "--recipe-json": json.dumps(recipe),
                "--strings": str(tmp_path / "strings.txt"),
                "--items": str(tmp_path / "items.json"),
                "--step-log": str(steps),
            }
        )
    )
    folder = tmp_path / "out" / "seed33"
    tuning = json.loads((folder / "encoder.json").read_text())["tuning"]
    scores = [json.loads(line)["development"] for line in steps.read_text().splitlines()]
    assert len(scores) == tuning["steps"] == 8
    assert tuning["best_score"] == max(scores)
    assert tuning["best_step"] == scores.index(max(scores)) + 1
    strings, gold = suite
    vectors = SentenceTransformer(str(folder), device="cpu").encode(strings)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (vectors[:6] * vectors[6:]).sum(axis=1)
    assert tuning["best_score"] == pytest.approx(spearmanr(cosines, gold).statistic, abs=1e-6)
    assert f"step {tuning['best_step']}" in (folder / "README.md").read_text()


def test_a_recipe_without_a_development_set_is_refused_there(arguments, suite, tmp_path):
    files = {"--strings": str(tmp_path / "strings.txt"), "--items": str(tmp_path / "items.json")}
    with pytest.raises(UserError, match=r"recipes\.own\.development: missing"):
        tune_with_development.main(as_argv({**arguments, **files}))
    unknown = {**RECIPE, "development": {"suite": "own", "dataset": "pears", "every": 1}}
    with pytest.raises(UserError, match="no data set pears; did you mean 'pairs'"):
        tune_with_development.main(
            as_argv({**arguments, **files, "--recipe-json": json.dumps(unknown)})
        )


@pytest.mark.parametrize("change", [{}, {"gradient_cache": True}, {"controlled_dropout": True}])
def test_two_processes_tune_the_model_of_one(change, arguments, project, tmp_path):
    arguments["--recipe-json"] = json.dumps({**RECIPE, **change, "epochs": 2})
    alone = {**arguments, "--output": str(tmp_path / "alone")}
    tune_mirror.main(as_argv(alone))
    launch = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2"]
    launch += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    launch += ["--main_process_port", "0", "--module", "workflow_scripts.tuning.tune_mirror"]
    subprocess.run(
        [*launch, *as_argv(arguments)],
        cwd=project,
        check=True,
        capture_output=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    one = load_file(tmp_path / "alone" / "model.safetensors")
    two = load_file(tmp_path / "out" / "seed33" / "model.safetensors")
    before = load_file(arguments["--model"] + "/model.safetensors")
    moved = 0.0
    for key, value in one.items():
        torch.testing.assert_close(two[key], value, rtol=0, atol=2e-4, msg=key)
        moved = max(moved, (value - before[f"bert.{key}"]).abs().max().item())
    assert moved > 2e-3
