"""Masking keeps to its shares and touches nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.pretraining.masking import IGNORED, mask_pieces

MASK = 4
ORDINARY = np.arange(5, 1000)


def test_shares_are_those_of_bert_within_five_deviations() -> None:
    generator = np.random.default_rng(1)
    ids = generator.choice(ORDINARY, size=(200, 100))
    special = np.zeros(ids.shape, dtype=bool)
    inputs, labels = mask_pieces(ids, special, 0.2, MASK, ORDINARY, generator)
    chosen = labels != IGNORED

    def near(count: int, total: int, share: float) -> bool:
        return abs(count - total * share) < 5 * np.sqrt(total * share * (1 - share))

    assert near(chosen.sum(), ids.size, 0.2)
    assert near((inputs[chosen] == MASK).sum(), chosen.sum(), 0.8)
    # A random piece equals the true one once in 995 times.
    changed = (inputs[chosen] != MASK) & (inputs[chosen] != ids[chosen])
    assert near(changed.sum(), chosen.sum(), 0.1 * (1 - 1 / len(ORDINARY)))


@given(
    seed=st.integers(0, 2**32 - 1),
    rows=st.integers(1, 6),
    length=st.integers(3, 12),
    masked=st.floats(0.0, 1.0),
)
def test_labels_are_the_truth_and_special_tokens_stay(
    seed: int, rows: int, length: int, masked: float
) -> None:
    generator = np.random.default_rng(seed)
    ids = generator.choice(ORDINARY, size=(rows, length))
    ids[:, 0], ids[:, -1] = 2, 3
    special = np.isin(ids, (2, 3))
    inputs, labels = mask_pieces(ids, special, masked, MASK, ORDINARY, generator)
    chosen = labels != IGNORED
    assert chosen.any()
    assert not (chosen & special).any()
    assert (labels[chosen] == ids[chosen]).all()
    assert (inputs[~chosen] == ids[~chosen]).all()
    assert np.isin(inputs[chosen], np.append(ORDINARY, MASK)).all()


def test_the_same_generator_state_gives_the_same_masks() -> None:
    ids = np.full((3, 9), 7)
    special = np.zeros(ids.shape, dtype=bool)
    first, second = (
        mask_pieces(ids, special, 0.5, MASK, ORDINARY, np.random.default_rng(5)) for _ in range(2)
    )
    assert (first[0] == second[0]).all()
    assert (first[1] == second[1]).all()


def test_special_tokens_alone_cannot_be_masked() -> None:
    ids = np.array([[2, 3]])
    with pytest.raises(ValueError, match="nothing to mask"):
        mask_pieces(ids, ids > 0, 0.2, MASK, ORDINARY, np.random.default_rng(0))
