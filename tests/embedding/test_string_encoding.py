"""Vectors of many strings, against the model called on one string at a time."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import make_sentences
from transformers import AutoModel, AutoTokenizer

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.embedding.token_batches import plan_batches
from workflow_scripts.errors import UserError

STRINGS = [*make_sentences(23), "a", "", "the " * 60, "dog", "éß 中文", "dog"]


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


@given(st.lists(st.integers(1, 50)), st.integers(1, 120))
def test_batches_hold_every_string_once_and_keep_the_budget(lengths, budget):
    batches = list(plan_batches(lengths, budget))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget
