"""Shares of texts of unequal size, and whole documents drawn at random."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.corpora import drawing


def test_smoothed_shares_follow_the_power_of_sizes():
    expected = pytest.approx({"en": 0.75, "fi": 0.25})
    assert drawing.shares_of({"en": 900, "fi": 100}, 0.5) == expected
    assert drawing.shares_of({"en": 900, "fi": 100, "et": 0}, 0.0) == {"en": 0.5, "fi": 0.5}


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=12), st.integers(0, 10_000))
def test_quotas_sum_to_the_total_and_stay_within_one_of_their_share(sizes, total):
    shares = drawing.shares_of({str(n): size for n, size in enumerate(sizes)}, 0.5)
    quotas = drawing.quotas_of(shares, total)
    assert sum(quotas.values()) == total
    assert all(abs(quotas[key] - share * total) < 1 + 1e-6 for key, share in shares.items())


def test_quotas_give_what_is_over_to_the_largest_remainders():
    # of 10: 4.5, 3.3, 2.2, so that one is over
    assert drawing.quotas_of({"a": 0.22, "b": 0.33, "c": 0.45}, 10) == {"a": 2, "b": 3, "c": 5}
    # of 5: 1.8, 1.7, 1.5
    assert drawing.quotas_of({"a": 0.3, "b": 0.34, "c": 0.36}, 5) == {"a": 1, "b": 2, "c": 2}
    # equal remainders go by name
    assert drawing.quotas_of({"b": 0.5, "a": 0.5}, 3) == {"b": 1, "a": 2}


@given(st.lists(st.integers(1, 5), max_size=12), st.integers(0, 40), st.integers(0, 3))
def test_documents_are_those_of_the_lowest_numbers_in_order(lengths, size, seed):
    documents = [[f"{number}.{line}" for line in range(n)] for number, n in enumerate(lengths)]
    generator = random.Random(seed)
    numbers = [generator.random() for _ in documents]
    chosen, strings = [], 0
    for place in sorted(range(len(documents)), key=lambda place: numbers[place]):
        if strings >= size:
            break
        chosen.append(place)
        strings += lengths[place]
    expected = [documents[place] for place in sorted(chosen)]
    assert drawing.draw_documents(iter(documents), size, seed) == expected
