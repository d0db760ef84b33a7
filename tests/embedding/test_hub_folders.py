"""Folders that sentence-transformers saved give its vectors, with no option."""

import shutil

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (
    Dense,
    Normalize,
    Pooling,
    Transformer,
)

import mirror_bert
from tests.support.command_words import as_argv
from tests.support.tiny_models import make_sentences
from workflow_scripts import embed
from workflow_scripts.embedding.embed_suite import encode
from workflow_scripts.embedding.onnx_encoding import onnx_encoder
from workflow_scripts.embedding.onnx_export import export_onnx
from workflow_scripts.embedding.recorded_settings import recipe_settings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.methods.register import read_recipe

STRINGS = [*make_sentences(30), "a", "the " * 90, "éß 中文", "dog", "dog"]
PROMPTS = {"query": "a man sees ", "document": "the small ", "other": "cat "}
# weights of modules are drawn
torch.manual_seed(5)
# LaBSE is like `dense`
KINDS = {
    "mean": ([Pooling(32, "mean")], {}),
    "cls": ([Pooling(32, "cls"), Normalize()], {}),
    "dense": ([Pooling(32, "cls"), Dense(32, 24), Normalize()], {}),
    "residual": (
        [
            *(Pooling(32, "max"), Dense(32, 20, bias=False, activation_function=torch.nn.GELU())),
            Dense(20, 20, activation_function=None, use_residual=True),
            Dense(20, 12, use_residual=True),
        ],
        {},
    ),
    "prompts": ([Pooling(32, "mean")], {"prompts": PROMPTS, "default_prompt_name": "other"}),
    "truncated": ([Pooling(32, "mean"), Normalize()], {"truncate_dim": 10}),
}


@pytest.fixture(scope="module", params=KINDS)
def folder(request, tiny_bert, tmp_path_factory):
    modules, options = KINDS[request.param]
    path = tmp_path_factory.mktemp("hub") / request.param
    whole = [Transformer(str(tiny_bert), max_seq_length=20), *modules]
    SentenceTransformer(modules=whole, device="cpu", **options).save(str(path))
    return path


def theirs_of(folder):
    model = SentenceTransformer(str(folder), device="cpu")
    return {
        "default": model.encode(STRINGS),
        "query": model.encode_query(STRINGS),
        "passage": model.encode_document(STRINGS),
    }


def assert_equal(ours, theirs):
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)


def test_a_folder_gives_the_vectors_of_sentence_transformers_for_each_role(folder):
    encoder = mirror_bert.load(folder, device="cpu")
    for role, vectors in theirs_of(folder).items():
        assert_equal(encoder.encode(STRINGS, role=role), vectors)
    assert encoder.dimension == vectors.shape[1]


def test_the_encoder_is_saved_as_a_folder_that_both_load_with_the_same_vectors(folder, tmp_path):
    expected = theirs_of(folder)
    saved = mirror_bert.load(folder, device="cpu").save(tmp_path / "saved")
    ours = mirror_bert.load(saved, device="cpu")
    for role, vectors in theirs_of(saved).items():
        assert_equal(vectors, expected[role])
        assert_equal(ours.encode(STRINGS, role=role), expected[role])
    # and it can be replaced: all files are known
    ours.save(saved, overwrite=True)
    in_memory = ours.to_sentence_transformers()
    assert_equal(in_memory.encode(STRINGS), expected["default"])


def test_commands_and_recipes_take_a_folder_as_it_is(folder, tmp_path):
    expected = theirs_of(folder)["default"]
    (tmp_path / "strings.txt").write_text("".join(f"{string}\n" for string in STRINGS))
    output = tmp_path / "vectors.npy"
    options = {"--model": folder, "--strings": tmp_path / "strings.txt", "--output": output}
    embed.main(as_argv(options | {"--device": "cpu"}))
    assert_equal(np.load(output), expected)
    block = {"method": "none", "pooling": "recorded", "embed_max_length": 512}
    record = read_recipe("own", block).settings.as_record()
    settings = recipe_settings(str(folder), record)
    assert_equal(encode(str(folder), STRINGS, settings, 1, "cpu")[0], expected)


def test_onnx_gives_the_same_vectors(folder):
    encoder = mirror_bert.load(folder, device="cpu")
    file = export_onnx(encoder.loaded, folder)
    vectors = onnx_encoder(encoder.loaded, file, encoder.settings, 1).encode(STRINGS)
    np.testing.assert_allclose(vectors, encoder.encode(STRINGS), atol=1e-4)
    shutil.rmtree(folder / "onnx")


def test_a_recipe_with_recorded_settings_keeps_what_it_says_itself(tiny_bert, tmp_path):
    modules = [Transformer(str(tiny_bert), max_seq_length=20), Pooling(32, "cls")]
    options = {"prompts": PROMPTS, "truncate_dim": 10, "device": "cpu"}
    SentenceTransformer(modules=modules, **options).save(str(tmp_path))
    block = {"method": "none", "pooling": "recorded", "embed_max_length": 16, "dimensions": 4}
    record = read_recipe("own", block | {"prompts": {"query": "q "}}).settings.as_record()
    settings = recipe_settings(str(tmp_path), record)
    assert settings.as_record() == {
        **{"pooling": "cls", "max_length": 16, "dimensions": 4, "prompts": {"query": "q "}},
    }
    with pytest.raises(UserError, match="does not record one; give pooling cls"):
        recipe_settings(str(tiny_bert), record)


def test_a_hub_id_is_read_as_a_folder_is(folder, monkeypatch):
    monkeypatch.setattr("huggingface_hub.snapshot_download", lambda *_, **__: str(folder))
    encoder = mirror_bert.load("some/model", device="cpu")
    assert encoder.name == "some/model"
    assert_equal(encoder.encode(STRINGS), theirs_of(folder)["default"])


def save_dense(tiny_bert, folder):
    modules = [Transformer(str(tiny_bert), max_seq_length=20), Pooling(32, "cls"), Dense(32, 24)]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder))
    return folder


def test_another_pooling_is_of_the_model_alone_and_says_so(tiny_bert, tmp_path, capsys):
    folder = save_dense(tiny_bert, tmp_path / "dense")
    capsys.readouterr()
    encoder = mirror_bert.load(folder, pooling="mean", device="cpu")
    (line,) = capsys.readouterr().err.splitlines()
    assert line == (
        "warning: vectors come from dense alone, pooled by mean, not from the encoder that its "
        "folder describes: pooling cls, then Dense"
    )
    alone = mirror_bert.load(tiny_bert, pooling="mean", max_length=20, device="cpu")
    assert encoder.encode(STRINGS).tobytes() == alone.encode(STRINGS).tobytes()


def test_vectors_of_another_dense_module_are_of_another_model(tiny_bert, tmp_path):
    first, second = (save_dense(tiny_bert, tmp_path / name) for name in "ab")
    digests = [mirror_bert.load(first, device="cpu").loaded.model_sha256]
    # the same module with other random weights
    shutil.rmtree(first / "2_Dense")
    shutil.copytree(second / "2_Dense", first / "2_Dense")
    digests.append(mirror_bert.load(first, device="cpu").loaded.model_sha256)
    assert len(set(digests)) == 2


def test_a_dense_module_that_names_no_activation_has_that_of_sentence_transformers(
    tiny_bert, tmp_path
):
    folder = save_dense(tiny_bert, tmp_path / "dense")
    edit_config(folder / "2_Dense", '"activation_function"', '"unread"')
    theirs = SentenceTransformer(str(folder), device="cpu").encode(STRINGS)
    assert_equal(mirror_bert.load(folder, device="cpu").encode(STRINGS), theirs)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda own: (own / "model.safetensors").unlink(), "2_Dense has no model.safetensors"),
        (lambda own: (own / "model.safetensors").write_bytes(b"x"), "2_Dense: damaged"),
        (
            lambda own: edit_config(own, "torch.nn.modules.activation.Tanh", "own.module.Snake"),
            "the activation own.module.Snake",
        ),
        (
            lambda own: edit_config(own, '"in_features": 32', '"in_features": 31'),
            "2_Dense: damaged",
        ),
    ],
)
def test_a_dense_module_that_cannot_be_read_is_refused(change, message, tiny_bert, tmp_path):
    folder = save_dense(tiny_bert, tmp_path / "dense")
    change(folder / "2_Dense")
    with pytest.raises(UserError, match=message):
        mirror_bert.load(folder, device="cpu")


def edit_config(folder, old, new):
    content = (folder / "config.json").read_text()
    assert old in content
    (folder / "config.json").write_text(content.replace(old, new))
