"""The loss, against pytorch-metric-learning and against the formula written out with loops."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pytorch_metric_learning.losses import NTXentLoss

from workflow_scripts.tuning.losses import nt_xent_loss


def draw_views(pairs: int, dimension: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    views = torch.randn(2, pairs, dimension, generator=generator, dtype=torch.float64)
    return views[0].clone().requires_grad_(), views[1].clone().requires_grad_()


def formula(
    first: torch.Tensor, second: torch.Tensor, temperature: float, with_positive: bool
) -> torch.Tensor:
    """Eq. 1 anchor by anchor, over both views, as a mean."""
    pairs = len(first)
    vectors = [*first, *second]

    def similarity(i: int, j: int) -> torch.Tensor:
        norms = vectors[i].norm() * vectors[j].norm()
        return torch.exp(vectors[i] @ vectors[j] / norms / temperature)

    terms = []
    for i in range(2 * pairs):
        mate = (i + pairs) % (2 * pairs)
        negatives = sum(similarity(i, j) for j in range(2 * pairs) if j not in (i, mate))
        positive = similarity(i, mate)
        terms.append(-torch.log(positive / (negatives + positive if with_positive else negatives)))
    return sum(terms) / (2 * pairs)


def loss_and_gradients(loss_function, first, second):
    loss = loss_function(first, second)
    return [loss, *torch.autograd.grad(loss, [first, second])]


@settings(deadline=None, max_examples=25)
@given(
    pairs=st.integers(2, 7),
    dimension=st.integers(2, 9),
    seed=st.integers(0, 10_000),
    temperature=st.sampled_from([0.04, 0.2, 1.0]),
    with_positive=st.booleans(),
)
def test_loss_and_gradients_are_those_of_the_formula(
    pairs, dimension, seed, temperature, with_positive
):
    name = "with_positive" if with_positive else "negatives_only"
    views = draw_views(pairs, dimension, seed)
    ours = loss_and_gradients(lambda a, b: nt_xent_loss(a, b, temperature, name), *views)
    theirs = loss_and_gradients(lambda a, b: formula(a, b, temperature, with_positive), *views)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("temperature", [0.04, 0.2])
def test_loss_and_gradients_are_those_of_pytorch_metric_learning(temperature):
    views = draw_views(40, 16, 3)
    oracle = NTXentLoss(temperature=temperature)
    labels = torch.arange(40).repeat(2)
    ours = loss_and_gradients(lambda a, b: nt_xent_loss(a, b, temperature), *views)
    theirs = loss_and_gradients(lambda a, b: oracle(torch.cat([a, b]), labels), *views)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-6, atol=1e-8)


def test_loss_of_equal_vectors_is_known():
    ones = torch.ones(5, 3)
    assert math.isclose(nt_xent_loss(ones, ones, 0.04).item(), math.log(9), rel_tol=1e-5)
    value = nt_xent_loss(ones, ones, 0.04, "negatives_only").item()
    assert math.isclose(value, math.log(8), rel_tol=1e-5)


def test_the_two_views_count_alike():
    first, second = draw_views(6, 4, 5)
    for name in ("with_positive", "negatives_only"):
        torch.testing.assert_close(
            nt_xent_loss(first, second, 0.1, name), nt_xent_loss(second, first, 0.1, name)
        )


def test_a_sharp_temperature_and_long_vectors_do_not_overflow():
    first, second = draw_views(8, 4, 7)
    for name in ("with_positive", "negatives_only"):
        loss = nt_xent_loss(first.float() * 1e8, second.float() * 1e8, 0.001, name)
        assert torch.isfinite(loss)


def test_one_pair_and_an_unknown_denominator_are_refused():
    with pytest.raises(ValueError, match="at least two strings"):
        nt_xent_loss(torch.ones(1, 2), torch.ones(1, 2), 0.1)
    with pytest.raises(ValueError, match="unknown denominator"):
        nt_xent_loss(torch.ones(2, 2), torch.ones(2, 2), 0.1, "all")
