"""Dropout rates of a model, overwritten."""

import pytest
import torch
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout import overwrite_dropout


@pytest.mark.parametrize("name", ["tiny_bert", "tiny_roberta"])
def test_all_four_places_get_the_rate(name, request):
    model = AutoModel.from_pretrained(
        request.getfixturevalue(name), hidden_dropout_prob=0.5, attention_probs_dropout_prob=0.4
    )
    # One after the embeddings, three in each of two layers.
    assert overwrite_dropout(model, 0.25) == 7
    assert model.embeddings.dropout.p == 0.25
    for layer in model.encoder.layer:
        assert layer.attention.self.dropout.p == 0.25
        assert layer.attention.output.dropout.p == 0.25
        assert layer.output.dropout.p == 0.25


def test_rate_zero_makes_training_mode_deterministic(tiny_bert):
    model = AutoModel.from_pretrained(tiny_bert).train()
    ids = torch.tensor([[2, 7, 8, 3]])
    assert not torch.equal(model(ids).last_hidden_state, model(ids).last_hidden_state)
    overwrite_dropout(model, 0.0)
    assert torch.equal(model(ids).last_hidden_state, model(ids).last_hidden_state)


def test_a_model_without_dropout_layers_is_refused_unless_none_is_wanted():
    assert overwrite_dropout(torch.nn.Linear(2, 2), 0.0) == 0
    with pytest.raises(UserError, match="no dropout layers"):
        overwrite_dropout(torch.nn.Linear(2, 2), 0.1)
