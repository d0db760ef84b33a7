"""Dropout while a model is tuned: rates of the four places, states and attention by our masks."""

import pytest
import torch
from torch import nn
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout import _seeded_attention, drop_out
from workflow_scripts.tuning.dropout_masks import DropoutMasks
from workflow_scripts.tuning.recipe import DropoutRates

IDS = torch.tensor([[2, 7, 8, 9, 3], [2, 9, 3, 0, 0]])
MASK = (IDS > 0).long()
MODELS = ["tiny_bert", "tiny_roberta"]


@pytest.fixture
def masks():
    return DropoutMasks(33, "cpu")


def load(name, request):
    rates = {"hidden_dropout_prob": 0.5, "attention_probs_dropout_prob": 0.4}
    return AutoModel.from_pretrained(request.getfixturevalue(name), **rates).train()


def states(model, masks):
    masks.start(1, 0, 0, 2, 2)
    return model(input_ids=IDS, attention_mask=MASK).last_hidden_state


def rates_of(model):
    layer = model.encoder.layer[1]
    parts = (model.embeddings, layer.attention.self, layer.attention.output, layer.output)
    return tuple(part.dropout.p for part in parts)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("rates", "expected"),
    [
        (0.25, (0.25,) * 4),
        (DropoutRates(attention=0.2, feed_forward=0.0), (0.5, 0.2, 0.5, 0.0)),
        (None, (0.5, 0.4, 0.5, 0.5)),
    ],
)
def test_one_rate_is_for_all_places_and_rates_by_place_leave_the_others(
    rates, expected, name, request, masks
):
    model = load(name, request)
    # One place after the embeddings, three in each of two layers.
    assert drop_out(model, rates, masks) == 7
    assert rates_of(model) == expected


@pytest.mark.parametrize("name", MODELS)
def test_states_are_those_of_our_masks_in_the_model_s_dropout(name, request, masks, monkeypatch):
    """The eager attention of transformers with `torch.nn.functional.dropout` replaced."""
    model = load(name, request)
    drop_out(model, 0.3, masks)
    folder = request.getfixturevalue(name)
    rates = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    options = {**dict.fromkeys(rates, 0.3), "attn_implementation": "eager"}
    oracle = AutoModel.from_pretrained(folder, **options).train()

    def drop(values, p=0.5, training=True, inplace=False):
        return values * masks.draw(values.shape, p, values.dtype) if training else values

    with torch.no_grad():
        ours = states(model, masks)
        monkeypatch.setattr(nn.functional, "dropout", drop)
        theirs = states(oracle, masks)
        torch.testing.assert_close(ours[MASK.bool()], theirs[MASK.bool()], rtol=1e-5, atol=1e-5)
        # in eval mode nothing is dropped
        torch.testing.assert_close(states(model.eval(), masks), states(oracle.eval(), masks))


def test_what_a_model_cannot_be_set_to_is_refused(request, masks):
    model = load("tiny_bert", request)
    model.config.model_type = "newest"
    assert drop_out(model, 0.1, masks) == 7
    unknown = "places of newest are not known; give one rate"
    with pytest.raises(UserError, match=unknown):
        drop_out(model, DropoutRates(attention=0.1), masks)
    for module in list(model.modules()):
        if hasattr(module, "dropout"):
            module.dropout = nn.Identity()
            module.dropout.p = 0.0
    assert drop_out(model, 0.0, masks) == 0
    with pytest.raises(UserError, match=r"has no dropout to set to 0\.1; set dropout: null"):
        drop_out(model, 0.1, masks)


@pytest.mark.parametrize("scaling", [None, 0.7])
def test_attention_is_the_formula_with_dropped_weights(scaling, masks):
    """softmax(scale q k') with weights dropped, at v; positions that are masked have no weight."""
    module = nn.Module()
    module.mirror_masks = masks
    query, key, value = torch.randn(3, 2, 4, 5, 6)
    seen = torch.ones(2, 1, 5, 5, dtype=torch.bool)
    seen[1, :, :, 3:] = False
    masks.start(1, 0, 0, 2, 2)
    found, _ = _seeded_attention(module, query, key, value, seen, 0.4, scaling)
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * (scaling or 6**-0.5)
    weights = torch.exp(scores) * seen
    weights = weights / weights.sum(dim=-1, keepdim=True)
    masks.start(1, 0, 0, 2, 2)
    weights = weights * masks.draw(weights.shape, 0.4, torch.float32)
    torch.testing.assert_close(found, torch.einsum("bhqk,bhkd->bqhd", weights, value))
