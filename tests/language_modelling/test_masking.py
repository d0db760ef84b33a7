"""Masking of pieces: shares, what is never chosen, and counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.language_modelling import masking

MASK = 4
ORDINARY = np.arange(5, 1000)


def test_shares_are_those_of_bert_within_five_deviations():
    generator = np.random.default_rng(1)
    ids = generator.choice(ORDINARY, size=(200, 100))
    special = np.zeros(ids.shape, dtype=bool)
    inputs, labels = masking.mask_pieces(ids, special, 0.2, MASK, ORDINARY, generator)
    chosen = labels != masking.IGNORED

    def near(count, total, share):
        return abs(count - total * share) < 5 * np.sqrt(total * share * (1 - share))

    assert near(chosen.sum(), ids.size, 0.2)
    assert near((inputs[chosen] == MASK).sum(), chosen.sum(), 0.8)
    # A random piece equals the true one once in 995 times.
    changed = (inputs[chosen] != MASK) & (inputs[chosen] != ids[chosen])
    assert near(changed.sum(), chosen.sum(), 0.1 * (1 - 1 / len(ORDINARY)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(3, 12), st.floats(0.0, 1.0))
def test_labels_are_the_truth_and_special_tokens_stay(seed, rows, length, masked):
    generator = np.random.default_rng(seed)
    ids = generator.choice(ORDINARY, size=(rows, length))
    ids[:, 0], ids[:, -1] = 2, 3
    special = np.isin(ids, (2, 3))
    inputs, labels = masking.mask_pieces(ids, special, masked, MASK, ORDINARY, generator)
    chosen = labels != masking.IGNORED
    assert chosen.any()
    assert not (chosen & special).any()
    assert (labels[chosen] == ids[chosen]).all()
    assert (inputs[~chosen] == ids[~chosen]).all()
    assert np.isin(inputs[chosen], np.append(ORDINARY, MASK)).all()


def test_special_tokens_alone_have_no_masks():
    ids = np.full((3, 9), 7)
    with pytest.raises(ValueError, match="nothing to mask"):
        masking.mask_pieces(ids, ids > 0, 0.5, MASK, ORDINARY, np.random.default_rng(0))


@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 9), min_size=1, max_size=6))
def test_so_many_pieces_of_each_sequence_are_chosen(seed, counts):
    generator = np.random.default_rng(seed)
    special = generator.random((len(counts), 8)) < 0.3
    chosen = masking.choose_pieces(special, np.array(counts), generator)
    assert not (chosen & special).any()
    free = (~special).sum(axis=1)
    np.testing.assert_array_equal(chosen.sum(axis=1), np.minimum(counts, free))


def test_every_piece_is_chosen_as_often_as_any_other():
    special = np.zeros((4000, 10), dtype=bool)
    special[:, 0] = True
    chosen = masking.choose_pieces(special, np.full(4000, 3), np.random.default_rng(2))
    times = chosen.sum(axis=0)[1:]
    assert abs(times - 4000 / 3).max() < 5 * np.sqrt(4000 * 2 / 9)
