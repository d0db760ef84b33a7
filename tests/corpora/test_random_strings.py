"""Random strings: their shape, their distribution, and how many there are."""

from collections import Counter
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from workflow_scripts.corpora.kinds.random_strings import (
    number_of_strings,
    random_strings,
    ranges_of,
)

LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789"


def test_bounds_are_inclusive_and_one_number_of_words_is_both():
    assert ranges_of(2, 4, 3) == (range(2, 5), range(3, 4))
    assert ranges_of(2, 2, [1, 5]) == (range(2, 3), range(1, 6))


def ranges(largest):
    bounds = st.tuples(st.integers(1, largest), st.integers(1, largest))
    return bounds.map(sorted).map(lambda both: range(both[0], both[1] + 1))


@given(ranges(9), ranges(4), st.integers(0, 10))
@settings(deadline=None)
def test_every_string_is_of_the_shape_and_the_seed_decides(lengths, numbers, seed):
    strings = list(islice(random_strings(lengths, numbers, seed), 50))
    for text in strings:
        words = text.split(" ")
        assert len(words) in numbers and all(len(word) in lengths for word in words)
        assert set("".join(words)) <= set(LETTERS_AND_DIGITS)
    assert strings == list(islice(random_strings(lengths, numbers, seed), 50))


def test_characters_lengths_and_numbers_of_words_are_uniform():
    # A fixed seed: the test fails for a skewed draw, never by chance.
    strings = list(islice(random_strings(range(3, 7), range(2, 6), 1), 20_000))
    words = [word for text in strings for word in text.split(" ")]
    for counts, values in [
        (Counter("".join(words)), LETTERS_AND_DIGITS),
        (Counter(map(len, words)), range(3, 7)),
        (Counter(len(text.split(" ")) for text in strings), range(2, 6)),
    ]:
        assert set(counts) == set(values)
        assert chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("bounds", [(1, 1, 1), (1, 2, 1), (2, 2, 1), (1, 1, [1, 2]), (1, 1, 2)])
def test_the_number_of_strings_is_that_of_all_there_are(bounds):
    lengths, numbers = ranges_of(*bounds)
    words = [word for length in lengths for word in product(LETTERS_AND_DIGITS, repeat=length)]
    every = sum(1 for number in numbers for _ in product(words, repeat=number))
    assert number_of_strings(lengths, numbers) == every
