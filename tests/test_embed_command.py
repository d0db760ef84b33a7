"""The commands `workflow_scripts.embed` and `workflow_scripts.export_onnx`."""

import json
from unittest.mock import Mock

import numpy as np
import pytest
from command_words import as_argv
from sentence_transformers import SentenceTransformer
from sentence_transformers.util import quantize_embeddings
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
        embed.main(as_argv(options, *flags))
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
    assert "left over from another job, removed" in capsys.readouterr().err


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
    with pytest.raises(UserError, match="without their first 32 components"):
        run("--overwrite", remove_components=32, shard_size=7)
    assert run("--overwrite", **options).tobytes() == vectors.tobytes()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["vectors.npy"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"remove_components": 0}, "--remove-components 0: give 1 or more"),
        ({"remove_components": 1, "dtype": "float16"}, "--remove-components: .* --dtype float32"),
        ({"backend": "onnx", "precision": "float16"}, "only for --backend torch"),
        ({"precision": "bfloat16"}, "bfloat16: needs a CUDA device"),
        ({"model": "no/such/folder"}, "no/such/folder: no such model folder; check the path"),
        ({"model": "no/such/folder", "pooling": "cls"}, "no such model folder"),
        ({"max_length": 900}, "--max-length 900: more than the 64 positions"),
        ({"threads": 0}, "--threads 0: give 1 or more"),
        ({"shard_size": -1}, "--shard-size -1: give 1 or more"),
        ({"strings": "-"}, "--strings -: standard input is not supported here; give a file"),
        ({"strings": "empty.txt"}, r"empty.txt: no strings to embed"),
        ({"output": "vectors.txt"}, r"ends in .npy"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(run, changes, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("")
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


@pytest.mark.parametrize(("kind", "theirs"), [("int8", "int8"), ("binary", "ubinary")])
@pytest.mark.parametrize("removed", [None, 2])
def test_codes_are_those_of_sentence_transformers(kind, theirs, removed, run, tmp_path, capsys):
    floats = run(remove_components=removed, shard_size=7)
    options = {"quantization": kind, "remove_components": removed, "shard_size": 7}
    codes = run("--overwrite", record=tmp_path / "record.json", **options)
    expected = quantize_embeddings(floats, precision=theirs)
    assert codes.dtype == expected.dtype
    np.testing.assert_array_equal(codes, expected)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"vectors.npy", *(["vectors.ranges.npy"] if kind == "int8" else [])}
    if kind == "int8":
        ranges = np.load(tmp_path / "out" / "vectors.ranges.npy")
        others = quantize_embeddings(floats[:3], precision="int8", ranges=ranges)
        np.testing.assert_array_equal(others, codes[:3])
    assert f"{kind}: recall@10 " in capsys.readouterr().err
    assert read_json(tmp_path / "record.json")["quantization"] == kind


def test_leading_units_stay_and_their_loss_is_printed(run, capsys):
    whole = run()
    assert "recall" not in capsys.readouterr().err
    cut = run("--overwrite", dimensions=5)
    assert cut.tobytes() == np.ascontiguousarray(whole[:, :5]).tobytes()
    assert "dimensions 5 of 32: recall@10 0." in capsys.readouterr().err
    with pytest.raises(UserError, match="--dimensions 33: more than the 32 of encoder; lower it"):
        run("--overwrite", dimensions=33)


def test_a_code_has_a_type_of_its_own_and_replaces_no_ranges(run, tmp_path):
    with pytest.raises(UserError, match="--dtype float16: --quantization int8 has a type of its"):
        run(quantization="int8", dtype="float16")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "vectors.ranges.npy").write_text("mine")
    with pytest.raises(UserError, match=r"vectors\.ranges\.npy: exists"):
        run(quantization="int8")
