"""The loss at masked positions against transformers' own, and the warm start."""

import numpy as np
import pytest
import torch
from transformers import PreTrainedTokenizerFast

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.masked_lm import build_model, masked_loss, warm_start
from workflow_scripts.pretraining.settings import Architecture

FAMILIES = {"WordPiece": "bert", "BPE": "roberta"}


def architecture_for(tokenizer: PreTrainedTokenizerFast) -> Architecture:
    family = FAMILIES[type(tokenizer.backend_tokenizer.model).__name__]
    return Architecture(family, layers=2, units=24, heads=3, feed_forward=32)


def test_the_loss_equals_that_of_transformers(tokenizer: PreTrainedTokenizerFast) -> None:
    model = build_model(architecture_for(tokenizer), tokenizer, seed=3)
    encoded = tokenizer(
        ["the cat sees a song", "every child draws the river and her new house"],
        padding=True,
        return_tensors="pt",
    )
    labels = torch.full_like(encoded.input_ids, -100)
    labels[0, 2], labels[1, 1], labels[1, 5] = 17, 8, 30
    theirs = model(
        input_ids=encoded.input_ids, attention_mask=encoded.attention_mask, labels=labels
    ).loss
    ours = masked_loss(model, encoded.input_ids, encoded.attention_mask, labels)
    torch.testing.assert_close(ours, theirs)
    total = masked_loss(model, encoded.input_ids, encoded.attention_mask, labels, "sum")
    torch.testing.assert_close(total, 3 * theirs)
    ours.backward()
    gradient = model.get_input_embeddings().weight.grad.clone()
    model.zero_grad()
    theirs.backward()
    torch.testing.assert_close(gradient, model.get_input_embeddings().weight.grad)


def test_a_text_of_the_tokenizers_maximum_length_fits(tokenizer: PreTrainedTokenizerFast) -> None:
    model = build_model(architecture_for(tokenizer), tokenizer, seed=3).eval()
    encoded = tokenizer("the cat " * 99, truncation=True, return_tensors="pt")
    assert encoded.input_ids.shape[1] == tokenizer.model_max_length
    assert model(**encoded).logits.shape == (1, tokenizer.model_max_length, len(tokenizer))


def test_the_warm_start_sets_embeddings_and_output_bias(
    tokenizer: PreTrainedTokenizerFast,
) -> None:
    model = build_model(architecture_for(tokenizer), tokenizer, seed=3)
    size = len(tokenizer)
    vectors = np.random.default_rng(0).normal(0, 0.05, (size, 24)).astype(np.float32)
    counts = np.arange(size)
    warm_start(model, vectors, counts)
    state = model.state_dict()
    embeddings = model.get_input_embeddings().weight
    np.testing.assert_array_equal(embeddings.detach().numpy(), vectors)
    assert model.get_output_embeddings().weight is embeddings
    bias = model.get_output_embeddings().bias.detach().numpy()
    np.testing.assert_allclose(np.exp(bias), (counts + 1) / (counts + 1).sum(), rtol=1e-5)
    assert any(key.endswith("bias") and value.shape == (size,) for key, value in state.items())


def test_mistakes_are_told(tokenizer: PreTrainedTokenizerFast) -> None:
    with pytest.raises(UserError, match="unknown family 'gpt'; use bert or roberta"):
        build_model(Architecture("gpt"), tokenizer, 0)
    with pytest.raises(UserError, match="24 is no multiple of heads"):
        build_model(Architecture("bert", units=24, heads=5), tokenizer, 0)
    model = build_model(architecture_for(tokenizer), tokenizer, 0)
    with pytest.raises(UserError, match="word vectors have the shape"):
        warm_start(model, np.zeros((2, 2), dtype=np.float32), np.zeros(2))
