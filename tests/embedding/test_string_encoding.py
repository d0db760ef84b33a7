"""Vectors of many strings, against the model called on one string at a time."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sentence_transformers import SentenceTransformer
from tiny_models import make_sentences
from transformers import AutoModel, AutoTokenizer

from workflow_scripts.embedding.encoder_folder import load_model, save_encoder
from workflow_scripts.embedding.pooling_names import POOLINGS as POOLING_NAMES
from workflow_scripts.embedding.string_encoding import encode_strings, torch_encoder
from workflow_scripts.errors import UserError

STRINGS = [*make_sentences(23), "a", "", "the " * 60, "dog", "éß 中文", "dog"]
POOLINGS = list(POOLING_NAMES)


@pytest.fixture(scope="module")
def model_of(tiny_bert, tiny_roberta):
    """A function from pooling to a loaded model that can be pooled so."""
    models = {folder: load_model(str(folder)) for folder in (tiny_bert, tiny_roberta)}
    return lambda pooling: models[tiny_roberta if pooling == "pooler" else tiny_bert]


def encode_one(folder, text: str, pooling: str, max_length: int) -> np.ndarray:
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    padding = "max_length" if pooling == "mean_padded" else False
    tokens = tokenizer(
        text, truncation=True, max_length=max_length, padding=padding, return_tensors="pt"
    )
    with torch.no_grad():
        states = model.eval()(
            input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"]
        ).last_hidden_state[0]
    return (states[0] if pooling == "cls" else states.mean(dim=0)).numpy()


@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
@pytest.mark.parametrize("pooling", ["cls", "mean", "mean_padded"])
def test_batching_changes_neither_vectors_nor_order(model, pooling, request):
    folder = request.getfixturevalue(model)
    vectors = encode_strings(load_model(str(folder)), STRINGS, pooling, 24, token_budget=100)
    assert vectors.dtype == np.float32
    expected = np.array([encode_one(folder, text, pooling, 24) for text in STRINGS])
    np.testing.assert_allclose(vectors, expected, atol=2e-5)


def test_same_strings_give_the_same_bytes(tiny_bert):
    runs = [encode_strings(load_model(str(tiny_bert)), STRINGS, "mean", 24) for _ in range(2)]
    assert runs[0].tobytes() == runs[1].tobytes()


def test_a_model_left_in_training_mode_is_put_in_eval_mode(tiny_roberta):
    loaded = load_model(str(tiny_roberta))
    expected = encode_strings(loaded, STRINGS, "cls", 24)
    loaded.model.train()
    np.testing.assert_array_equal(encode_strings(loaded, STRINGS, "cls", 24), expected)


def test_no_strings_give_no_vectors(tiny_bert):
    assert encode_strings(load_model(str(tiny_bert)), [], "cls", 24).shape == (0, 32)


def test_pooler_needs_a_model_with_a_pooler_layer(tiny_bert, tiny_roberta):
    assert encode_strings(load_model(str(tiny_roberta)), ["a"], "pooler", 24).shape == (1, 32)
    with pytest.raises(UserError, match=r"tiny-bert hold no pooler layer"):
        encode_strings(load_model(str(tiny_bert)), ["a"], "pooler", 24)


@pytest.mark.parametrize(("model", "limit"), [("tiny_bert", 66), ("tiny_roberta", 64)])
def test_a_length_beyond_the_models_positions_is_refused(model, limit, request):
    loaded = load_model(str(request.getfixturevalue(model)))
    assert encode_strings(loaded, ["the " * 90], "cls", limit).shape == (1, 32)
    with pytest.raises(UserError, match=rf"more than the {limit} positions"):
        encode_strings(loaded, ["a"], "cls", limit + 1)


@pytest.mark.parametrize(
    ("model", "pooling"),
    [
        *((model, name) for model in ("tiny_bert", "tiny_roberta") for name in POOLINGS[:3]),
        ("tiny_roberta", "pooler"),
    ],
)
def test_vectors_are_those_of_sentence_transformers(model, pooling, request, tmp_path):
    loaded = load_model(str(request.getfixturevalue(model)))
    save_encoder(tmp_path / "encoder", loaded, pooling, 20, {}, "")
    theirs = SentenceTransformer(str(tmp_path / "encoder"), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(encode_strings(loaded, STRINGS, pooling, 20), theirs, atol=1e-5)


@pytest.mark.parametrize("pooling", POOLINGS)
@settings(deadline=None, max_examples=20)
@given(
    rows=st.lists(st.integers(0, len(STRINGS) - 1), min_size=1, max_size=60),
    token_budget=st.integers(1, 600),
)
def test_order_repetition_and_budget_do_not_change_vectors(model_of, pooling, rows, token_budget):
    loaded = model_of(pooling)
    alone = encode_strings(loaded, STRINGS, pooling, 24, token_budget=1)
    vectors = encode_strings(loaded, [STRINGS[row] for row in rows], pooling, 24, token_budget)
    np.testing.assert_allclose(vectors, alone[rows], atol=5e-6, rtol=1e-6)


def test_equal_strings_are_run_once(tiny_bert):
    loaded = load_model(str(tiny_bert))
    run = []
    loaded.model.register_forward_hook(
        lambda _module, _inputs, output: run.append(len(output.last_hidden_state))
    )
    vectors = encode_strings(loaded, ["dog", "cat", "dog"] * 50, "cls", 24)
    assert sum(run) == 2
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(vectors[0], vectors[1])


def test_several_workers_give_the_same_bytes_and_keep_the_number_of_threads(tiny_bert):
    loaded = load_model(str(tiny_bert))
    alone = encode_strings(loaded, STRINGS, "mean", 24, token_budget=30)
    torch.set_num_threads(3)
    try:
        encoder = torch_encoder(loaded, "mean", 24, token_budget=30)
        assert encoder.workers == 3
        assert encoder.encode(STRINGS).tobytes() == alone.tobytes()
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(1)


def test_an_error_in_a_worker_ends_the_job(tiny_bert):
    loaded = load_model(str(tiny_bert))
    encoder = torch_encoder(loaded, "mean", 24, token_budget=30)

    def fail(_ids, _mask):
        raise RuntimeError("out of memory")

    with pytest.raises(RuntimeError, match="out of memory"):
        replace(encoder, run_batch=fail, workers=2).encode(STRINGS)
    assert torch.get_num_threads() == 1


def test_half_precision_is_refused_on_a_cpu_and_auto_is_float32_there(tiny_bert):
    loaded = load_model(str(tiny_bert))
    exact = encode_strings(loaded, STRINGS, "mean", 24)
    auto = encode_strings(loaded, STRINGS, "mean", 24, precision="auto")
    assert auto.tobytes() == exact.tobytes()
    with pytest.raises(UserError, match="precision float16 needs a CUDA device"):
        encode_strings(loaded, STRINGS, "mean", 24, precision="float16")
    with pytest.raises(UserError, match="precision 'int4' is unknown"):
        encode_strings(loaded, STRINGS, "mean", 24, precision="int4")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("precision", ["auto", "bfloat16"])
def test_half_precision_on_cuda_is_close(tiny_bert, precision):
    loaded = load_model(str(tiny_bert), "cuda")
    exact = encode_strings(loaded, STRINGS, "mean", 24)
    half = encode_strings(loaded, STRINGS, "mean", 24, precision=precision)
    norms = np.linalg.norm(exact, axis=1) * np.linalg.norm(half, axis=1)
    assert ((exact * half).sum(axis=1) / norms).min() > 0.99


def test_progress_counts_every_string(tiny_bert, capsys):
    encode_strings(load_model(str(tiny_bert)), STRINGS, "cls", 24, report=True)
    assert f"embedded {len(STRINGS)}/{len(STRINGS)} strings" in capsys.readouterr().err


@pytest.mark.parametrize("most", [1, 3])
def test_a_batch_that_does_not_fit_into_memory_is_done_in_halves(most, tiny_bert, monkeypatch):
    loaded = load_model(str(tiny_bert))
    whole = encode_strings(loaded, STRINGS, "mean", 20)
    forward, refused = type(loaded.model).forward, []

    def limited(self, input_ids, **options):
        if len(input_ids) > most:
            refused.append(len(input_ids))
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, input_ids=input_ids, **options)

    monkeypatch.setattr(type(loaded.model), "forward", limited)
    found = encode_strings(loaded, STRINGS, "mean", 20)
    assert refused
    np.testing.assert_allclose(found, whole, rtol=0, atol=1e-5)
    most = 0
    with pytest.raises(UserError, match="out of memory with a single string"):
        encode_strings(loaded, STRINGS, "mean", 20)
