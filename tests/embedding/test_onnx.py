"""ONNX files of an encoder folder, against the same model in torch."""

import json
import shutil

import numpy as np
import onnxruntime
import pytest
import torch
from tiny_models import make_bert, make_sentences
from transformers import AutoModel

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.onnx_encoding import onnx_encoder
from workflow_scripts.embedding.onnx_export import HiddenStates, export_onnx, quantize_onnx
from workflow_scripts.embedding.settings import POOLINGS, EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError

STRINGS = [*make_sentences(23), "a", "", "the " * 60, "dog", "éß 中文", "dog"]


@pytest.fixture(scope="module", params=["tiny_bert", "tiny_roberta"])
def exported(request, tmp_path_factory):
    """A model folder with both ONNX files."""
    folder = tmp_path_factory.mktemp("exported") / request.param
    shutil.copytree(request.getfixturevalue(request.param), folder)
    export_onnx(load_model(str(folder)), folder)
    quantize_onnx(folder)
    return folder


@pytest.mark.parametrize("shape", [(1, 3), (1, 64), (17, 33)])
def test_hidden_states_are_those_of_torch_at_any_shape(exported, shape):
    session = onnxruntime.InferenceSession(exported / "onnx" / "model.onnx")
    generator = np.random.default_rng(shape)
    ids = generator.integers(5, 40, size=shape)
    mask = (np.arange(shape[1]) < generator.integers(1, shape[1] + 1, size=shape[0])[:, None]) * 1
    feed = {"input_ids": ids, "attention_mask": mask}
    assert {node.name for node in session.get_inputs()} == set(feed)
    ours = session.run(["last_hidden_state"], feed)[0]
    with torch.no_grad():
        theirs = AutoModel.from_pretrained(exported).eval()(
            **{name: torch.from_numpy(value) for name, value in feed.items()}
        )
    real = mask.astype(bool)
    np.testing.assert_allclose(ours[real], theirs.last_hidden_state.numpy()[real], atol=1e-4)


@pytest.mark.parametrize("pooling", [name for name in POOLINGS if name != "projected"])
@pytest.mark.parametrize(("token_budget", "threads"), [(1, 1), (100, 2), (4096, 1)])
def test_vectors_are_those_of_torch_and_int8_is_close(exported, pooling, token_budget, threads):
    loaded = load_model(str(exported))
    if pooling == "pooler" and loaded.model.pooler is None:
        return
    expected = encode_strings(loaded, STRINGS, EncoderSettings(pooling, 24))
    for name in ("model.onnx", "model_quantized.onnx"):
        path = exported / "onnx" / name
        encoder = onnx_encoder(
            loaded, path, EncoderSettings(pooling, 24), threads, token_budget=token_budget
        )
        vectors = encoder.encode(STRINGS)
        if name == "model.onnx":
            np.testing.assert_allclose(vectors, expected, atol=1e-4)
        norms = np.linalg.norm(vectors, axis=1) * np.linalg.norm(expected, axis=1)
        # of a string without pieces mean_pieces makes zero vectors
        some = norms > 0
        assert some.sum() >= len(STRINGS) - 1
        assert ((vectors * expected).sum(axis=1)[some] / norms[some]).min() > 0.99


def test_only_the_int8_file_holds_int8_weights(exported):
    import onnx

    def types_of(name):
        graph = onnx.load(exported / "onnx" / name).graph
        return {tensor.data_type for tensor in graph.initializer if len(tensor.dims) == 2}

    assert types_of("model.onnx") == {onnx.TensorProto.FLOAT}
    assert onnx.TensorProto.INT8 in types_of("model_quantized.onnx")


def test_a_file_made_from_other_weights_and_a_damaged_one_are_refused(exported, tmp_path):
    other = load_model(str(make_bert(tmp_path / "other", hidden_size=16)))
    with pytest.raises(UserError, match="was exported from other weights"):
        onnx_encoder(
            other, exported / "onnx" / "model_quantized.onnx", EncoderSettings("cls", 24), 1
        )
    same = load_model(str(shutil.copytree(exported, tmp_path / "same")))
    with open(tmp_path / "same" / "config.json", "a") as stream:
        stream.write(" ")
    for name in ("model.onnx", "model_quantized.onnx"):
        with pytest.raises(
            UserError, match=r"was exported from another config.json than the folder's"
        ):
            onnx_encoder(same, tmp_path / "same" / "onnx" / name, EncoderSettings("cls", 24), 1)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(UserError, match=r"model.onnx: cannot be loaded.*export it again"):
        onnx_encoder(other, tmp_path / "model.onnx", EncoderSettings("cls", 24), 1)


def test_a_file_that_fails_or_gives_other_vectors_is_not_kept(tiny_bert, tmp_path, monkeypatch):
    loaded = load_model(str(tiny_bert))
    forward = HiddenStates.forward

    def altered_when_traced(self, *inputs):
        states = forward(self, *inputs)
        return tuple(s * 1.1 for s in states) if torch.jit.is_tracing() else states

    monkeypatch.setattr(HiddenStates, "forward", altered_when_traced)
    with pytest.raises(UserError, match="gives different vectors than torch"):
        export_onnx(loaded, tmp_path)
    monkeypatch.setattr(torch.onnx, "export", None)
    with pytest.raises(UserError, match=r"tiny-bert: cannot be exported to ONNX.*callable"):
        export_onnx(loaded, tmp_path)
    assert list((tmp_path / "onnx").iterdir()) == []


def test_the_tokenizer_settles_the_inputs(tiny_bert, tmp_path):
    folder = shutil.copytree(tiny_bert, tmp_path / "bert")
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config["model_input_names"] = ["input_ids", "token_type_ids", "attention_mask"]
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    loaded = load_model(str(folder))
    path = export_onnx(loaded, folder)
    assert not loaded.model.training
    session = onnxruntime.InferenceSession(path)
    assert {node.name for node in session.get_inputs()} == {*config["model_input_names"]}
    vectors = onnx_encoder(loaded, path, EncoderSettings("cls", 24), 1).encode(STRINGS)
    np.testing.assert_allclose(
        vectors, encode_strings(loaded, STRINGS, EncoderSettings("cls", 24)), atol=1e-4
    )
