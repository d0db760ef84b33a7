"""The command that embeds a suite."""

import json
import shutil

import numpy as np
import pytest
from command_words import as_argv
from tiny_models import make_sentences

from workflow_scripts.embedding import embed_suite
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of


def choices(pooling: str = "mean", length: int = 16) -> str:
    return json.dumps({"method": "none", "pooling": pooling, "embed_max_length": length})


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    strings = tmp_path / "strings.txt"
    strings.write_text("\n".join(make_sentences(12)) + "\n")
    outputs = {"--output": tmp_path / "out/suite.npy", "--record": tmp_path / "out/suite.json"}
    return {"--model": tiny_bert, "--strings": strings, "--recipe-json": choices(), **outputs}


def test_vectors_and_record_are_written(arguments, tiny_bert, tmp_path):
    embed_suite.main(as_argv(arguments))
    vectors = np.load(tmp_path / "out" / "suite.npy")
    expected = encode_strings(load_model(str(tiny_bert)), make_sentences(12), "mean", 16)
    assert vectors.tobytes() == expected.tobytes()
    record = read_json(tmp_path / "out" / "suite.json")
    assert sorted(record.pop("versions")) == ["torch", "transformers"]
    assert record == {
        **{"model": "tiny-bert", "dimension": 32, "embed_max_length": 16, "pooling": "mean"},
        **{"strings": 12, "strings_sha256": sha256_of(arguments["--strings"])},
        "weights_sha256": sha256_of(tiny_bert / "model.safetensors"),
    }
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["suite.json", "suite.npy"]


def test_a_tokenizer_without_leading_mark_is_warned_of(arguments, tiny_bert, tmp_path, capsys):
    arguments["--recipe-json"] = choices("cls")
    embed_suite.main(as_argv(arguments))
    assert "warning" not in capsys.readouterr().err
    bare = shutil.copytree(tiny_bert, tmp_path / "bare")
    tokenizer = json.loads((bare / "tokenizer.json").read_text())
    (bare / "tokenizer.json").write_text(json.dumps({**tokenizer, "post_processor": None}))
    embed_suite.main(as_argv({**arguments, "--model": bare}))
    assert "puts no [CLS] first" in capsys.readouterr().err
    # without its marks there is nothing to leave out
    arguments["--recipe-json"] = choices("mean_pieces")
    embed_suite.main(as_argv(arguments))
    with pytest.raises(UserError, match=r"'mean_pieces': the tokenizer of bare .*; use mean"):
        embed_suite.main(as_argv({**arguments, "--model": bare}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--recipe-json": choices("min")}, "pooling 'min' is unknown"),
        ({"--recipe-json": choices(length=2)}, "embed_max_length 2 is less than 3"),
        ({"--recipe-json": choices(length=900)}, "more than the 66"),
        ({"--strings": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--strings": "empty.txt"}, r"empty.txt: no strings"),
        ({"--model": "no/such/model/folder"}, "no such model folder"),
        ({"--threads": "0"}, "--threads 0"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(arguments, changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("")
    with pytest.raises(UserError, match=message):
        embed_suite.main(as_argv({**arguments, **changes}))
    assert not (tmp_path / "out").exists()
