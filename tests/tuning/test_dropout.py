"""Dropout while a model is tuned: rates of the four places, and the model as it was afterwards."""

import pytest
import torch
from torch import nn
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout import SeededDropout, _seeded_attention, seeded_dropout
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
def test_one_rate_is_for_all_places_and_rates_by_place_leave_the_others(name, request, masks):
    model = load(name, request)
    # One place after the embeddings, three in each of two layers.
    with seeded_dropout(model, 0.25, masks) as places:
        assert places == 7
        assert rates_of(model) == (0.25,) * 4
    assert rates_of(model) == (0.5, 0.4, 0.5, 0.5)
    with seeded_dropout(model, DropoutRates(attention=0.2, feed_forward=0.0), masks):
        assert rates_of(model) == (0.5, 0.2, 0.5, 0.0)
    with seeded_dropout(model, None, masks):
        assert rates_of(model) == (0.5, 0.4, 0.5, 0.5)


@pytest.mark.parametrize("name", MODELS)
def test_states_are_those_of_our_masks_in_the_model_s_dropout(name, request, masks, monkeypatch):
    """The eager attention of transformers with `torch.nn.functional.dropout` replaced."""
    model = load(name, request)
    with torch.no_grad(), seeded_dropout(model, 0.3, masks):
        ours = states(model, masks)
    folder = request.getfixturevalue(name)
    rates = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    options = {**dict.fromkeys(rates, 0.3), "attn_implementation": "eager"}
    oracle = AutoModel.from_pretrained(folder, **options).train()

    def drop(values, p=0.5, training=True, inplace=False):
        return values * masks.draw(values.shape, p, values.dtype)

    monkeypatch.setattr(nn.functional, "dropout", drop)
    with torch.no_grad():
        theirs = states(oracle, masks)
    torch.testing.assert_close(ours[MASK.bool()], theirs[MASK.bool()], rtol=1e-5, atol=1e-5)


def test_in_eval_mode_nothing_is_dropped_and_the_model_is_left_as_it_was(request, masks, tmp_path):
    model = load("tiny_bert", request).eval()
    with torch.no_grad():
        before = states(model, masks)
        with seeded_dropout(model, 0.5, masks):
            torch.testing.assert_close(states(model, masks), before)
        assert torch.equal(states(model, masks), before)
    assert not any(isinstance(module, SeededDropout) for module in model.modules())
    assert not any(hasattr(module, "mirror_masks") for module in model.modules())
    model.save_pretrained(tmp_path)
    assert "mirror" not in (tmp_path / "config.json").read_text()


def test_what_a_model_cannot_be_set_to_is_refused(request, masks):
    model = load("tiny_bert", request)
    model.config.model_type = "newest"
    with seeded_dropout(model, 0.1, masks) as places:
        assert places == 7
    rates = DropoutRates(attention=0.1)
    unknown = "places of newest are not known; give one rate"
    with pytest.raises(UserError, match=unknown), seeded_dropout(model, rates, masks):
        pass
    for module in list(model.modules()):
        if hasattr(module, "dropout"):
            module.dropout = nn.Identity()
            module.dropout.p = 0.0
    with seeded_dropout(model, 0.0, masks) as places:
        assert places == 0
    none = r"has no dropout to set to 0\.1; set dropout: null"
    with pytest.raises(UserError, match=none), seeded_dropout(model, 0.1, masks):
        pass


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
