"""Items that a thread makes one ahead of their use."""

import threading

import pytest
import torch

from workflow_scripts.embedding.one_ahead import Arrivals, one_ahead, pinned


def test_results_come_in_order():
    assert list(one_ahead(lambda item: item * item, range(20))) == [n * n for n in range(20)]
    assert list(one_ahead(str, [])) == []


def test_the_next_is_made_while_one_is_in_use_and_no_more():
    begun, made = [], [threading.Event() for _ in range(5)]

    def make(item):
        begun.append(item)
        made[item].set()
        return item

    for item in one_ahead(make, range(5)):
        if item < 4:
            # without a thread it would never be
            assert made[item + 1].wait(60)
        assert begun == list(range(min(item + 2, 5)))


def test_an_error_is_raised_once_where_its_result_is_taken():
    def make(item):
        if item == 2:
            raise ValueError("the third")
        return item

    taken = []
    with pytest.raises(ValueError, match="the third"):
        taken.extend(one_ahead(make, range(9)))
    assert taken == [0, 1]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]


def test_who_stops_early_leaves_no_thread():
    begun = []
    results = one_ahead(begun.append, range(9))
    next(results)
    results.close()
    assert len(begun) <= 2
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ahead")]


def test_rows_arrive_in_order_as_float32():
    device = torch.device("cpu")
    arrivals = Arrivals(3, 2, device)
    arrivals.add(torch.tensor([[1.5, 2.0]], dtype=torch.bfloat16))
    arrivals.add(torch.tensor([[3.0, 4.0], [5.0, 6.0]], dtype=torch.float64))
    assert arrivals.wait().tolist() == [[1.5, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert arrivals.wait().dtype == torch.float32
    own = torch.ones(2)
    assert pinned([own], device)[0] is own
