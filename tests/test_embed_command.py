"""The front doors `workflow_scripts.embed` and `workflow_scripts.export_onnx`."""

import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from tiny_models import make_sentences, one_thread, tiny_bert, tiny_roberta

from workflow_scripts import embed, export_onnx
from workflow_scripts.embedding import vector_shards
from workflow_scripts.embedding.encoder_folder import load_model, save_encoder
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of

__all__ = ["one_thread", "tiny_bert", "tiny_roberta"]

LINES = [*make_sentences(30), "a", "the dog", "a", "  the dog", ""] * 2


@pytest.fixture
def encoder(tiny_roberta, tmp_path):
    """An encoder folder that records pooling mean and 16 tokens."""
    record = {"pooling": "mean", "max_length": 16}
    save_encoder(tmp_path / "encoder", load_model(str(tiny_roberta)), "mean", 16, record, "")
    return tmp_path / "encoder"


@pytest.fixture
def strings(tmp_path):
    path = tmp_path / "strings.txt"
    path.write_text("\n".join(LINES) + "\n")
    return path


@pytest.fixture
def run(encoder, strings, tmp_path):
    """Runs the command on the encoder and strings, with changes; returns the vectors."""

    def run_command(*flags, **changes):
        options = {
            "model": encoder,
            "strings": strings,
            "output": tmp_path / "out" / "vectors.npy",
            "threads": 1,
            "device": "cpu",
            **changes,
        }
        pairs = [(f"--{key.replace('_', '-')}", str(value)) for key, value in options.items()]
        embed.main([part for pair in pairs for part in pair] + list(flags))
        return np.load(options["output"])

    return run_command


def test_rows_are_the_lines_under_the_recorded_pooling_and_length(run, encoder, tmp_path, strings):
    vectors = run(record=tmp_path / "record.json", shard_size=7)
    expected = encode_strings(load_model(str(encoder)), LINES, "mean", 16)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=5e-6)
    record = read_json(tmp_path / "record.json")
    assert record["pooling"] == "mean"
    assert record["max_length"] == 16
    assert record["strings"] == len(LINES)
    assert record["dimension"] == 32
    assert record["model"] == "encoder"
    assert record["strings_sha256"] == sha256_of(strings)
    assert record["weights_sha256"] == sha256_of(encoder / "model.safetensors")
    assert str(tmp_path) not in json.dumps(record)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["vectors.npy"]


def test_pooling_length_and_type_can_be_chosen(run, tiny_bert):
    vectors = run(model=tiny_bert, pooling="cls", max_length=9, dtype="float16")
    expected = encode_strings(load_model(str(tiny_bert)), LINES, "cls", 9)
    assert vectors.dtype == np.float16
    np.testing.assert_allclose(vectors.astype(np.float32), expected, atol=2e-3)


def test_the_onnx_backends_give_the_vectors(run, encoder, tmp_path, capsys):
    expected = run()
    with pytest.raises(UserError, match=r"export_onnx --encoder \S+encoder$"):
        run("--overwrite", backend="onnx")
    with pytest.raises(UserError, match=r"export_onnx --encoder \S+encoder --int8$"):
        run("--overwrite", backend="onnx-int8")
    export_onnx.main(["--encoder", str(encoder), "--int8"])
    assert "model_quantized.onnx" in capsys.readouterr().out
    np.testing.assert_allclose(run("--overwrite", backend="onnx"), expected, atol=1e-4)
    quantized = run("--overwrite", backend="onnx-int8", record=tmp_path / "record.json")
    norms = np.linalg.norm(quantized, axis=1) * np.linalg.norm(expected, axis=1)
    assert ((quantized * expected).sum(axis=1) / norms).min() > 0.99
    record = read_json(tmp_path / "record.json")
    assert record["backend"] == "onnx-int8"
    assert "onnxruntime" in record["versions"]
    # The folder is the same encoder still, for everyone else.
    np.testing.assert_array_equal(run("--overwrite"), expected)


def test_without_int8_only_the_float32_file_is_written(encoder):
    export_onnx.main(["--encoder", str(encoder)])
    assert [path.name for path in (encoder / "onnx").iterdir()] == ["model.onnx"]


def test_a_killed_run_goes_on_and_gives_the_same_bytes(run, encoder, strings, project, tmp_path):
    whole = run(output=tmp_path / "whole.npy", shard_size=2)
    output = tmp_path / "vectors.npy"
    command = [sys.executable, "-m", "workflow_scripts.embed", "--model", encoder]
    command += ["--strings", strings, "--output", output, "--threads", "1", "--device", "cpu"]
    process = subprocess.Popen(
        [*map(str, command), "--shard-size", "2"], cwd=project, stderr=subprocess.DEVNULL
    )
    folder = tmp_path / ".vectors.npy.shards"
    while process.poll() is None and len(list(folder.glob("0*.npy"))) < 2:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    done = {path.name: path.stat().st_mtime_ns for path in folder.glob("0*.npy")}
    if not output.exists():
        assert len(done) >= 2
    kept = []
    join = vector_shards.join_shards

    def note_files(job, *arguments):
        kept.extend(n for n, t in done.items() if (folder / n).stat().st_mtime_ns == t)
        join(job, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_shards, "join_shards", note_files)
        again = run("--overwrite", output=output, shard_size=2)
    assert sorted(kept) == sorted(done)
    assert again.tobytes() == whole.tobytes()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"backend": "onxx"}, "--backend onxx: unknown; did you mean 'onnx'"),
        ({"backend": "onnx", "precision": "float16"}, "only for --backend torch"),
        ({"precision": "bfloat16"}, "bfloat16 needs a CUDA device"),
        ({"model": "no/such/model/folder"}, "does not record one; give --pooling"),
        ({"model": "no/such/model/folder", "pooling": "cls"}, "no such model folder"),
        ({"max_length": 900}, "maximum length 900 is more than the 64 positions"),
        ({"threads": 0}, "--threads 0: give 1 or more"),
        ({"token_budget": 0}, "--token-budget 0: give 1 or more"),
        ({"shard_size": -1}, "--shard-size -1: give 1 or more"),
        ({"strings": "nowhere.txt"}, "nowhere.txt: no such file"),
    ],
)
def test_mistakes_are_named_and_leave_nothing(run, changes, message, tmp_path):
    with pytest.raises(UserError, match=message):
        run(**changes)
    assert not (tmp_path / "out").exists()


def test_strings_must_be_there_and_utf8(run, strings):
    strings.write_text("")
    with pytest.raises(UserError, match=r"strings.txt: no strings to embed"):
        run()
    strings.write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(UserError, match=r"strings.txt:2: not UTF-8"):
        run()


def test_an_output_is_replaced_only_when_told_to(run, tmp_path):
    output = tmp_path / "vectors.npy"
    output.write_text("mine")
    with pytest.raises(UserError, match=r"vectors.npy: exists; .*--overwrite"):
        run(output=output)
    assert output.read_text() == "mine"
    assert run("--overwrite", output=output).shape == (len(LINES), 32)
    with pytest.raises(UserError, match=r"ends in .npy"):
        run(output=tmp_path / "vectors.txt")
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(UserError, match="is a folder"):
        run(output=tmp_path / "folder.npy")


def test_vectors_that_are_not_numbers_are_an_error(run, encoder, tmp_path):
    weights = load_file(encoder / "model.safetensors")
    weights["embeddings.LayerNorm.bias"] = torch.full((32,), float("nan"))
    save_file(weights, encoder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(UserError, match="encoder: gives vectors that are not finite"):
        run()
    assert list((tmp_path / "out").iterdir()) == []


def test_exporting_names_its_mistakes(tmp_path):
    with pytest.raises(UserError, match="nothing: no such folder"):
        export_onnx.main(["--encoder", str(tmp_path / "nothing")])
    with pytest.raises(UserError, match=r"no config\.json"):
        export_onnx.main(["--encoder", str(tmp_path)])


@pytest.mark.parametrize("command", ["embed", "export_onnx"])
def test_as_a_process_a_mistake_is_one_line_and_exit_code_2(command, project, tmp_path):
    options = {
        "embed": ["--model", "m", "--strings", "s", "--output", tmp_path / "v.npy"],
        "export_onnx": ["--encoder", "m"],
    }[command]
    result = subprocess.run(
        [sys.executable, "-m", f"workflow_scripts.{command}", *map(str, options)],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
