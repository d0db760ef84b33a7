"""Drophead: which heads are dropped, how the others are scaled, and that nothing turns NaN."""

import pytest
import torch
from transformers import AutoModel

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.drophead import drop_heads, drophead

MODELS = ["tiny_bert", "tiny_roberta"]
IDS = torch.tensor([[2, 7, 8, 9, 3], [2, 9, 3, 0, 0]])
MASK = (IDS > 0).long()
# The reference below draws from torch's generator like the model does.
NO_DROPOUT = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def load(name, request):
    folder = request.getfixturevalue(name)
    return AutoModel.from_pretrained(folder, **NO_DROPOUT)


def test_heads_are_dropped_whole_string_by_string_and_the_others_scaled():
    torch.manual_seed(3)
    context = torch.rand(500, 3, 4, 2) + 1.0
    factors = drop_heads(context, 0.3) / context
    # Constant over positions and dimensions of a head.
    assert torch.allclose(factors, factors[:, :1, :, :1].expand_as(factors))
    factors = factors[:, 0, :, 0]
    kept = (factors > 0).sum(dim=1)
    for row, count in zip(factors, kept, strict=True):
        expected = 4 / max(int(count), 1)
        assert all(value == 0 or abs(value - expected) < 1e-5 for value in row.tolist())
    assert 0.65 < kept.float().mean() / 4 < 0.75
    assert set(kept.tolist()) >= {1, 2, 3, 4}


def test_all_heads_dropped_gives_zero_not_nan():
    torch.manual_seed(0)
    context = torch.ones(200, 2, 2, 3, requires_grad=True)
    dropped = drop_heads(context, 0.99)
    dropped.sum().backward()
    assert torch.isfinite(dropped).all()
    assert torch.isfinite(context.grad).all()
    assert (dropped == 0).all(dim=(1, 2, 3)).any()


@pytest.mark.parametrize("name", MODELS)
def test_the_models_attention_context_is_what_is_dropped(name, request):
    model = load(name, request)
    attention = model.encoder.layer[0].attention.self
    contexts = []
    attention.register_forward_hook(lambda _module, _inputs, output: contexts.append(output[0]))
    with torch.no_grad():
        model.eval()(input_ids=IDS, attention_mask=MASK)
        with drophead(model, 0.5):
            torch.manual_seed(11)
            model.train()(input_ids=IDS, attention_mask=MASK)
    torch.manual_seed(11)
    kept = (torch.rand(2, 1, 4, 1) >= 0.5).float()
    scale = 4 / kept.sum(dim=2, keepdim=True).clamp(min=1)
    expected = contexts[0].view(2, 5, 4, 8) * kept * scale
    torch.testing.assert_close(contexts[1].view(2, 5, 4, 8), expected)


@pytest.mark.parametrize("name", MODELS)
def test_a_high_rate_never_gives_nan_in_states_or_gradients(name, request):
    model = load(name, request).train()
    with drophead(model, 0.95):
        for seed in range(5):
            torch.manual_seed(seed)
            states = model(input_ids=IDS, attention_mask=MASK).last_hidden_state
            assert torch.isfinite(states).all()
            states.square().mean().backward()
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    assert all(torch.isfinite(gradient).all() for gradient in gradients)


@pytest.mark.parametrize("name", MODELS)
def test_it_does_nothing_in_eval_mode_and_is_gone_afterwards(name, request, tmp_path):
    model = load(name, request).eval()

    def states():
        with torch.no_grad():
            return model(input_ids=IDS, attention_mask=MASK).last_hidden_state

    before, implementation = states(), model.config._attn_implementation
    with drophead(model, 0.5):
        assert torch.equal(states(), before)
    model.train()
    assert torch.equal(states(), before)
    assert model.config._attn_implementation == implementation
    model.save_pretrained(tmp_path)
    assert "drophead" not in (tmp_path / "config.json").read_text()


def test_the_seed_fixes_which_heads_are_dropped(request):
    model = load("tiny_bert", request).train()

    def states(seed):
        torch.manual_seed(seed)
        return model(input_ids=IDS, attention_mask=MASK).last_hidden_state

    with drophead(model, 0.5):
        assert torch.equal(states(1), states(1))
        assert not torch.equal(states(1), states(2))


def test_an_attention_that_cannot_be_replaced_is_named(request, monkeypatch):
    model = load("tiny_bert", request)
    monkeypatch.setattr(type(model), "_can_set_attn_implementation", classmethod(lambda cls: False))
    with (
        pytest.raises(UserError, match="attention of BertModel cannot be replaced"),
        drophead(model, 0.1),
    ):
        pass
