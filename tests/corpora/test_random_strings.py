"""Random strings: their shape, their distribution, and how many there are."""

from collections import Counter
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from workflow_scripts.corpora.kinds.random_strings import Shape, random_strings

LETTERS_AND_DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789"


@st.composite
def shapes(draw):
    lengths = sorted(draw(st.tuples(st.integers(1, 9), st.integers(1, 9))))
    words = sorted(draw(st.tuples(st.integers(1, 4), st.integers(1, 4))))
    return Shape(*lengths, *words)


@given(shapes(), st.integers(0, 10))
@settings(deadline=None)
def test_every_string_is_of_the_shape_and_the_seed_decides(shape, seed):
    strings = list(islice(random_strings(shape, seed), 50))
    for text in strings:
        words = text.split(" ")
        assert shape.min_words <= len(words) <= shape.max_words
        assert all(shape.min_length <= len(word) <= shape.max_length for word in words)
        assert set("".join(words)) <= set(LETTERS_AND_DIGITS)
    assert strings == list(islice(random_strings(shape, seed), 50))


def test_characters_lengths_and_numbers_of_words_are_uniform():
    # A fixed seed: the test fails for a skewed draw, never by chance.
    strings = list(islice(random_strings(Shape(3, 6, 2, 5), 1), 20_000))
    words = [word for text in strings for word in text.split(" ")]
    for counts, values in [
        (Counter("".join(words)), LETTERS_AND_DIGITS),
        (Counter(map(len, words)), range(3, 7)),
        (Counter(len(text.split(" ")) for text in strings), range(2, 6)),
    ]:
        assert set(counts) == set(values)
        assert chisquare(list(counts.values())).pvalue > 0.001


@pytest.mark.parametrize("shape", [(1, 1), (1, 2), (2, 2), (1, 1, 1, 2), (1, 1, 2, 2)])
def test_the_number_of_strings_is_that_of_all_there_are(shape):
    shape = Shape(*shape)
    lengths = range(shape.min_length, shape.max_length + 1)
    words = [word for length in lengths for word in product(LETTERS_AND_DIGITS, repeat=length)]
    numbers = range(shape.min_words, shape.max_words + 1)
    assert shape.number() == sum(1 for number in numbers for _ in product(words, repeat=number))
