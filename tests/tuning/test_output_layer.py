"""The output layer's loss and gradients, against autograd through torch's cross-entropy."""

from dataclasses import replace

import pytest
import torch
from plain_training import gradients_of
from tiny_models import cpu_means
from torch.nn import functional

from workflow_scripts.embedding.encoder_folder import load_model
from workflow_scripts.language_modelling.prediction import load_masked_lm, predict_pieces
from workflow_scripts.tuning import devices, output_layer
from workflow_scripts.tuning.output_layer import OutputLayer, end_before_output_layer
from workflow_scripts.tuning.processes import Workers
from workflow_scripts.tuning.training_copy import TrainingCopy

PIECES = (3, 1, 0, 6)


def parts_of(whole):
    """Hidden states and ids of four parts, one of them without a piece."""
    torch.manual_seed(5)
    size, vocabulary = whole.config.hidden_size, whole.config.vocab_size
    states = [torch.randn(count, size, dtype=whole.dtype) for count in PIECES]
    return states, [torch.randint(vocabulary, (count,)) for count in PIECES]


def load(folder, dtype=torch.float64):
    loaded = load_model(str(folder))
    loaded.model.to(dtype)
    return load_masked_lm(loaded, 1)


def pass_over(whole, workers, states, ids, scale=1.0, autocast=False):
    """Losses and numbers of right pieces of each part, whose gradients are added."""
    copy = TrainingCopy(whole, cpu_means(), 0.0).whole
    ended = end_before_output_layer(copy)
    found, again = [], [(states[0].detach().requires_grad_(), ids[0])]
    with Workers(workers) as pool, torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        layer = OutputLayer(whole, pool)
        # of the first attempt, which failed, nothing is left
        for parts in (again, list(zip(states, ids, strict=True))):
            found = []
            layer.forget()
            for own, truth in parts:
                owed = []
                loss, right = layer.loss(copy, ended, own, truth, owed)
                (loss * scale).backward()
                layer.take(owed)
                assert not owed
                found.append((loss.detach(), right))
            if parts is again:
                whole.zero_grad()
        layer.end()
    return found


# with logits of two pieces at a time, as a GPU has few, nothing is owed
WAYS = [(0, 1, None), (0, 3, None), (2**27, 1, None), (2**27, 3, None), (0, 1, 2)]


@pytest.mark.parametrize(("most_owed", "workers", "pieces"), WAYS)
@pytest.mark.parametrize("scale", [1.0, 0.125])
def test_gradients_are_autograds(most_owed, workers, pieces, scale, tiny_bert, monkeypatch):
    monkeypatch.setattr(output_layer, "MOST_OWED", most_owed)
    seen = compute_in_parts(pieces, tiny_bert, monkeypatch)
    whole, plain = load(tiny_bert), load(tiny_bert)
    states, ids = parts_of(whole)
    own, again = ([one.clone().requires_grad_() for one in states] for _ in range(2))
    found = pass_over(whole, workers, own, ids, scale)
    for (loss, right), truth, one in zip(found, ids, again, strict=True):
        logits = predict_pieces(plain, one)
        expected = functional.cross_entropy(logits, truth, reduction="sum")
        (expected * scale).backward()
        torch.testing.assert_close(loss, expected.detach(), rtol=1e-12, atol=1e-12)
        assert right == (logits.argmax(dim=1) == truth).sum()
    by_states = [[one.grad for one in side] for side in (own, again)]
    torch.testing.assert_close(*by_states, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradients_of(whole), gradients_of(plain), rtol=1e-12, atol=1e-12)
    if pieces:
        # of both attempts
        assert sorted(seen) == [0, 1, 1, 1, 2, 2, 2, 2, 2]


def compute_in_parts(pieces, folder, monkeypatch):
    """Let logits of float64 have the bytes of so many pieces; return the sizes of the parts."""
    seen, cross_entropy = [], output_layer._cross_entropy

    def counted(states, truth, layer):
        seen.append(len(states))
        return cross_entropy(states, truth, layer)

    monkeypatch.setattr(output_layer, "_cross_entropy", counted)
    most = pieces and pieces * load(folder).config.vocab_size * (8 + 8) + 1
    traits = replace(devices.TRAITS["cpu"], most_logits=most)
    monkeypatch.setitem(devices.TRAITS, "cpu", traits)
    return seen


def test_lower_precision_gives_nearly_the_same(tiny_bert):
    weights = []
    for autocast in (False, True):
        whole = load(tiny_bert, torch.float32)
        states, ids = parts_of(whole)
        pass_over(whole, 1, [states[3].requires_grad_()], [ids[3]], autocast=autocast)
        weights.append(whole.get_output_embeddings().weight.grad)
        assert weights[-1].dtype == torch.float32
    exact, found = weights
    assert 0 < (found - exact).norm() / exact.norm() < 0.02
