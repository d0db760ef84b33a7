"""The command that embeds the strings of data sets."""

import json
import shutil

import numpy as np
import pytest
import torch
from command_words import as_argv
from tiny_models import make_sentences
from transformers import AutoModel, AutoTokenizer

from workflow_scripts.embedding import embed_suite
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.embedding.suite_vectors import read_string_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of


def settings(pooling: str = "mean", length: int = 16, **more: int) -> str:
    return json.dumps({"pooling": pooling, "max_length": length, **more})


@pytest.fixture
def arguments(tiny_bert, tmp_path):
    strings = tmp_path / "strings.txt"
    strings.write_text("\n".join(make_sentences(12)) + "\n")
    outputs = {"--output": tmp_path / "out/suite.npy", "--record": tmp_path / "out/suite.json"}
    inputs = {"--model": tiny_bert, "--datasets": "mine", "--strings": strings}
    return {**inputs, "--settings": settings(), **outputs}


def test_strings_of_several_data_sets_are_embedded_once_and_found_by_each(
    arguments, tiny_bert, tmp_path
):
    sentences = make_sentences(12)
    lists = {"a": sentences[:8], "b/source": sentences[4:], "b/target": [sentences[0]]}
    files = [tmp_path / f"{number}.txt" for number in range(len(lists))]
    for file, strings in zip(files, lists.values(), strict=True):
        file.write_text("".join(f"{one}\n" for one in strings))
    embed_suite.main(as_argv({**arguments, "--datasets": [*lists], "--strings": files}))
    file = tmp_path / "out" / "suite.npy"
    expected = encode_strings(load_model(str(tiny_bert)), sentences, EncoderSettings("mean", 16))
    assert np.load(file).tobytes() == expected.tobytes()
    for key, strings in lists.items():
        own = read_string_vectors(file, *key.split("/"))
        rows = [sentences.index(one) for one in strings]
        assert (own[np.arange(len(strings))] == expected[rows]).all()
    record = read_json(tmp_path / "out" / "suite.json")
    assert sorted(record.pop("versions")) == ["torch", "transformers"]
    assert record == {
        **{"model": "tiny-bert", "dimension": 32, "max_length": 16, "pooling": "mean"},
        **{"strings": 12, "datasets": dict(zip(lists, map(sha256_of, files), strict=True))},
        "weights_sha256": sha256_of(tiny_bert / "model.safetensors"),
    }
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["suite.json", "suite.npy", "suite.npz"]


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@pytest.mark.parametrize("layer", [1, 2])
@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_a_layer_is_the_last_of_a_model_that_ends_there(
    model, layer, pooling, arguments, tmp_path, request
):
    folder = request.getfixturevalue(model)
    arguments |= {"--model": folder, "--settings": settings(pooling, layer=layer)}
    embed_suite.main(as_argv(arguments))
    found = np.load(tmp_path / "out" / "suite.npy")
    shorter = AutoModel.from_pretrained(folder, num_hidden_layers=layer).eval()
    assert len(shorter.encoder.layer) == layer
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for string, vector in zip(make_sentences(12), found, strict=True):
        given = tokenizer(string, truncation=True, max_length=16, return_tensors="pt")
        with torch.inference_mode():
            states = shorter(**given).last_hidden_state[0]
        expected = states[0] if pooling == "cls" else states.mean(dim=0)
        np.testing.assert_allclose(vector, expected.numpy(), atol=1e-5)
    assert read_json(tmp_path / "out" / "suite.json")["layer"] == layer


def test_a_tokenizer_without_leading_mark_is_warned_of(arguments, tiny_bert, tmp_path, capsys):
    arguments["--settings"] = settings("cls")
    embed_suite.main(as_argv(arguments))
    assert "warning" not in capsys.readouterr().err
    bare = shutil.copytree(tiny_bert, tmp_path / "bare")
    tokenizer = json.loads((bare / "tokenizer.json").read_text())
    (bare / "tokenizer.json").write_text(json.dumps({**tokenizer, "post_processor": None}))
    embed_suite.main(as_argv({**arguments, "--model": bare}))
    assert "puts no [CLS] first" in capsys.readouterr().err
    # without its marks there is nothing to leave out
    arguments["--settings"] = settings("mean_pieces")
    embed_suite.main(as_argv(arguments))
    with pytest.raises(UserError, match=r"'mean_pieces': the tokenizer of bare .*; use mean"):
        embed_suite.main(as_argv({**arguments, "--model": bare}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--settings": settings(length=900)}, "embed_max_length 900: more than the 66"),
        ({"--strings": "nowhere.txt"}, "nowhere.txt: no such file"),
        ({"--datasets": ["a", "b"]}, "--strings: 1 files for 2 data sets; give a file for each"),
        ({"--strings": "empty.txt"}, r"empty.txt: no strings to embed"),
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
