"""The plain way of CMLM against the model's own forward pass, and what it learns."""

import pytest
import torch
from tiny_models import make_sentences

from benchmarks.plain_cmlm import PlainCmlm, tune_plainly
from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.tuning.recipe import tuning_recipe_of

RECIPE = {"method": "cmlm", "pooling": "mean", "embed_max_length": 20, "max_length": 20}
RECIPE |= {"batch_size": 6, "epochs": 1, "learning_rate": 1e-2, "max_gradient_norm": 1.0}
RECIPE |= {"dropout": 0.0, "projections": 4}


def test_padding_changes_nothing(tiny_bert):
    model = PlainCmlm(str(tiny_bert), tuning_recipe_of("own", RECIPE)).eval()
    loaded = load_model(str(tiny_bert))
    batch = loaded.tokenizer(make_sentences(4), padding=True, return_tensors="pt")
    ids, mask = batch["input_ids"], batch["attention_mask"]
    states = model.encode(model.whole.bert.embeddings(ids), mask)
    expected = loaded.model(input_ids=ids, attention_mask=mask).last_hidden_state
    torch.testing.assert_close(states[mask == 1], expected[mask == 1], rtol=1e-4, atol=1e-4)
    labels = torch.where(mask == 1, ids, -100)
    wide = [torch.nn.functional.pad(one, (0, 3)) for one in (ids, mask)]
    loss = model(ids, mask, ids, mask, labels)
    padded = model(*wide, *wide, torch.nn.functional.pad(labels, (0, 3), value=-100))
    torch.testing.assert_close(loss, padded, rtol=1e-4, atol=1e-4)


def test_steps_and_seed(tiny_bert):
    sentences = make_sentences(40)
    pairs = list(zip(sentences[::2], sentences[1::2], strict=True))

    def tune(seed):
        choices = tuning_recipe_of("own", RECIPE | {"epochs": 4})
        return tune_plainly(load_model(str(tiny_bert)), pairs, choices, seed)

    summary = tune(1)
    # the last incomplete batch of each epoch is dropped
    assert summary.steps == 4 * 3
    assert summary.last_loss < 0.8 * summary.first_loss
    assert tune(1) == summary
    assert tune(2).first_loss != pytest.approx(summary.first_loss, rel=1e-6)
