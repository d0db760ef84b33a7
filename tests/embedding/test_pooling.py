"""Pooling, against vectors worked out by hand."""

import pytest
import torch

from workflow_scripts.embedding.pooling import pool_hidden_states

# Two strings, three positions, two dimensions; the second string has one real token.
HIDDEN = torch.tensor([[[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]], [[7.0, 8.0], [1.0, 0.0], [4.0, 4.0]]])
MASK = torch.tensor([[1, 1, 0], [1, 0, 0]])
OF_POOLER = torch.tensor([[0.5, 0.5], [0.25, 0.125]])


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("cls", [[1.0, 2.0], [7.0, 8.0]]),
        ("mean", [[2.0, 3.0], [7.0, 8.0]]),
        ("max", [[3.0, 4.0], [7.0, 8.0]]),
        ("mean_padded", [[3.0, 5.0], [4.0, 4.0]]),
        ("pooler", OF_POOLER.tolist()),
    ],
)
def test_each_pooling_gives_the_vectors_worked_out_by_hand(pooling, expected):
    assert pool_hidden_states(HIDDEN, MASK, pooling, OF_POOLER).tolist() == expected


# Four positions; the last real one of the second string is its second.
LONGER = torch.tensor([[[9.0], [1.0], [4.0], [7.0]], [[-3.0], [-2.0], [5.0], [6.0]]])
OF_LONGER = torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]])


def test_mean_pieces_leaves_out_the_first_and_the_last_real_token():
    assert pool_hidden_states(LONGER, OF_LONGER, "mean_pieces").tolist() == [[2.5], [0.0]]
    one_more = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 0]])
    assert pool_hidden_states(LONGER, one_more, "mean_pieces").tolist() == [[1.0], [-2.0]]
    for width in (1, 2):
        found = pool_hidden_states(LONGER[:, :width], OF_LONGER[:, :width], "mean_pieces")
        assert found.tolist() == [[0.0], [0.0]]


def test_the_mean_is_zero_where_all_is_padding():
    empty = torch.zeros_like(MASK)
    assert pool_hidden_states(HIDDEN, empty, "mean").tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_what_cannot_be_pooled_is_refused():
    for pooling, message in {"pooler": "pooler layer", "min": "unknown pooling 'min'"}.items():
        with pytest.raises(ValueError, match=message):
            pool_hidden_states(HIDDEN, MASK, pooling)
