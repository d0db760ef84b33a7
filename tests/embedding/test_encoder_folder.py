"""Model folders and encoder folders, against transformers and sentence-transformers."""

import itertools
import json
import shutil
import socket
from unittest.mock import Mock

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from tiny_models import make_bert, make_sentences
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from workflow_scripts.embedding.encoder_folder import (
    OWN_WEIGHTS,
    load_model,
    model_sha256,
    save_encoder,
    weights_sha256,
)
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json

STRINGS = [*make_sentences(30), "a", "the small cat " * 30]


def save(source, folder, pooling, max_length=20, card=""):
    settings, texts = EncoderSettings(pooling, max_length), {"README.md": card}
    save_encoder(folder, load_model(str(source)), settings, {}, texts)
    return folder


@pytest.mark.parametrize(
    ("model", "pooling"),
    [
        *itertools.product(
            ["tiny_bert", "tiny_roberta"], ["cls", "mean", "mean_pieces", "mean_padded", "max"]
        ),
        ("tiny_roberta", "pooler"),
    ],
)
def test_sentence_transformers_gives_our_vectors(model, pooling, request, tmp_path):
    folder = save(request.getfixturevalue(model), tmp_path / "encoder", pooling)
    ours = encode_strings(load_model(str(folder)), STRINGS, EncoderSettings(pooling, 20))
    encoder = SentenceTransformer(str(folder), device="cpu")
    assert encoder.max_seq_length == 20
    for batch_size in (1, 7, 64):
        theirs = encoder.encode(STRINGS, batch_size=batch_size)
        np.testing.assert_allclose(theirs, ours, atol=2e-5)
    # Saved again by sentence-transformers itself, it is still the same encoder.
    encoder.save(str(tmp_path / "again"))
    again = SentenceTransformer(str(tmp_path / "again"), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(again, ours, atol=2e-5)


@pytest.mark.parametrize("pooling", ["cls", "mean_padded"])
def test_a_tokenizer_that_pads_on_the_left_is_made_to_pad_on_the_right(pooling, tmp_path):
    source = make_bert(tmp_path / "model")
    AutoTokenizer.from_pretrained(source, padding_side="left").save_pretrained(source)
    folder = save(source, tmp_path / "encoder", pooling)
    ours = encode_strings(
        load_model(str(make_bert(tmp_path / "plain"))), STRINGS, EncoderSettings(pooling, 20)
    )
    theirs = SentenceTransformer(str(folder), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(theirs, ours, atol=2e-5)


def test_the_folder_holds_what_sentence_transformers_itself_would_write(tiny_bert, tmp_path):
    folder = save(tiny_bert, tmp_path / "ours", "cls")
    SentenceTransformer(str(folder), device="cpu").save(str(tmp_path / "theirs"))
    names = ("modules", "1_Pooling/config", "tokenizer")
    for name in (*names, "sentence_bert_config", "config_sentence_transformers"):
        ours, theirs = (read_json(tmp_path / side / f"{name}.json") for side in ("ours", "theirs"))
        if name == "sentence_bert_config":
            # It keeps the length with the tokenizer; ours says it here too, where readers look.
            assert ours.pop("max_seq_length") == 20
        if name == "config_sentence_transformers":
            del theirs["__version__"]
        assert ours == theirs, name


def test_transformers_loads_weights_and_tokenizer_offline(tiny_roberta, tmp_path, monkeypatch):
    monkeypatch.setattr(socket.socket, "connect", None)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    folder = save(tiny_roberta, tmp_path / "encoder", "cls")
    before, after = (AutoModel.from_pretrained(path) for path in (tiny_roberta, folder))
    assert before.state_dict().keys() == after.state_dict().keys()
    assert all(map(torch.equal, before.state_dict().values(), after.state_dict().values()))
    tokenizers = [AutoTokenizer.from_pretrained(path) for path in (tiny_roberta, folder)]
    assert tokenizers[0](STRINGS[:5])["input_ids"] == tokenizers[1](STRINGS[:5])["input_ids"]
    assert tokenizers[1].model_max_length == 20


def test_weights_in_half_precision_are_loaded_in_float32(tiny_bert, tmp_path):
    half = shutil.copytree(tiny_bert, tmp_path / "half")
    AutoModel.from_pretrained(tiny_bert).half().save_pretrained(half)
    assert {p.dtype for p in load_model(str(half)).model.parameters()} == {torch.float32}


def test_saving_does_not_depend_on_what_the_tokenizer_did_before(tiny_bert, tmp_path):
    loaded = load_model(str(tiny_bert))
    save_encoder(tmp_path / "before", loaded, EncoderSettings("mean", 20), {}, {})
    encode_strings(loaded, STRINGS, EncoderSettings("mean", 9))
    save_encoder(tmp_path / "after", loaded, EncoderSettings("mean", 20), {}, {})
    # A pooler layer that the weights lack is not made up.
    assert load_model(str(tmp_path / "after")).model.pooler is None
    for path in (tmp_path / "before").rglob("*.*"):
        after = tmp_path / "after" / path.relative_to(tmp_path / "before")
        assert path.read_bytes() == after.read_bytes()


def change_config(**changes):
    return lambda content: json.dumps(json.loads(content) | changes).encode()


def mark_with(number):
    def change(content):
        content = json.loads(content)
        content["post_processor"]["cls"][1] = number
        return json.dumps(content).encode()

    return change


def add_token(content):
    content = json.loads(content)
    keys = ("special", "single_word", "lstrip", "rstrip", "normalized")
    content["added_tokens"].append({"id": 9999, "content": "cat"} | dict.fromkeys(keys, False))
    content["model"]["vocab"]["zebra"] = 9999
    return json.dumps(content).encode()


QUANTISED = {"quantization_config": {"quant_method": "gptq", "bits": 4}}
OWN_CODE = {"model_type": "own", "auto_map": {"AutoModel": "own.Own", "AutoConfig": "own.C"}}


@pytest.mark.parametrize(
    ("name", "damage", "message"),
    [
        ("model.safetensors", None, "no model.safetensors"),
        ("config.json", None, "no config.json"),
        ("tokenizer.json", None, "no tokenizer.json"),
        ("model.safetensors", lambda content: content[:500], "damaged|cannot be loaded"),
        ("config.json", change_config(num_hidden_layers=3), "do not fit config.json"),
        ("config.json", change_config(intermediate_size=50), "not fit config|cannot be loaded"),
        ("config.json", change_config(**OWN_CODE), "model cannot be loaded"),
        ("config.json", change_config(**QUANTISED), "is quantised"),
        ("config.json", lambda _: b"{", "model cannot be loaded"),
        ("tokenizer.json", lambda _: b"{", "tokenizer cannot be loaded"),
        ("tokenizer.json", mark_with(999), "gives the id 999, but vocab_size in config.json is"),
        ("tokenizer.json", add_token, "gives the id 9999, but vocab_size in config.json is"),
        (
            "config.json",
            change_config(chunk_size_feed_forward=7),
            "cannot be run.*; fetch it again",
        ),
        ("config.json", change_config(return_dict=False), "cannot be run.*; fetch it again"),
    ],
)
def test_a_folder_that_will_not_do_is_named_with_the_reason(name, damage, message, tmp_path):
    folder = make_bert(tmp_path / "broken-model")
    # Not read either: weights as a pickle.
    content = (folder / name).rename(folder / "pytorch_model.bin").read_bytes()
    if damage:
        (folder / name).write_bytes(damage(content))
    with pytest.raises(UserError, match=message) as caught:
        load_model(str(folder))
    assert "broken-model" in str(caught.value)


def test_an_encoder_whose_weights_a_run_removed_is_named_with_what_makes_them(tiny_bert, tmp_path):
    folder = save(tiny_bert, tmp_path / "encoder", "mean")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UserError) as caught:
        load_model(str(folder))
    assert "`keep_encoders`" in str(caught.value)
    assert str(caught.value).endswith(f"snakemake --cores 2 {folder}/model.safetensors")


def test_a_hub_id_is_fetched_at_its_revision_and_what_is_not_there_is_named(tiny_bert, monkeypatch):
    def fetch(name, revision, allow_patterns):
        if (name, revision) != ("some/model", "abc"):
            raise OSError("offline")
        return str(tiny_bert)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    assert load_model("some/model@abc").name == "some/model@abc"
    for offline, why in (("1", "HF_HUB_OFFLINE is set"), ("0", "could not be fetched")):
        monkeypatch.setenv("HF_HUB_OFFLINE", offline)
        with pytest.raises(UserError, match=rf"some/model@x: no such folder.*{why}"):
            load_model("some/model@x")
    for source in ("no/such/folder", "./nothing", "a b"):
        with pytest.raises(UserError, match="no such model folder"):
            load_model(source)
    with pytest.raises(UserError, match="`model`: its name is empty; give its folder or hub id"):
        load_model("")


SMALL = {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
WIDTH = {"intermediate_size": 16}
NO_ENCODERS = {
    "gpt2 is a decoder": transformers.GPT2Config(vocab_size=100, n_embd=16, n_layer=1, n_head=2),
    "t5 is an encoder-decoder": transformers.T5Config(**SMALL, d_kv=8, d_ff=16),
    "bert is set up as a decoder": transformers.BertConfig(**SMALL, **WIDTH, is_decoder=True),
    "dpr is not a masked language model": transformers.DPRConfig(**SMALL, **WIDTH),
    "fnet takes no attention mask": transformers.FNetConfig(**SMALL, **WIDTH),
}


@pytest.mark.parametrize("message", NO_ENCODERS)
def test_what_is_no_encoder_is_refused_with_what_is_taken(message, tmp_path):
    # the tokenizer of the tiny BERT and the weights of another model
    folder = make_bert(tmp_path / "other-model")
    (folder / "model.safetensors").unlink()
    AutoModel.from_config(NO_ENCODERS[message]).save_pretrained(folder)
    with pytest.raises(UserError, match=message) as caught:
        load_model(str(folder))
    assert "other-model" in str(caught.value)
    assert str(caught.value).endswith("ModernBERT, XLM and XLNet are supported")


@pytest.mark.parametrize("prefix", ["model", "weights"])
def test_weights_in_several_files_are_the_same_weights(prefix, tmp_path):
    folder = make_bert(tmp_path / "sharded")
    expected = load_model(str(folder)).model.state_dict()
    model = AutoModelForMaskedLM.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="20KB")
    index = folder / "model.safetensors.index.json"
    index.write_text(index.read_text().replace("model-0", f"{prefix}-0"))
    shards = [
        path.rename(folder / path.name.replace("model-0", f"{prefix}-0"))
        for path in sorted(folder.glob("model-0*"))
    ]
    assert len(shards) > 2
    loaded = load_model(str(folder))
    assert loaded.model.state_dict().keys() == expected.keys()
    assert all(torch.equal(loaded.model.state_dict()[key], expected[key]) for key in expected)
    # The hash stands for all the files: a change of any changes it.
    for path in shards:
        before = path.read_bytes()
        path.write_bytes(before + b" ")
        assert weights_sha256(folder) != loaded.weights_sha256
        path.write_bytes(before)
    assert weights_sha256(folder) == loaded.weights_sha256
    shards[1].unlink()
    with pytest.raises(UserError, match=f"no {shards[1].name}, which"):
        load_model(str(folder))


@pytest.mark.parametrize(
    "name",
    [
        *("config.json", "tokenizer.json", "tokenizer_config.json", OWN_WEIGHTS),
        *("model.safetensors", "vocab.txt", "bpe.codes", "README.md", "encoder.json"),
        *("onnx/model.onnx", "1_Pooling/config.json", "pytorch_model.bin", ".gitattributes"),
    ],
)
def test_the_hash_of_a_model_is_of_all_that_makes_its_vectors(name, tiny_bert, tmp_path):
    folder = shutil.copytree(tiny_bert, tmp_path / "bert")
    before = model_sha256(folder, weights_sha256(folder))
    assert load_model(str(folder)).model_sha256 == before
    (folder / name).parent.mkdir(exist_ok=True)
    with open(folder / name, "ab") as stream:
        stream.write(b" ")
    changed = model_sha256(folder, weights_sha256(folder)) != before
    kept = ("README.md", "encoder.json", "pytorch_model.bin", ".gitattributes")
    assert changed == (name not in kept and "/" not in name)


def test_a_device_without_room_for_the_weights_is_one_line(tiny_bert, monkeypatch):
    full = Mock(side_effect=torch.OutOfMemoryError("CUDA out of memory"))
    monkeypatch.setattr(torch.nn.Module, "to", full)
    with pytest.raises(UserError, match="weights alone do not fit into the free memory"):
        load_model(str(tiny_bert))
