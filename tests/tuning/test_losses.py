"""The loss, against pytorch-metric-learning; all of them against the formulas as loops."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pytorch_metric_learning.losses import NTXentLoss

from workflow_scripts.tuning.losses import alignment, nt_xent_loss, uniformity


def draw_views(pairs, dimension, seed):
    generator = torch.Generator().manual_seed(seed)
    views = torch.randn(2, pairs, dimension, generator=generator, dtype=torch.float64)
    return views[0].clone().requires_grad_(), views[1].clone().requires_grad_()


def formula(first, second, temperature, with_positive):
    """Eq. 1 anchor by anchor, over both views, as a mean."""
    pairs = len(first)
    vectors = [*first, *second]

    def similarity(i, j):
        norms = vectors[i].norm() * vectors[j].norm()
        return torch.exp(vectors[i] @ vectors[j] / norms / temperature)

    terms = []
    for i in range(2 * pairs):
        mate = (i + pairs) % (2 * pairs)
        negatives = sum(similarity(i, j) for j in range(2 * pairs) if j not in (i, mate))
        positive = similarity(i, mate)
        terms.append(-torch.log(positive / (negatives + positive if with_positive else negatives)))
    return sum(terms) / (2 * pairs)


def assert_same(views, loss, oracle, tolerance):
    """The losses of views and their gradients by both."""
    results = []
    for value in (loss(*views), oracle(*views)):
        results.append([value, *torch.autograd.grad(value, views)])
    torch.testing.assert_close(*results, rtol=tolerance, atol=tolerance)


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 7), st.integers(2, 9), st.integers(0, 10_000), st.booleans(), st.data())
def test_loss_and_gradients_are_those_of_the_formula(pairs, dimension, seed, positive, data):
    temperature = data.draw(st.sampled_from([0.04, 0.2, 1.0]))
    name = "with_positive" if positive else "negatives_only"
    assert_same(
        draw_views(pairs, dimension, seed),
        lambda a, b: nt_xent_loss(a, b, temperature, name),
        lambda a, b: formula(a, b, temperature, positive),
        1e-9,
    )


@pytest.mark.parametrize("temperature", [0.04, 0.2])
def test_loss_and_gradients_are_those_of_pytorch_metric_learning(temperature):
    oracle, labels = NTXentLoss(temperature=temperature), torch.arange(40).repeat(2)
    assert_same(
        draw_views(40, 16, 3),
        lambda a, b: nt_xent_loss(a, b, temperature),
        lambda a, b: oracle(torch.cat([a, b]), labels),
        1e-6,
    )


def test_large_values_do_not_overflow_and_one_pair_and_an_unknown_denominator_are_refused():
    first, second = (view.float() * 1e8 for view in draw_views(6, 4, 5))
    for name in ("with_positive", "negatives_only"):
        assert torch.isfinite(nt_xent_loss(first, second, 0.001, name))
    with pytest.raises(ValueError, match="at least two strings"):
        nt_xent_loss(torch.ones(1, 2), torch.ones(1, 2), 0.1)
    with pytest.raises(ValueError, match="unknown denominator"):
        nt_xent_loss(torch.ones(2, 2), torch.ones(2, 2), 0.1, "all")


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 7), st.integers(2, 6), st.integers(0, 1000))
def test_they_are_the_formulas_of_wang_and_isola(rows, size, seed):
    first, second = (view.detach() for view in draw_views(rows, size, seed))
    unit = [[vector / vector.norm() for vector in side] for side in (first, second)]
    near = sum(((a - b) ** 2).sum().item() for a, b in zip(*unit, strict=True)) / rows
    assert alignment(first, second).item() == pytest.approx(near)
    pairs = [(i, j) for i in range(rows) for j in range(rows) if i != j]
    squares = [((unit[0][i] - unit[0][j]) ** 2).sum().item() for i, j in pairs]
    spread = math.log(sum(math.exp(-2 * square) for square in squares) / len(pairs))
    assert uniformity(first).item() == pytest.approx(spread, abs=1e-9)
