"""Vectors of many strings, against the model called on one string at a time."""

import threading
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from tiny_architectures import ARCHITECTURES, make_architecture
from tiny_models import make_sentences
from transformers import AutoModel, AutoTokenizer, masking_utils

from workflow_scripts.embedding import string_encoding
from workflow_scripts.embedding.architectures import mask_without_waiting
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.settings import POOLINGS as POOLING_NAMES
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings, torch_encoder
from workflow_scripts.errors import UserError

STRINGS = [*make_sentences(23), "a", "", "the " * 60, "dog", "éß 中文", "dog"]
# projected needs an encoder of method cmlm: tests/tuning/test_cmlm.py
POOLINGS = [name for name in POOLING_NAMES if name != "projected"]


@pytest.fixture(scope="module")
def model_of(tiny_bert, tiny_roberta):
    """A function from pooling to a loaded model that can be pooled so."""
    models = {folder: load_model(str(folder)) for folder in (tiny_bert, tiny_roberta)}
    return lambda pooling: models[tiny_roberta if pooling == "pooler" else tiny_bert]


def encode_each(folder, pooling: str, max_length: int) -> np.ndarray:
    """Return the vectors of `STRINGS` by transformers, each run alone."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder).eval()
    options = {"truncation": True, "max_length": max_length, "return_tensors": "pt"}
    options |= {"padding": "max_length" if pooling == "mean_padded" else False}
    vectors = []
    for text in STRINGS:
        tokens = tokenizer(text, return_token_type_ids=False, **options)
        with torch.no_grad():
            states = model(**tokens).last_hidden_state[0]
        if pooling in ("cls", "max"):
            vectors.append(states[0] if pooling == "cls" else states.max(dim=0).values)
        else:
            taken = states[1:-1] if pooling == "mean_pieces" else states
            vectors.append(taken.sum(dim=0) / max(len(taken), 1))
    return torch.stack(vectors).numpy()


@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
@pytest.mark.parametrize("pooling", [name for name in POOLINGS if name != "pooler"])
def test_batching_changes_neither_vectors_nor_order(model, pooling, request):
    folder = request.getfixturevalue(model)
    vectors = encode_strings(
        load_model(str(folder)), STRINGS, EncoderSettings(pooling, 24), token_budget=100
    )
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, encode_each(folder, pooling, 24), atol=2e-5)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_each_alone_a_string_has_the_same_bits_whatever_is_embedded_with_it(pooling, model_of):
    encoder = torch_encoder(model_of(pooling), EncoderSettings(pooling, 24))
    strings = [*STRINGS, *make_sentences(200)]
    whole = encoder.encode(strings, each_alone=True)
    np.testing.assert_allclose(whole, encoder.encode(strings), atol=2e-5)
    order = np.random.default_rng(0).permutation(len(strings))
    for part in np.array_split(order, 7):
        own = encoder.encode([strings[place] for place in part], each_alone=True)
        np.testing.assert_array_equal(own, whole[part])


def test_a_model_left_in_training_mode_is_put_in_eval_mode(tiny_roberta):
    loaded = load_model(str(tiny_roberta))
    expected = encode_strings(loaded, STRINGS, EncoderSettings("cls", 24))
    loaded.model.train()
    assert (
        encode_strings(loaded, STRINGS, EncoderSettings("cls", 24)).tobytes() == expected.tobytes()
    )
    assert encode_strings(loaded, [], EncoderSettings("cls", 24)).shape == (0, 32)


@pytest.mark.parametrize(("model", "limit"), [("tiny_bert", 66), ("tiny_roberta", 64)])
def test_a_length_beyond_the_positions_and_a_lacking_pooler_are_refused(model, limit, request):
    loaded = load_model(str(request.getfixturevalue(model)))
    assert encode_strings(loaded, ["the " * 90], EncoderSettings("cls", limit)).shape == (1, 32)
    with pytest.raises(UserError, match=rf"more than the {limit} positions"):
        encode_strings(loaded, ["a"], EncoderSettings("cls", limit + 1))
    if model == "tiny_bert":
        with pytest.raises(UserError, match=r"tiny-bert hold no pooler layer"):
            encode_strings(loaded, ["a"], EncoderSettings("pooler", 24))


def test_equal_strings_are_run_once_and_counted_all(tiny_bert, capsys):
    loaded = load_model(str(tiny_bert))
    run = []
    loaded.model.register_forward_hook(lambda _0, _1, out: run.append(len(out.last_hidden_state)))
    encode_strings(loaded, ["dog", "cat", "dog"] * 50, EncoderSettings("cls", 24), report=True)
    assert sum(run) == 2
    assert "embedded 150/150 strings" in capsys.readouterr().err


def test_several_workers_give_the_same_bytes_and_keep_the_number_of_threads(tiny_bert):
    loaded = load_model(str(tiny_bert))
    alone = encode_strings(loaded, STRINGS, EncoderSettings("mean", 24), token_budget=30)
    torch.set_num_threads(3)
    try:
        encoder = torch_encoder(loaded, EncoderSettings("mean", 24), token_budget=30)
        assert encoder.workers == 3
        assert encoder.encode(STRINGS).tobytes() == alone.tobytes()
        # An error in a worker ends the job.
        with pytest.raises(TypeError, match="not callable"):
            replace(encoder, run_batch=None).encode(STRINGS)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(1)


def test_half_precision_is_refused_on_a_cpu_and_auto_is_float32_there(tiny_bert):
    loaded = load_model(str(tiny_bert))
    exact = encode_strings(loaded, STRINGS, EncoderSettings("mean", 24))
    auto = encode_strings(loaded, STRINGS, EncoderSettings("mean", 24), precision="auto")
    assert auto.tobytes() == exact.tobytes()
    refused = {"float16": "float16: needs a CUDA device", "int4": "'int4': unknown"}
    for precision, message in refused.items():
        with pytest.raises(UserError, match=f"precision {message}"):
            encode_strings(loaded, STRINGS, EncoderSettings("mean", 24), precision=precision)


@pytest.fixture
def ahead(model_of, monkeypatch):
    """A function that gives an encoder which works as on a GPU, in pieces of seven strings."""
    monkeypatch.setattr(string_encoding, "STRINGS_AHEAD", 7)

    def make(pooling):
        encoder = torch_encoder(model_of(pooling), EncoderSettings(pooling, 24), token_budget=60)
        return replace(encoder, ahead=torch.device("cpu"))

    return make


@pytest.mark.parametrize("pooling", POOLINGS)
def test_piece_by_piece_the_vectors_and_their_order_are_the_same(pooling, ahead):
    encoder, counts = ahead(pooling), []
    vectors = encoder.encode(STRINGS, counts.append)
    plain = replace(encoder, ahead=None)
    np.testing.assert_allclose(vectors, plain.encode(STRINGS), rtol=0, atol=2e-5)
    # by piece, and the string that is there twice
    assert counts == [7, 7, 7, 7, 1]
    alone = encoder.encode(STRINGS, each_alone=True)
    assert alone.tobytes() == plain.encode(STRINGS, each_alone=True).tobytes()
    assert encoder.encode([]).shape == (0, 32)


@pytest.mark.parametrize("piece_by_piece", [False, True])
@pytest.mark.parametrize("most", [1, 3])
def test_a_batch_that_does_not_fit_into_memory_is_done_in_halves(most, piece_by_piece, ahead):
    encoder = ahead("mean")
    encoder = encoder if piece_by_piece else replace(encoder, ahead=None)
    expected, refused = encoder.encode(STRINGS), []

    def limited(input_ids, attention_mask):
        if len(input_ids) > most:
            refused.append(len(input_ids))
            raise torch.OutOfMemoryError("CUDA out of memory")
        return encoder.run_batch(input_ids, attention_mask)

    small = replace(encoder, run_batch=limited)
    np.testing.assert_allclose(small.encode(STRINGS), expected, rtol=0, atol=1e-5)
    assert refused
    most = 0
    with pytest.raises(UserError, match="out of memory with a single string"):
        small.encode(STRINGS)


def test_an_interrupt_ends_it_with_no_thread_left(ahead):
    encoder, batches = ahead("mean"), []

    def interrupted(input_ids, attention_mask):
        batches.append(len(input_ids))
        if len(batches) == 3:
            raise KeyboardInterrupt
        return encoder.run_batch(input_ids, attention_mask)

    with pytest.raises(KeyboardInterrupt):
        replace(encoder, run_batch=interrupted).encode(STRINGS)
    assert len(batches) == 3
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_no_architecture_minds_the_mask_of_a_gpu(name, tmp_path, monkeypatch):
    """And those that take a mask of keys do not look at what is in it."""
    model = load_model(str(make_architecture(tmp_path / name, name))).model.eval()
    input_ids = torch.randint(5, 30, (3, 12))
    mask = (torch.arange(12) < torch.tensor([[12], [7], [2]])).long()
    with torch.inference_mode():
        expected = model(input_ids=input_ids, attention_mask=mask).last_hidden_state
        full = model(input_ids=input_ids, attention_mask=torch.ones_like(mask)).last_hidden_state
        shown = mask_without_waiting(model, mask, is_full=False)
        if shown.dim() == 4:
            looks_at_it = Mock(side_effect=AssertionError)
            monkeypatch.setattr(masking_utils, "_ignore_bidirectional_mask_sdpa", looks_at_it)
        states = model(input_ids=input_ids, attention_mask=shown).last_hidden_state
        monkeypatch.undo()
        assert mask_without_waiting(model, mask, is_full=True) is None
        whole = model(input_ids=input_ids).last_hidden_state
    real = mask.bool()
    torch.testing.assert_close(states[real], expected[real], rtol=0, atol=1e-6)
    torch.testing.assert_close(whole, full, rtol=0, atol=1e-6)
    assert (shown.dim() == 4) == (name not in ("mpnet", "deberta", "deberta-v2", "modernbert"))
