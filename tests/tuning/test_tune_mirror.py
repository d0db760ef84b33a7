"""The command that makes an encoder folder."""

import json
import subprocess
import sys

import pytest
import torch
from sentence_transformers import SentenceTransformer
from tiny_models import RECIPE, make_sentences
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.tuning import tune_mirror


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
