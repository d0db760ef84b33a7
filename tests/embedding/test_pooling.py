"""Pooling, against vectors worked out by hand."""

import pytest
import torch

from workflow_scripts.embedding.pooling import pool_hidden_states

# Two strings, three positions, two dimensions; the second string has one real token.
HIDDEN = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]], [[7.0, 8.0], [1.0, 0.0], [4.0, 4.0]]])
MASK = torch.tensor([[1, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("cls", [[1.0, 2.0], [7.0, 8.0]]),
        ("mean", [[2.0, 3.0], [7.0, 8.0]]),
        ("mean_padded", [[3.0, 5.0], [4.0, 4.0]]),
    ],
)
def test_each_pooling_gives_the_vectors_worked_out_by_hand(pooling, expected):
    assert pool_hidden_states(HIDDEN, MASK, pooling).tolist() == expected


def test_mean_does_not_see_what_padding_holds():
    changed = HIDDEN.clone()
    changed[MASK == 0] = 1e6
    assert torch.equal(
        pool_hidden_states(changed, MASK, "mean"), pool_hidden_states(HIDDEN, MASK, "mean")
    )


def test_mean_of_a_string_without_real_tokens_is_zero_not_nan():
    empty = torch.zeros_like(MASK)
    assert pool_hidden_states(HIDDEN, empty, "mean").tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_pooler_is_what_the_model_gives_and_is_asked_for():
    output = torch.tensor([[0.5, 0.5], [0.1, 0.2]])
    assert torch.equal(pool_hidden_states(HIDDEN, MASK, "pooler", output), output)
    with pytest.raises(ValueError, match="pooler layer"):
        pool_hidden_states(HIDDEN, MASK, "pooler")


def test_unknown_pooling_is_refused():
    with pytest.raises(ValueError, match="unknown pooling 'max'"):
        pool_hidden_states(HIDDEN, MASK, "max")
