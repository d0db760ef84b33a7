"""The loss at masked positions against transformers' own, and the warm start."""

import numpy as np
import pytest
import torch

from bundled_models import masked_lm
from bundled_models.settings import Architecture
from workflow_scripts.errors import UserError
from workflow_scripts.language_modelling.prediction import masked_loss

FAMILIES = {"WordPiece": "bert", "BPE": "roberta"}


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
    ours = masked_loss(model, ids, mask, labels)
    torch.testing.assert_close(ours, theirs)
    total = masked_loss(model, ids, mask, labels, "sum")
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
