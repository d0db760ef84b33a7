"""Alignment and uniformity, against the formulas written out pair by pair."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.tuning.representation import alignment, uniformity


def draw(rows, size, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(2, rows, size, generator=generator, dtype=torch.float64)


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 7), st.integers(2, 6), st.integers(0, 1000))
def test_they_are_the_formulas_of_wang_and_isola(rows, size, seed):
    first, second = draw(rows, size, seed)
    unit = [[vector / vector.norm() for vector in side] for side in (first, second)]
    near = sum(((a - b) ** 2).sum().item() for a, b in zip(*unit, strict=True)) / rows
    assert alignment(first, second).item() == pytest.approx(near)
    terms = [
        math.exp(-2 * ((unit[0][i] - unit[0][j]) ** 2).sum().item())
        for i in range(rows)
        for j in range(rows)
        if i != j
    ]
    spread = math.log(sum(terms) / len(terms))
    assert uniformity(first).item() == pytest.approx(spread, abs=1e-9)


def test_extremes_are_known():
    ones = torch.ones(4, 3)
    assert alignment(ones, ones * 5).item() == pytest.approx(0, abs=1e-6)
    assert alignment(ones, -ones).item() == pytest.approx(4, abs=1e-5)
    assert uniformity(ones).item() == pytest.approx(0, abs=1e-5)
    assert uniformity(torch.tensor([[1.0, 0], [-1.0, 0]])).item() == pytest.approx(-8, abs=1e-5)
