"""XLNet and XLM as they are: positions, padding, token types and lengths, by transformers alone."""

import json

import numpy as np
import pytest
import tiny_architectures as tiny
import torch
from sentence_transformers import SentenceTransformer
from tiny_models import cpu_means, make_sentences
from transformers import AutoConfig, AutoModel, AutoTokenizer

from workflow_scripts.downloads.convert_weights import convert
from workflow_scripts.embedding.encoder_folder import load_model, position_limit, save_encoder
from workflow_scripts.embedding.onnx_encoding import onnx_encoder
from workflow_scripts.embedding.onnx_export import export_onnx
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.prediction import load_masked_lm
from workflow_scripts.tuning.training_copy import TrainingCopy

NAMES = tuple(tiny.AS_THEY_ARE)
# One is cut, one is a single piece, one has the text of a mark in it.
STRINGS = [*make_sentences(12), "a", "the small cat " * 30, "the <cls> cat"]
LENGTH = 20


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """The folder of each, with the head that the published weights have."""
    root = tmp_path_factory.mktemp("models")
    return {name: tiny.make_architecture(root / name, name, head=True) for name in NAMES}


def states_by_hand(folder, string):
    """The hidden states of each layer of one string without padding, by transformers alone."""
    model, tokenizer = (kind.from_pretrained(folder) for kind in (AutoModel, AutoTokenizer))
    is_xlnet = model.config.model_type == "xlnet"
    # XLM was trained without
    options = {"return_tensors": "pt", "return_token_type_ids": is_xlnet}
    batch = tokenizer(string, truncation=True, max_length=LENGTH, **options)
    if is_xlnet:
        # [CLS], at the end, is a segment of its own
        assert batch["token_type_ids"][0].tolist() == [0] * (len(batch["input_ids"][0]) - 1) + [2]
        assert batch["input_ids"][0, -1] == tokenizer.cls_token_id
    with torch.no_grad():
        output = model.eval()(**batch, output_hidden_states=True)
    return [states[0] for states in output.hidden_states]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layer", [None, 1])
def test_vectors_are_those_of_transformers_string_by_string(name, layer, folder_of):
    settings = EncoderSettings("mean", LENGTH, layer)
    ours = encode_strings(load_model(str(folder_of[name])), STRINGS, settings)
    states = [states_by_hand(folder_of[name], string) for string in STRINGS]
    expected = [each[-1 if layer is None else layer].mean(dim=0).numpy() for each in states]
    # vectors that hardly differ would agree whatever is done wrong
    assert np.ptp(expected, axis=0).mean() > 0.3
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_an_encoder_folder_gives_the_same_vectors_in_other_libraries(name, folder_of, tmp_path):
    folder, settings = tmp_path / "encoder", EncoderSettings("mean", LENGTH)
    loaded = load_model(str(folder_of[name]))
    ours = encode_strings(loaded, STRINGS, settings)
    save_encoder(folder, loaded, settings, {}, {})
    encoder = SentenceTransformer(str(folder), device="cpu")
    np.testing.assert_allclose(encoder.encode(STRINGS, batch_size=7), ours, rtol=0, atol=1e-5)
    loaded = load_model(str(folder))
    by_onnx = onnx_encoder(loaded, export_onnx(loaded, folder), settings, 1)
    np.testing.assert_allclose(by_onnx.encode(STRINGS), ours, atol=1e-4)


@pytest.mark.parametrize("pooling", ["cls", "pooler"])
def test_the_first_position_of_xlnet_is_not_taken_for_its_cls(pooling, folder_of):
    loaded = load_model(str(folder_of["xlnet"]))
    with pytest.raises(UserError, match=r"after the string, not first; use mean|no pooler layer"):
        encode_strings(loaded, ["a"], EncoderSettings(pooling, LENGTH))
    with pytest.raises(UserError, match="does not put special tokens first and last"):
        encode_strings(loaded, ["a"], EncoderSettings("mean_pieces", LENGTH))
    # XLM's first token is its first mark
    states = states_by_hand(folder_of["xlm"], STRINGS[0])
    vectors = encode_strings(
        load_model(str(folder_of["xlm"])), STRINGS[:1], EncoderSettings("cls", LENGTH)
    )
    np.testing.assert_allclose(vectors[0], states[-1][0], rtol=0, atol=1e-5)


def test_xlnet_takes_any_length_and_xlm_its_positions(folder_of):
    assert position_limit(load_model(str(folder_of["xlnet"])).model) is None
    limit = AutoConfig.from_pretrained(folder_of["xlm"]).max_position_embeddings
    loaded = load_model(str(folder_of["xlm"]))
    with pytest.raises(UserError, match=f"more than the {limit} positions"):
        encode_strings(loaded, ["a"], EncoderSettings("mean", limit + 1))


@pytest.mark.parametrize("name", NAMES)
def test_pickled_weights_are_converted_and_are_the_same(name, folder_of, tmp_path):
    folder = tiny.make_architecture(tmp_path / name, name, head=True)
    weights = folder / "model.safetensors"
    model = tiny.head_class(name).from_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    weights.unlink()
    convert(folder)
    vectors = [
        encode_strings(load_model(str(source)), STRINGS, EncoderSettings("mean", LENGTH))
        for source in (folder_of[name], folder)
    ]
    np.testing.assert_array_equal(*vectors)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("xlm", {"use_lang_emb": True, "n_langs": 15}, "needs the language of each string"),
        ("xlm", {"causal": True}, "set up for causal attention"),
        ("xlnet", {"attn_type": "uni"}, "set up for causal attention"),
    ],
)
def test_what_would_give_wrong_vectors_without_a_word_is_refused(name, changes, message, tmp_path):
    folder = tiny.make_architecture(tmp_path / name, name)
    content = json.loads((folder / "config.json").read_text()) | changes
    (folder / "config.json").write_text(json.dumps(content))
    with pytest.raises(UserError, match=message):
        load_model(str(folder))


def test_a_package_that_a_tokenizer_lacks_is_named(folder_of, tmp_path, monkeypatch):
    def lacking(*_, **__):
        raise ImportError("You need to install sacremoses to use XLMTokenizer.")

    monkeypatch.setattr(
        "workflow_scripts.embedding.encoder_folder.AutoTokenizer.from_pretrained", lacking
    )
    with pytest.raises(
        UserError, match=r"install sacremoses .*; install the package that it names"
    ):
        load_model(str(folder_of["xlm"]))


def test_token_types_make_a_difference(folder_of):
    """Or the vectors would agree without them."""
    tokenizer = AutoTokenizer.from_pretrained(folder_of["xlnet"])
    batch = tokenizer(STRINGS[0], return_tensors="pt")
    model = AutoModel.from_pretrained(folder_of["xlnet"]).eval()
    with torch.no_grad():
        without = model(batch["input_ids"]).last_hidden_state[0]
    assert (without - states_by_hand(folder_of["xlnet"], STRINGS[0])[-1]).abs().max() > 0.01


def test_xlnet_has_no_head_to_train_with_masks(folder_of):
    with pytest.raises(UserError, match="xlnet has no head that predicts masked pieces"):
        load_masked_lm(load_model(str(folder_of["xlnet"])), 1)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_not_tuned(name, folder_of):
    with pytest.raises(UserError, match=f"type {name}: its dropout cannot be seeded"):
        TrainingCopy(load_model(str(folder_of[name])).model, cpu_means(), None)
