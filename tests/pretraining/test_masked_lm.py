"""Masking, the loss at masked positions against transformers' own, and the warm start."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining import masked_lm
from workflow_scripts.pretraining.settings import Architecture

FAMILIES = {"WordPiece": "bert", "BPE": "roberta"}
MASK = 4
ORDINARY = np.arange(5, 1000)


def architecture_for(tokenizer):
    family = FAMILIES[type(tokenizer.backend_tokenizer.model).__name__]
    return Architecture(family=family, layers=2, units=24, heads=3, feed_forward=32)


def test_the_loss_equals_that_of_transformers(tokenizer):
    model = masked_lm.build_model(architecture_for(tokenizer), tokenizer, seed=3)
    texts = ["the cat sees a song", "every child draws the river and her new house"]
    encoded = tokenizer(texts, padding=True, return_tensors="pt")
    labels = torch.full_like(encoded.input_ids, -100)
    labels[0, 2], labels[1, 1], labels[1, 5] = 17, 8, 30
    ids, mask = encoded.input_ids, encoded.attention_mask
    theirs = model(input_ids=ids, attention_mask=mask, labels=labels).loss
    ours = masked_lm.masked_loss(model, ids, mask, labels)
    torch.testing.assert_close(ours, theirs)
    total = masked_lm.masked_loss(model, ids, mask, labels, "sum")
    torch.testing.assert_close(total, 3 * theirs)
    ours.backward()
    gradient = model.get_input_embeddings().weight.grad.clone()
    model.zero_grad()
    theirs.backward()
    torch.testing.assert_close(gradient, model.get_input_embeddings().weight.grad)
    # A text of the tokenizer's maximum length fits.
    encoded = tokenizer("the cat " * 99, truncation=True, return_tensors="pt")
    assert encoded.input_ids.shape[1] == tokenizer.model_max_length
    assert model(**encoded).logits.shape == (1, tokenizer.model_max_length, len(tokenizer))


def test_the_warm_start_sets_embeddings_and_output_bias(tokenizer):
    model = masked_lm.build_model(architecture_for(tokenizer), tokenizer, seed=3)
    size = len(tokenizer)
    vectors = np.random.default_rng(0).normal(0, 0.05, (size, 24)).astype(np.float32)
    counts = np.arange(size)
    masked_lm.warm_start(model, vectors, counts)
    embeddings = model.get_input_embeddings().weight
    np.testing.assert_array_equal(embeddings.detach().numpy(), vectors)
    assert model.get_output_embeddings().weight is embeddings
    bias = model.get_output_embeddings().bias.detach().numpy()
    np.testing.assert_allclose(np.exp(bias), (counts + 1) / (counts + 1).sum(), rtol=1e-5)
    with pytest.raises(UserError, match="word vectors have the shape"):
        masked_lm.warm_start(model, np.zeros((2, 2), dtype=np.float32), np.zeros(2))


def test_shares_are_those_of_bert_within_five_deviations():
    generator = np.random.default_rng(1)
    ids = generator.choice(ORDINARY, size=(200, 100))
    special = np.zeros(ids.shape, dtype=bool)
    inputs, labels = masked_lm.mask_pieces(ids, special, 0.2, MASK, ORDINARY, generator)
    chosen = labels != masked_lm.IGNORED

    def near(count, total, share):
        return abs(count - total * share) < 5 * np.sqrt(total * share * (1 - share))

    assert near(chosen.sum(), ids.size, 0.2)
    assert near((inputs[chosen] == MASK).sum(), chosen.sum(), 0.8)
    # A random piece equals the true one once in 995 times.
    changed = (inputs[chosen] != MASK) & (inputs[chosen] != ids[chosen])
    assert near(changed.sum(), chosen.sum(), 0.1 * (1 - 1 / len(ORDINARY)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(3, 12), st.floats(0.0, 1.0))
def test_labels_are_the_truth_and_special_tokens_stay(seed, rows, length, masked):
    generator = np.random.default_rng(seed)
    ids = generator.choice(ORDINARY, size=(rows, length))
    ids[:, 0], ids[:, -1] = 2, 3
    special = np.isin(ids, (2, 3))
    inputs, labels = masked_lm.mask_pieces(ids, special, masked, MASK, ORDINARY, generator)
    chosen = labels != masked_lm.IGNORED
    assert chosen.any()
    assert not (chosen & special).any()
    assert (labels[chosen] == ids[chosen]).all()
    assert (inputs[~chosen] == ids[~chosen]).all()
    assert np.isin(inputs[chosen], np.append(ORDINARY, MASK)).all()


def test_special_tokens_alone_have_no_masks():
    ids = np.full((3, 9), 7)
    with pytest.raises(ValueError, match="nothing to mask"):
        masked_lm.mask_pieces(ids, ids > 0, 0.5, MASK, ORDINARY, np.random.default_rng(0))
