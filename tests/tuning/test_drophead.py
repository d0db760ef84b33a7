"""Drophead: which heads are dropped, how the others are scaled, and that nothing turns NaN."""

import pytest
import torch
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.dropout import drop_heads, drop_out_heads
from workflow_scripts.tuning.dropout_masks import DropoutMasks

MODELS = ["tiny_bert", "tiny_roberta"]
IDS = torch.tensor([[2, 7, 8, 9, 3], [2, 9, 3, 0, 0]])
MASK = (IDS > 0).long()
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def load(name, request):
    folder = request.getfixturevalue(name)
    return AutoModel.from_pretrained(folder, **NO_DROPOUT)


def masks_for(strings, seed=33):
    masks = DropoutMasks(seed, "cpu")
    masks.start(1, 0, 0, strings, strings)
    return masks


def test_heads_are_dropped_whole_string_by_string_and_the_others_scaled():
    context = torch.rand(500, 3, 4, 2) + 1.0
    factors = drop_heads(context, 0.3, masks_for(500)) / context
    # Constant over positions and dimensions of a head.
    assert torch.allclose(factors, factors[:, :1, :, :1].expand_as(factors))
    factors = factors[:, 0, :, 0]
    kept = (factors > 0).sum(dim=1)
    for row, count in zip(factors, kept, strict=True):
        expected = 4 / max(int(count), 1)
        assert all(value == 0 or abs(value - expected) < 1e-5 for value in row.tolist())
    assert 0.65 < kept.float().mean() / 4 < 0.75
    assert set(kept.tolist()) >= {1, 2, 3, 4}
    # all heads dropped gives zero, not nan
    context = torch.ones(200, 2, 2, 3, requires_grad=True)
    dropped = drop_heads(context, 0.99, masks_for(200))
    dropped.sum().backward()
    assert torch.isfinite(dropped).all()
    assert torch.isfinite(context.grad).all()
    assert (dropped == 0).all(dim=(1, 2, 3)).any()


@pytest.mark.parametrize("name", MODELS)
def test_the_models_attention_context_is_what_is_dropped(name, request):
    model = load(name, request)
    attention = model.encoder.layer[0].attention
    contexts, taken = [], []
    attention.self.register_forward_hook(lambda _m, _inputs, output: contexts.append(output[0]))
    masks = masks_for(2)
    drop_out_heads(model, 0.5, masks)
    attention.output.dense.register_forward_pre_hook(lambda _m, inputs: taken.append(inputs[0]))
    with torch.no_grad():
        model.train()(input_ids=IDS, attention_mask=MASK)
    masks.start(1, 0, 0, 2, 2)
    kept = (masks.draw(torch.Size((2, 1, 4, 1)), 0.5, torch.float32) > 0).float()
    scale = 4 / kept.sum(dim=2, keepdim=True).clamp(min=1)
    expected = contexts[0].view(2, 5, 4, 8) * kept * scale
    torch.testing.assert_close(taken[0].view(2, 5, 4, 8), expected)


@pytest.mark.parametrize("name", MODELS)
def test_it_does_nothing_in_eval_mode(name, request):
    model = load(name, request).eval()
    with torch.no_grad():
        before = model(input_ids=IDS, attention_mask=MASK).last_hidden_state
        drop_out_heads(model, 0.5, masks_for(2))
        assert torch.equal(model(input_ids=IDS, attention_mask=MASK)[0], before)


def test_an_architecture_whose_attention_is_not_known_is_named(request):
    model = load("tiny_bert", request)
    model.config.model_type = "newest"
    message = r"attention of newest is not known .*; set drophead: 0"
    with pytest.raises(UserError, match=message):
        drop_out_heads(model, 0.1, masks_for(2))
