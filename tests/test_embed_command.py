"""The commands `workflow_scripts.embed` and `workflow_scripts.export_onnx`."""

import json
from unittest.mock import Mock

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sklearn.metrics.pairwise import cosine_similarity
from tiny_models import edit_model, encoder, make_sentences, one_thread, tiny_bert, tiny_roberta

from workflow_scripts import embed, export_onnx
from workflow_scripts.embedding import vector_shards
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of

__all__ = ["encoder", "one_thread", "tiny_bert", "tiny_roberta"]

CHOICES = {"pooling": "mean", "max_length": 16, "dimension": 32, "model": "encoder"}
LINES = [*make_sentences(30), "a", "the dog", "a", "  the dog", ""] * 2


@pytest.fixture
def strings(tmp_path):
    path = tmp_path / "strings.txt"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.fixture
def run(encoder, strings, tmp_path):
    """Runs the command on the encoder and strings, with changes; returns the vectors."""

    def run_command(*flags, **changes):
        options = {"model": encoder, "strings": strings, "threads": 1, "device": "cpu"}
        options |= {"output": tmp_path / "out" / "vectors.npy", **changes}
        pairs = [(f"--{key.replace('_', '-')}", str(value)) for key, value in options.items()]
        embed.main([part for pair in pairs for part in pair] + list(flags))
        return np.load(options["output"])

    return run_command


def test_rows_are_the_lines_under_the_recorded_pooling_and_length(run, encoder, tmp_path, strings):
    vectors = run(record=tmp_path / "record.json", shard_size=7)
    expected = encode_strings(load_model(str(encoder)), LINES, EncoderSettings("mean", 16))
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=5e-6)
    record = read_json(tmp_path / "record.json")
    assert {key: record[key] for key in CHOICES} == CHOICES
    assert (record["strings"], record["strings_sha256"]) == (len(LINES), sha256_of(strings))
    assert record["weights_sha256"] == sha256_of(encoder / "model.safetensors")
    assert str(tmp_path) not in json.dumps(record)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["vectors.npy"]


def test_pooling_length_and_type_can_be_chosen(run, tiny_bert):
    vectors = run(model=tiny_bert, pooling="cls", max_length=9, dtype="float16")
    expected = encode_strings(load_model(str(tiny_bert)), LINES, EncoderSettings("cls", 9))
    assert vectors.dtype == np.float16
    np.testing.assert_allclose(vectors.astype(np.float32), expected, atol=2e-3)


def test_the_onnx_backends_give_the_vectors(run, encoder, tmp_path, capsys):
    expected = run()
    for backend, option in {"onnx": "", "onnx-int8": " --int8"}.items():
        with pytest.raises(UserError, match=rf"mirror-bert export --encoder \S+encoder{option}$"):
            run("--overwrite", backend=backend)
    export_onnx.main(["--encoder", str(encoder)])
    assert [path.name for path in (encoder / "onnx").iterdir()] == ["model.onnx"]
    export_onnx.main(["--encoder", str(encoder), "--int8"])
    assert "model_quantized.onnx" in capsys.readouterr().out
    np.testing.assert_allclose(run("--overwrite", backend="onnx"), expected, atol=1e-4)
    quantized = run("--overwrite", backend="onnx-int8", record=tmp_path / "record.json")
    assert cosine_similarity(quantized, expected).diagonal().min() > 0.99
    record = read_json(tmp_path / "record.json")
    assert record["backend"] == "onnx-int8"
    assert "onnxruntime" in record["versions"]
    # The folder is the same encoder still, for everyone else.
    np.testing.assert_array_equal(run("--overwrite"), expected)
    theirs = SentenceTransformer(str(encoder), device="cpu").encode(LINES)
    np.testing.assert_allclose(theirs, expected, atol=1e-5)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json"])
def test_a_stopped_run_of_a_model_that_was_edited_starts_anew(
    name, run, encoder, tmp_path, monkeypatch, capsys
):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(vector_shards, "join_shards", Mock(side_effect=KeyboardInterrupt))
        run(shard_size=7)
    before = encode_strings(load_model(str(encoder)), LINES, EncoderSettings("mean", 16))
    edit_model(encoder, name)
    vectors = run(shard_size=7)
    expected = encode_strings(load_model(str(encoder)), LINES, EncoderSettings("mean", 16))
    np.testing.assert_allclose(vectors, expected, atol=5e-6)
    assert np.abs(expected - before).max() > 1e-3
    assert "left by another job, removed" in capsys.readouterr().err


@pytest.mark.parametrize("count", [1, 2])
def test_principal_components_are_taken_out_of_all_lines(run, count, tmp_path):
    whole = run(record=tmp_path / "record.json").astype(np.float64)
    assert read_json(tmp_path / "record.json")["remove_components"] == 0
    options = {"remove_components": count, "record": tmp_path / "record.json", "shard_size": 7}
    vectors = run("--overwrite", **options)
    assert read_json(tmp_path / "record.json")["remove_components"] == count
    directions = np.linalg.svd(whole, full_matrices=False)[2][:count]
    expected = whole - whole @ directions.T @ directions
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=2e-5)
    assert np.abs(vectors @ directions.T).max() < 1e-4 < np.abs(whole @ directions.T).max()
    # shards are vectors as they were: they serve whatever is taken out of the whole
    with pytest.raises(UserError, match="without their 32 first components"):
        run("--overwrite", remove_components=32, shard_size=7)
    assert run("--overwrite", **options).tobytes() == vectors.tobytes()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["vectors.npy"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"remove_components": 0}, "--remove-components 0: give 1 or more"),
        ({"remove_components": 1, "dtype": "float16"}, "--remove-components: .* --dtype float32"),
        ({"backend": "onxx"}, "--backend onxx: unknown; did you mean 'onnx'"),
        ({"backend": "onnx", "precision": "float16"}, "only for --backend torch"),
        ({"precision": "bfloat16"}, "bfloat16: needs a CUDA device"),
        (
            {"model": "no/such/model/folder"},
            "no/such/model/folder: no such model folder; check the path",
        ),
        ({"model": "no/such/model/folder", "pooling": "cls"}, "no such model folder"),
        ({"max_length": 900}, "--max-length 900: more than the 64 positions"),
        ({"threads": 0}, "--threads 0: give 1 or more"),
        ({"shard_size": -1}, "--shard-size -1: give 1 or more"),
        ({"strings": "-"}, "--strings -: standard input is not taken here; give a file"),
        ({"strings": "empty.txt"}, r"empty.txt: no strings to embed"),
        ({"output": "vectors.txt"}, r"ends in .npy"),
        ({"output": "folder.npy"}, "is a folder"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(run, changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(UserError, match=message):
        run(**changes)
    assert not (tmp_path / "out").exists()


def test_a_record_replaces_only_a_record(run, strings, tmp_path):
    mine = tmp_path / "mine.json"
    mine.write_text('{"grades": [1, 2]}')
    for path in (mine, strings):
        before = path.read_bytes()
        with pytest.raises(UserError, match=r"--record \S+: is (another file|read from)"):
            run(record=path)
        assert path.read_bytes() == before
    for _ in range(2):
        run("--overwrite", record=tmp_path / "record.json")
