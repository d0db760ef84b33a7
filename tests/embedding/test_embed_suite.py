"""The command that embeds a suite."""

import json
import subprocess
import sys

import numpy as np
import pytest
from tiny_models import make_sentences

from workflow_scripts.embedding import embed_suite
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of

RECIPE = {"method": "none", "pooling": "mean", "embed_max_length": 16}


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    strings = tmp_path / "strings.txt"
    strings.write_text("\n".join(make_sentences(12)) + "\n")
    return {
        "--model": str(tiny_bert),
        "--strings": str(strings),
        "--recipe-json": json.dumps(RECIPE),
        "--output": str(tmp_path / "out" / "suite.npy"),
        "--record": str(tmp_path / "out" / "suite.json"),
    }


def as_argv(arguments: dict[str, str]) -> list[str]:
    return [part for pair in arguments.items() for part in pair]


def test_vectors_and_record_are_written(arguments, tiny_bert, tmp_path):
    embed_suite.main(as_argv(arguments))
    vectors = np.load(tmp_path / "out" / "suite.npy")
    expected = encode_strings(load_model(str(tiny_bert)), make_sentences(12), "mean", 16)
    assert vectors.tobytes() == expected.tobytes()
    record = json.loads((tmp_path / "out" / "suite.json").read_text())
    assert record["strings"] == 12
    assert record["dimension"] == 32
    assert record["model"] == "tiny-bert"
    assert record["pooling"] == "mean"
    assert record["embed_max_length"] == 16
    assert record["weights_sha256"] == sha256_of(tiny_bert / "model.safetensors")
    assert str(tmp_path) not in json.dumps(record)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["suite.json", "suite.npy"]


def test_a_tokenizer_without_leading_mark_is_warned_of(arguments, tiny_bert, tmp_path, capsys):
    arguments["--recipe-json"] = json.dumps({**RECIPE, "pooling": "cls"})
    embed_suite.main(as_argv(arguments))
    assert "warning" not in capsys.readouterr().err
    bare = tmp_path / "bare"
    bare.mkdir()
    for path in tiny_bert.iterdir():
        (bare / path.name).write_bytes(path.read_bytes())
    tokenizer = json.loads((bare / "tokenizer.json").read_text())
    (bare / "tokenizer.json").write_text(json.dumps({**tokenizer, "post_processor": None}))
    embed_suite.main(as_argv({**arguments, "--model": str(bare)}))
    assert "puts no [CLS] first" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--recipe-json": "{"}, "not valid JSON"),
        ({"--recipe-json": "[]"}, "give an object"),
        ({"--recipe-json": '{"pooling": "max", "embed_max_length": 9}'}, "pooling is 'max'"),
        ({"--recipe-json": '{"pooling": "cls", "embed_max_length": 2}'}, "embed_max_length is 2"),
        ({"--recipe-json": '{"pooling": "cls"}'}, "embed_max_length is None"),
        ({"--recipe-json": '{"pooling": "cls", "embed_max_length": 900}'}, "more than the 66"),
        ({"--strings": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--model": "no/such/model/folder"}, "no such model folder"),
        ({"--threads": "0"}, "--threads 0"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        embed_suite.main(as_argv({**arguments, **changes}))
    assert not (tmp_path / "out").exists()


def test_strings_must_be_there_and_utf8(arguments, tmp_path):
    path = tmp_path / "strings.txt"
    path.write_text("")
    with pytest.raises(UserError, match=r"strings.txt: no strings"):
        embed_suite.main(as_argv(arguments))
    path.write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(UserError, match=r"strings.txt:2: not UTF-8"):
        embed_suite.main(as_argv(arguments))


def test_as_a_process_a_mistake_is_one_line_and_exit_code_2(arguments, project):
    arguments["--strings"] = "nowhere.txt"
    result = subprocess.run(
        [sys.executable, "-m", "workflow_scripts.embedding.embed_suite", *as_argv(arguments)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.startswith("error: nowhere.txt")
    assert result.stderr.count("\n") == 1
