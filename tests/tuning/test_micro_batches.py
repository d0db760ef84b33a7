"""How a batch is cut: everything once, little padding, no micro-batch too large."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.tuning.micro_batches import plan_micro_batches, plan_parts

LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def cheapest(lengths, overhead):
    """The least cost over all ways to cut the sorted lengths, by trying them all."""
    ordered = sorted(lengths)
    best = None
    for cuts in range(2 ** (len(ordered) - 1)):
        edges = [0, *(i + 1 for i in range(len(ordered) - 1) if cuts >> i & 1), len(ordered)]
        total = sum((end - start) * ordered[end - 1] + overhead for start, end in pairwise(edges))
        best = total if best is None else min(best, total)
    return best


@given(LENGTHS, st.integers(0, 200), st.integers(1, 400))
def test_each_row_is_in_one_slice_that_is_wide_enough_and_not_too_large(lengths, overhead, most):
    micro_batches = plan_micro_batches(lengths, overhead, most)
    assert sorted(row for one in micro_batches for row in one.rows) == list(range(len(lengths)))
    for one in micro_batches:
        assert one.width == max(lengths[row] for row in one.rows) or len(micro_batches) > 1
        assert all(lengths[row] <= one.width for row in one.rows)
        assert len(one.rows) == 1 or len(one.rows) * one.width <= most


@settings(max_examples=50)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=9), st.integers(0, 40))
def test_no_other_cut_costs_less(lengths, overhead):
    micro_batches = plan_micro_batches(lengths, overhead, 10**6)
    cost = sum(len(one.rows) * one.width + overhead for one in micro_batches)
    assert cost == cheapest(lengths, overhead)


PAIRS = st.lists(st.integers(1, 20), min_size=2, max_size=40).filter(lambda ls: len(ls) % 2 == 0)


@given(PAIRS, st.integers(1, 7), st.booleans())
def test_parts_cover_the_batch_and_know_their_place(lengths, most_rows, paired):
    parts = plan_parts(lengths, 5, 100, most_rows, paired)
    assert sorted(row for part in parts for row in part.rows) == list(range(len(lengths)))
    for part in parts:
        assert 0 < part.stop - part.start <= most_rows
        assert part.stop <= len(part.micro_batch.rows)
    # Parts are cut out of the very micro-batches that there are without a limit.
    both = (parts, plan_parts(lengths, 5, 100, None, paired))
    cut, whole = ({(part.number, part.micro_batch) for part in some} for some in both)
    assert cut == whole


@given(PAIRS)
def test_paired_slices_hold_the_two_views_of_a_pair_in_one_place(lengths):
    pairs = len(lengths) // 2
    by_number = {}
    for part in plan_parts(lengths, 5, 100, None, True):
        by_number.setdefault(part.number, []).append(part.micro_batch)
    for first, second in by_number.values():
        assert tuple(row + pairs for row in first.rows) == second.rows
        assert first.width == second.width
