"""Model folders and encoder folders, against transformers and sentence-transformers."""

import json
import shutil
import socket

import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import SentenceTransformer
from tiny_models import make_bert, make_sentences
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from workflow_scripts.embedding.encoder_folder import load_model, save_encoder, weights_sha256
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.errors import UserError

STRINGS = [*make_sentences(30), "a", "the small cat " * 30]


def save(source, folder, pooling, max_length=20, card=""):
    save_encoder(folder, load_model(str(source)), pooling, max_length, {}, card)
    return folder


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return (left * right).sum(axis=1) / norms


@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_padded"])
def test_sentence_transformers_gives_our_vectors(model, pooling, request, tmp_path):
    folder = save(request.getfixturevalue(model), tmp_path / "encoder", pooling)
    ours = encode_strings(load_model(str(folder)), STRINGS, pooling, 20)
    encoder = SentenceTransformer(str(folder), device="cpu")
    assert encoder.max_seq_length == 20
    for batch_size in (1, 7, 64):
        theirs = encoder.encode(STRINGS, batch_size=batch_size)
        np.testing.assert_allclose(theirs, ours, atol=2e-5)
        assert cosines(theirs, ours).min() > 1 - 1e-5
    # Saved again by sentence-transformers itself, it is still the same encoder.
    encoder.save(str(tmp_path / "again"))
    again = SentenceTransformer(str(tmp_path / "again"), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(again, ours, atol=2e-5)


def test_padding_counts_in_mean_padded_and_differs_from_mean(tiny_bert, tmp_path):
    folder = save(tiny_bert, tmp_path / "padded", "mean_padded")
    short = SentenceTransformer(str(folder), device="cpu").encode(["a", "the dog"])
    folder = save(tiny_bert, tmp_path / "mean", "mean")
    masked = SentenceTransformer(str(folder), device="cpu").encode(["a", "the dog"])
    assert np.abs(short - masked).max() > 0.1


@pytest.mark.parametrize("pooling", ["cls", "mean_padded"])
def test_a_tokenizer_that_pads_on_the_left_is_made_to_pad_on_the_right(pooling, tmp_path):
    source = make_bert(tmp_path / "model")
    AutoTokenizer.from_pretrained(source, padding_side="left").save_pretrained(source)
    folder = save(source, tmp_path / "encoder", pooling)
    ours = encode_strings(load_model(str(make_bert(tmp_path / "plain"))), STRINGS, pooling, 20)
    theirs = SentenceTransformer(str(folder), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(theirs, ours, atol=2e-5)


def test_pooler_vectors_too_are_those_of_sentence_transformers(tiny_roberta, tmp_path):
    folder = save(tiny_roberta, tmp_path / "encoder", "pooler")
    ours = encode_strings(load_model(str(folder)), STRINGS, "pooler", 20)
    theirs = SentenceTransformer(str(folder), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(theirs, ours, atol=2e-5)


def test_the_folder_holds_what_sentence_transformers_itself_would_write(tiny_bert, tmp_path):
    folder = save(tiny_bert, tmp_path / "ours", "cls")
    SentenceTransformer(str(folder), device="cpu").save(str(tmp_path / "theirs"))
    for name in (
        "modules.json",
        "1_Pooling/config.json",
        "sentence_bert_config.json",
        "config_sentence_transformers.json",
        "tokenizer.json",
    ):
        ours, theirs = (
            json.loads((tmp_path / side / name).read_text()) for side in ("ours", "theirs")
        )
        if name == "sentence_bert_config.json":
            # It keeps the length with the tokenizer; ours says it here too, where readers look.
            assert ours.pop("max_seq_length") == 20
        if name == "config_sentence_transformers.json":
            del theirs["__version__"]
        assert ours == theirs, name


def test_transformers_loads_weights_and_tokenizer(tiny_roberta, tmp_path):
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


def test_a_pooler_layer_that_the_weights_lack_is_not_made_up(tiny_bert, tmp_path):
    folder = save(tiny_bert, tmp_path / "encoder", "cls")
    assert load_model(str(folder)).model.pooler is None
    assert not [key for key in load_model(str(folder)).model.state_dict() if "pooler" in key]


def test_saving_does_not_depend_on_what_the_tokenizer_did_before(tiny_bert, tmp_path):
    loaded = load_model(str(tiny_bert))
    save_encoder(tmp_path / "before", loaded, "mean", 20, {}, "")
    encode_strings(loaded, STRINGS, "mean", 9)
    save_encoder(tmp_path / "after", loaded, "mean", 20, {}, "")
    names = sorted(path.name for path in (tmp_path / "before").iterdir() if path.is_file())
    for name in names:
        assert (tmp_path / "before" / name).read_bytes() == (tmp_path / "after" / name).read_bytes()


def test_a_local_folder_never_touches_the_network(tiny_bert, tmp_path, monkeypatch):
    def refuse(*_arguments):
        raise AssertionError("asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    save(tiny_bert, tmp_path / "encoder", "cls")


def remove(*names):
    def damage(folder):
        for name in names:
            (folder / name).unlink()

    return damage


def pickle_weights(folder):
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")


def cut_weights(folder):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:500])


def ask_for_more_layers(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))


def ask_for_other_shapes(folder):
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "intermediate_size": 50}))


def ask_for_custom_code(folder):
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoModel": "own.Own", "AutoConfig": "own.C"}}
    (folder / "config.json").write_text(json.dumps(config))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (remove("model.safetensors"), "no model.safetensors"),
        (remove("config.json"), "no config.json"),
        (remove("tokenizer.json"), "no tokenizer.json"),
        (pickle_weights, "no model.safetensors"),
        (cut_weights, "damaged|cannot be loaded"),
        (ask_for_more_layers, "do not fit config.json"),
        (ask_for_other_shapes, "do not fit config.json|cannot be loaded"),
        (ask_for_custom_code, "model cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("{"), "model cannot be loaded"),
        (lambda folder: (folder / "tokenizer.json").write_text("{"), "tokenizer cannot be loaded"),
    ],
)
def test_a_folder_that_will_not_do_is_named_with_the_reason(damage, message, tmp_path):
    folder = make_bert(tmp_path / "broken-model")
    damage(folder)
    with pytest.raises(UserError, match=message) as caught:
        load_model(str(folder))
    assert "broken-model" in str(caught.value)


@pytest.mark.parametrize("source", ["no/such/folder", "./nothing", "", "a b"])
def test_a_path_that_is_not_there_is_named(source):
    with pytest.raises(UserError, match="no such model folder"):
        load_model(source)


def test_a_hub_id_that_cannot_be_fetched_is_named(monkeypatch):
    def fail(*_arguments, **_options):
        raise OSError("offline")

    monkeypatch.setattr("huggingface_hub.snapshot_download", fail)
    with pytest.raises(UserError, match=r"some/model@abc: no such folder.*could not be fetched"):
        load_model("some/model@abc")


def test_a_hub_id_is_loaded_from_the_fetched_folder_at_its_revision(tiny_bert, monkeypatch):
    asked = []

    def fetch(name, revision, allow_patterns):
        asked.append((name, revision))
        return str(tiny_bert)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetch)
    assert load_model("some/model@abc").name == "some/model@abc"
    assert asked == [("some/model", "abc")]


def test_a_failed_save_leaves_nothing(tiny_bert, tmp_path):
    with pytest.raises(TypeError):
        save_encoder(
            tmp_path / "encoder", load_model(str(tiny_bert)), "cls", 20, {"x": object()}, ""
        )
    assert list(tmp_path.iterdir()) == []


def save_without_weights(folder, config):
    """A folder with the tokenizer of the tiny BERT and the weights of another model."""
    make_bert(folder)
    (folder / "model.safetensors").unlink()
    AutoModel.from_config(config).save_pretrained(folder)
    return folder


SMALL = {"vocab_size": 100, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            transformers.GPT2Config(vocab_size=100, n_embd=16, n_layer=1, n_head=2),
            "gpt2 is a decoder",
        ),
        (
            transformers.T5Config(
                vocab_size=100, d_model=16, d_kv=8, d_ff=16, num_layers=1, num_heads=2
            ),
            "t5 is an encoder-decoder",
        ),
        (
            transformers.BartConfig(
                vocab_size=100,
                d_model=16,
                encoder_layers=1,
                decoder_layers=1,
                encoder_attention_heads=2,
                decoder_attention_heads=2,
                encoder_ffn_dim=16,
                decoder_ffn_dim=16,
            ),
            "bart is an encoder-decoder",
        ),
        (
            transformers.BertConfig(**SMALL, intermediate_size=16, is_decoder=True),
            "bert is set up as a decoder",
        ),
        (
            transformers.DPRConfig(**SMALL, intermediate_size=16),
            "dpr is no masked language model",
        ),
        (
            transformers.FNetConfig(
                vocab_size=100, hidden_size=16, num_hidden_layers=1, intermediate_size=16
            ),
            "fnet takes no attention mask",
        ),
    ],
    ids=["gpt2", "t5", "bart", "decoder", "dpr", "fnet"],
)
def test_what_is_no_encoder_is_refused_in_one_line_with_what_is_taken(config, message, tmp_path):
    folder = save_without_weights(tmp_path / "other-model", config)
    with pytest.raises(UserError, match=message) as caught:
        load_model(str(folder))
    text = str(caught.value)
    assert "other-model" in text
    assert "BERT, RoBERTa" in text
    assert "ModernBERT are taken" in text
    assert "\n" not in text


def shard(folder, prefix="model"):
    """Save the weights of a folder, head included, in files of 20 kB named `prefix`-... ."""
    model = AutoModelForMaskedLM.from_pretrained(folder)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="20KB")
    names = sorted(path.name for path in folder.glob("model-*.safetensors"))
    assert len(names) > 2
    index = (folder / "model.safetensors.index.json").read_text()
    (folder / "model.safetensors.index.json").write_text(index.replace("model-0", f"{prefix}-0"))
    return [
        (folder / name).rename(folder / name.replace("model-0", f"{prefix}-0")) for name in names
    ]


@pytest.mark.parametrize("prefix", ["model", "weights"])
def test_weights_in_several_files_are_the_same_weights(prefix, tmp_path):
    whole = load_model(str(make_bert(tmp_path / "whole")))
    folder = make_bert(tmp_path / "sharded")
    shards = shard(folder, prefix)
    loaded = load_model(str(folder))
    expected = whole.model.state_dict()
    assert loaded.model.state_dict().keys() == expected.keys()
    assert all(torch.equal(loaded.model.state_dict()[key], expected[key]) for key in expected)
    # The hash stands for all the files: a change of any changes it.
    for path in shards:
        before = path.read_bytes()
        path.write_bytes(before + b" ")
        assert weights_sha256(folder) != loaded.weights_sha256
        path.write_bytes(before)
    assert weights_sha256(folder) == loaded.weights_sha256


def test_a_missing_shard_is_named(tmp_path):
    folder = make_bert(tmp_path / "sharded")
    lost = shard(folder)[1]
    lost.unlink()
    with pytest.raises(UserError, match="cannot be loaded") as caught:
        load_model(str(folder))
    assert lost.name in str(caught.value)


def test_a_device_without_room_for_the_weights_is_one_line(tiny_bert, monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(torch.nn.Module, "to", full)
    with pytest.raises(UserError, match="weights alone do not fit into the memory"):
        load_model(str(tiny_bert))
