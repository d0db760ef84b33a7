"""Masks: the rate, the scale, and that they do not depend on how a micro-batch is cut."""

import hashlib

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.tuning.dropout import SeededDropout
from workflow_scripts.tuning.dropout_masks import DropoutMasks


def draw(shape, rate=0.3, part=None):
    masks = DropoutMasks(33, "cpu")
    start, stop = part or (0, shape[0])
    masks.start(1, 0, start, stop, shape[0])
    return masks.draw(torch.Size((stop - start, *shape[1:])), rate, torch.float32)


@pytest.mark.parametrize("rate", [0.05, 0.1, 0.4, 0.9])
def test_zeros_come_at_the_rate_and_the_mean_is_one(rate):
    mask = draw((1000, 1000), rate)
    kept = mask[mask != 0]
    # five deviations of a binomial of a million draws
    deviation = 5 * (rate * (1 - rate) / 1e6) ** 0.5
    assert abs((mask == 0).float().mean().item() - rate) < deviation + 1 / 65536
    assert torch.allclose(kept, torch.full_like(kept, 1 / (1 - rate)), rtol=2e-4)
    assert abs(mask.mean().item() - 1) < deviation / (1 - rate) + 1e-4


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_in_half_precision_what_is_kept_does_not_shrink(dtype):
    """1 / .9 rounded to bfloat16 is .16% less."""
    masks = DropoutMasks(33, "cpu")
    masks.start(1, 0, 0, 1000, 1000)
    values = (torch.rand(1000, 1000) + 0.5).to(dtype)
    dropped = SeededDropout(0.1, masks, by_row=True).train()(values)
    assert dropped.dtype == dtype
    kept = dropped != 0
    factor = (dropped[kept].double() / values[kept].double()).mean().item()
    assert factor == pytest.approx(1 / 0.9, abs=1e-4)


def test_neighbours_are_independent():
    kept = (draw((2000, 500), 0.5) != 0).double()
    for shifted in (kept.roll(1, 0), kept.roll(1, 1), kept.roll(2, 1), kept.roll(4, 1)):
        correlation = torch.corrcoef(torch.stack([kept.flatten(), shifted.flatten()]))[0, 1]
        assert abs(correlation) < 5e-3


@given(st.integers(1, 9), st.integers(1, 5), st.integers(1, 3), st.data())
def test_parts_draw_the_rows_of_the_whole(rows, width, heads, data):
    start = data.draw(st.integers(0, rows - 1))
    stop = data.draw(st.integers(start + 1, rows))
    whole = draw((rows, width))
    assert torch.equal(draw((rows, width), part=(start, stop)), whole[start:stop])
    # Heads next to each other in the first dimension, as in some architectures.
    masks = DropoutMasks(33, "cpu")
    masks.start(1, 0, start, stop, rows)
    some = masks.draw(torch.Size(((stop - start) * heads, width)), 0.3, torch.float32)
    masks.start(1, 0, 0, rows, rows)
    everything = masks.draw(torch.Size((rows * heads, width)), 0.3, torch.float32)
    assert torch.equal(some, everything[start * heads : stop * heads])


def test_masks_are_of_the_documented_seed_and_of_sixteen_bits_each():
    """So that a run of the same seed has the same masks after an update of this code."""
    key = hashlib.blake2b(b"33 5 2", digest_size=8).digest()
    generator = torch.Generator().manual_seed(int.from_bytes(key, "big") // 2)
    masks = DropoutMasks(33, "cpu")
    masks.start(5, 2, 0, 6, 6)
    for _ in range(2):
        words = torch.empty(5, dtype=torch.int64).random_(-(2**63), None, generator=generator)
        bits = words.numpy().view("int16")[:18].reshape(6, 3).astype(int) + 2**15
        # a quarter of all values are dropped
        expected = torch.from_numpy(np.where(bits < 2**14, 0, 4 / 3)).float()
        assert torch.equal(masks.draw(torch.Size((6, 3)), 0.25, torch.float32), expected)


def test_a_shared_mask_has_no_rows_and_is_the_same_for_every_part():
    def shared(start, stop):
        masks = DropoutMasks(33, "cpu")
        masks.start(1, 0, start, stop, 6)
        layer = SeededDropout(0.5, masks, by_row=False)
        return layer(torch.ones(4, 5))

    whole = shared(0, 6)
    assert torch.equal(shared(2, 3), whole)
    assert set(whole.flatten().tolist()) == {0.0, 2.0}
    # of the size of its input, unlike one with rows: the first twenty of the micro-batch's draws
    assert torch.equal(whole, draw((4, 5), 0.5))
