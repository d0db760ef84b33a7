"""The output layer's loss and gradients, against autograd through torch's cross-entropy."""

import pytest
import torch
from torch.nn import functional

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.language_modelling.prediction import load_masked_lm, predict_pieces
from workflow_scripts.tuning import output_layer
from workflow_scripts.tuning.output_layer import OutputLayer
from workflow_scripts.tuning.processes import Workers

PIECES = (3, 1, 0, 6)


def parts_of(whole):
    """Hidden states and ids of four parts, one of them without a piece."""
    torch.manual_seed(5)
    size, vocabulary = whole.config.hidden_size, whole.config.vocab_size
    states = [torch.randn(count, size, dtype=torch.float64) for count in PIECES]
    return states, [torch.randint(vocabulary, (count,)) for count in PIECES]


def load(folder):
    loaded = load_model(str(folder))
    loaded.model.to(torch.float64)
    return load_masked_lm(loaded, 1)


def gradients_of(whole, states):
    found = {name: one.grad for name, one in whole.named_parameters() if one.grad is not None}
    return found, [one.grad for one in states]


@pytest.mark.parametrize("most_owed", [0, 2**27])
@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("scale", [1.0, 0.125])
def test_gradients_are_autograds(most_owed, workers, scale, tiny_bert, monkeypatch):
    monkeypatch.setattr(output_layer, "MOST_OWED", most_owed)
    whole = load(tiny_bert)
    states, ids = parts_of(whole)
    own = [one.clone().requires_grad_() for one in states]
    with Workers(workers) as pool:
        layer = OutputLayer(whole, pool)
        with layer.apart():
            found = []
            for number in range(len(own)):
                loss, right = layer.loss(own[number], ids[number], number)
                (loss * scale).backward()
                layer.settle_after(number)
                found.append((loss.detach(), right))
    mine = gradients_of(whole, own)

    plain = load(tiny_bert)
    for (loss, right), part, truth, one in zip(found, states, ids, own, strict=True):
        again = part.clone().requires_grad_()
        logits = predict_pieces(plain, again)
        expected = functional.cross_entropy(logits, truth, reduction="sum")
        (expected * scale).backward()
        torch.testing.assert_close(loss, expected.detach(), rtol=1e-12, atol=1e-12)
        assert right == (logits.argmax(dim=1) == truth).sum()
        torch.testing.assert_close(one.grad, again.grad, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(mine[0], gradients_of(plain, [])[0], rtol=1e-12, atol=1e-12)


def test_it_is_a_layer_as_before_when_the_block_has_ended(tiny_bert):
    whole = load(tiny_bert)
    states = parts_of(whole)[0][0]
    before = predict_pieces(whole, states)
    with Workers(1) as pool, pytest.raises(KeyError), OutputLayer(whole, pool).apart():
        raise KeyError
    torch.testing.assert_close(predict_pieces(whole, states), before)
    assert whole.get_output_embeddings().weight.grad is None


def test_lower_precision_gives_nearly_the_same(tiny_bert):
    whole = load(tiny_bert).to(torch.float32)
    states, ids = parts_of(whole)
    for autocast in (False, True):
        whole.zero_grad()
        with Workers(1) as pool, torch.autocast("cpu", torch.bfloat16, enabled=autocast):
            layer = OutputLayer(whole, pool)
            with layer.apart():
                layer.loss(states[3].float().requires_grad_(), ids[3])[0].backward()
                layer.settle_after(0)
        weight = whole.get_output_embeddings().weight
        assert weight.grad.dtype == torch.float32
        if not autocast:
            exact = weight.grad.clone()
    error = (weight.grad - exact).norm() / exact.norm()
    assert 0 < error < 0.02
