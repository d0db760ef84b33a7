"""Models of the hub whose weights are pickled: converted once, in a process of its own, or refused.

The oracle of a conversion is what transformers makes of the model as it was saved. Contents are
tried in this process, the rest by the command.
"""

import io
import json
import os
import pickle
import subprocess
import sys

import pytest
import torch
import transformers
from safetensors.torch import load_file
from small_model import run_fetch_model
from small_registry import files_below, sha256
from tiny_models import make_bert, make_roberta

from tests.support.fake_hub import COMMIT, Repository, fake_hub
from workflow_scripts.downloads.convert_weights import convert
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.errors import UserError

OTHERS = {"config.json": b"{}", "tokenizer.json": b"{}"}
ADDRESS = f"owner/old@{COMMIT}"
FOLDER = f"owner--old@{COMMIT}"
BIN, INDEX = "pytorch_model.bin", "pytorch_model.bin.index.json"


def pickled(content, **options):
    stream = io.BytesIO()
    torch.save(content, stream, **options)
    return stream.getvalue()


def old_weights(folder):
    """Save a model with its head; return the tensors, tied ones sharing memory, by old names."""
    model = transformers.AutoModelForMaskedLM.from_pretrained(folder)
    model.save_pretrained(folder)
    state = model.state_dict()
    renamed = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    for new, old in renamed.items():
        state = {name.replace(new, old): tensor for name, tensor in state.items()}
    assert any(name.endswith("LayerNorm.gamma") for name in state)
    return state


def others_of(folder):
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    del files["model.safetensors"]
    return files


@pytest.fixture
def fetch(project, tmp_path):
    """Fetch a repository of files from a hub; return the status and the lines of errors."""

    def fetch(files, *options, swapped=None):
        with fake_hub() as hub:
            hub.repositories["owner/old"] = Repository(files, swapped=swapped or {})
            environment = hub.environment(str(tmp_path / "home"))
            return run_fetch_model(project, tmp_path, environment, ADDRESS, *options)

    return fetch


def refused(fetch, tmp_path, files, *options, **more):
    """Return the one line of an error that leaves nothing behind."""
    status, [line] = fetch(files, *options, **more)
    assert status == 2
    assert files_below(tmp_path / "models") == []
    assert not (tmp_path / "record.json").exists()
    return line


def same_tensors(found, expected):
    return found.keys() == expected.keys() and all(
        torch.equal(found[name], tensor) for name, tensor in expected.items()
    )


def load_as_saved(folder, saved):
    """Assert that the model of a folder is the one that was saved, without and with its head."""
    ours, theirs = load_model(str(folder)).model, load_model(str(saved)).model
    assert same_tensors(ours.state_dict(), theirs.state_dict())
    with_head = transformers.AutoModelForMaskedLM
    whole, expected = with_head.from_pretrained(folder), with_head.from_pretrained(saved)
    assert same_tensors(whole.state_dict(), expected.state_dict())
    assert whole.get_output_embeddings().weight is whole.get_input_embeddings().weight


def converted(folder, **files):
    """Convert the weights of files; return the tensors."""
    folder.mkdir(exist_ok=True)
    for name, body in files.items():
        (folder / name).write_bytes(body)
    convert(folder)
    return load_file(folder / "model.safetensors")


def test_a_model_without_safetensors_is_converted_once(fetch, tmp_path):
    saved = make_bert(tmp_path / "saved")
    body = pickled(old_weights(saved))
    assert fetch(others_of(saved) | {BIN: body}, "--weights-sha256", sha256(body)) == (0, [])
    folder = tmp_path / "models" / FOLDER
    assert {file.name for file in folder.iterdir()} == {"files.json", *os.listdir(saved)}
    record = json.loads((tmp_path / "record.json").read_text())
    assert record == json.loads((folder / "files.json").read_text())
    assert record["converted_from"] == [{"name": BIN, "size": len(body), "sha256": sha256(body)}]
    load_as_saved(folder, saved)

    # once there it is checked, not converted again, and the pin applies to its source
    before = (folder / "model.safetensors").stat().st_mtime_ns
    assert fetch({}, "--weights-sha256", sha256(body)) == (0, [])
    assert (folder / "model.safetensors").stat().st_mtime_ns == before
    status, [line] = fetch({}, "--weights-sha256", "0" * 64)
    assert status == 2
    assert f"{BIN} has sha256 {sha256(body)}, the config {'0' * 64}; fix `weights_sha256`" in line


@pytest.mark.parametrize("make", [make_bert, make_roberta])
def test_tied_tensors_and_old_names_in_the_form_before_1_6(make, tmp_path):
    saved = make(tmp_path / "saved")
    body = pickled(old_weights(saved), _use_new_zipfile_serialization=False)
    converted(tmp_path / "old", **others_of(saved), **{BIN: body})
    load_as_saved(tmp_path / "old", saved)


def test_views_of_larger_memory_and_parameters_are_written_alone(tmp_path):
    large = torch.arange(24.0).reshape(4, 6)
    parts = {"row": large[1], "columns": large.T, "parameter": torch.nn.Parameter(large[2:])}
    parts["empty"] = torch.zeros(0)
    assert same_tensors(converted(tmp_path, **{BIN: pickled(parts)}), parts)
    written, source = (tmp_path / name for name in ("model.safetensors", BIN))
    assert written.stat().st_mode == source.stat().st_mode


def test_pickles_in_several_files(fetch, tmp_path):
    names = [f"pytorch_model-0000{number}-of-00002.bin" for number in (1, 2)]
    shards = {names[0]: pickled({"a": torch.ones(2)}), names[1]: pickled({"b": torch.zeros(3)})}
    index = {"metadata": {}, "weight_map": dict(zip("ab", names, strict=True))}
    assert fetch(OTHERS | shards | {INDEX: json.dumps(index).encode()}) == (0, [])
    found = load_file(tmp_path / "models" / FOLDER / "model.safetensors")
    assert {name: tensor.tolist() for name, tensor in found.items()} == {"a": [1, 1], "b": [0] * 3}
    record = json.loads((tmp_path / "record.json").read_text())
    assert [one["name"] for one in record["converted_from"]] == [*names, INDEX]


@pytest.mark.parametrize(
    ("weight_map", "message"),
    [
        ({"a": "../../outside.bin"}, "names '../../outside.bin', which is not a file of weights"),
        ({"a": "pytorch_model-00002-of-00002.bin"}, "no pytorch_model-00002-of-00002.bin, which"),
        ({"b": "pytorch_model-00001-of-00002.bin"}, "b is in none of its files"),
        ([], "has no `weight_map`; the repository is damaged"),
    ],
)
def test_an_index_that_its_files_do_not_fit(weight_map, message, tmp_path):
    shard = {"pytorch_model-00001-of-00002.bin": pickled({"a": torch.ones(2)})}
    index = {INDEX: json.dumps({"weight_map": weight_map}).encode()}
    with pytest.raises(UserError, match=message):
        converted(tmp_path, **shard, **index)


class Caller:
    """What a pickle makes of it calls os.system."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("form", ["zip", "before-1.6", "plain"])
def test_a_pickle_that_calls_a_program_is_refused_and_calls_none(form, tmp_path):
    called = tmp_path / "called"
    body = pickle.dumps(Caller(called), protocol=2)
    if form != "plain":
        content = {"weight": torch.ones(2), "bad": Caller(called)}
        body = pickled(content, _use_new_zipfile_serialization=form == "zip")
    with pytest.raises(UserError, match=r"pytorch_model.bin: it refers to posix.system; it is re"):
        converted(tmp_path, **{BIN: body})
    assert not called.exists()
    assert files_below(tmp_path) == [BIN]
    # it would have been called
    pickle.loads(pickle.dumps(Caller(called)))
    assert called.exists()


WHOLE = pickled({"weight": torch.ones(500)})
OLD = pickled({"weight": torch.ones(500)}, _use_new_zipfile_serialization=False)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (WHOLE[: len(WHOLE) // 2], "does not contain readable tensors"),
        (OLD[:-99], "does not contain readable tensors"),
        (OLD[:20], "does not contain readable tensors"),
        (b"a page in its place", "does not contain readable tensors"),
        (b"", "does not contain readable tensors"),
        (pickled(torch.ones(2)), "holds no tensors by name"),
        (pickled({"model": {"weight": torch.ones(2)}}), "model is no dense tensor with a name"),
        (pickled({"weight": torch.ones(2).to_sparse()}), "weight is no dense tensor with a name"),
        (pickled({"weight": torch.ones(2, device="meta")}), "weight is no dense tensor with a"),
        (pickled({}), "holds no tensors by name"),
    ],
)
def test_what_is_not_whole_or_not_weights_is_refused(body, message, tmp_path):
    with pytest.raises(UserError) as error:
        converted(tmp_path, **{BIN: body})
    assert f"{BIN}: {message}" in str(error.value)
    assert files_below(tmp_path) == [BIN]


def test_the_command_refuses_in_one_line_and_leaves_nothing(fetch, tmp_path):
    called = tmp_path / "called"
    body = pickled({"weight": torch.ones(2), "bad": Caller(called)})
    line = refused(fetch, tmp_path, OTHERS | {BIN: body})
    assert f"error: model {ADDRESS}: {BIN}: it refers to posix.system; it is refused" in line
    assert not called.exists()


def test_a_wrong_hash_is_refused_before_anything_is_read(fetch, tmp_path):
    # other bytes than the hub has the hash of
    sent = WHOLE[:-1] + b"x"
    line = refused(fetch, tmp_path, OTHERS | {BIN: WHOLE}, swapped={BIN: sent})
    assert f"{BIN}: bytes that do not match the hub's hash; they were deleted" in line
    # the hub's, but not those that the config pins
    body = pickle.dumps(Caller(tmp_path / "called"), protocol=2)
    line = refused(fetch, tmp_path, OTHERS | {BIN: body}, "--weights-sha256", "0" * 64)
    assert f"{BIN} has sha256 {sha256(body)}, the config {'0' * 64}" in line


def test_a_pickle_that_names_more_memory_than_its_file_has_is_refused(project, tmp_path):
    count = 10**6
    body = pickled({"weight": torch.ones(count)}, _use_new_zipfile_serialization=False)
    # the number of elements, as it is written into the pickle: 8 GB
    huge = body.replace(count.to_bytes(4, "little"), (2**31 - 1).to_bytes(4, "little"))
    huge = huge.replace(count.to_bytes(8, "little"), (2**31 - 1).to_bytes(8, "little"))
    assert huge != body
    (tmp_path / BIN).write_bytes(huge)
    command = [sys.executable, "-m", "workflow_scripts.downloads.convert_weights"]
    command += ["--folder", str(tmp_path)]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True)
    assert result.returncode == 2
    assert "memory" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert files_below(tmp_path) == [BIN]
