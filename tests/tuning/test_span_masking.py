"""Span masking: how long the span is, where it may be, and on which side."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from workflow_scripts.tuning.span_masking import (
    SpanMasking,
    augment_pairs,
    character_units,
    mask_span,
    token_units,
    word_units,
)

TEXT = "abcdefghijklmnopqrstuvwxyz0123456789"


def mask(text: str, length: int, min_length: int = 0, seed: int = 1) -> str:
    generator = random.Random(seed)
    return mask_span(text, character_units(text), length, min_length, "[MASK]", generator)


@given(st.text(min_size=1, max_size=60), st.integers(1, 10), st.integers(0, 99))
def test_exactly_length_characters_are_replaced_by_the_spaced_mask(text, length, seed):
    assume("[MASK]" not in text and len(text) > length)
    left, right = mask(text, length, seed=seed).split(" [MASK] ")
    assert text.startswith(left)
    assert text.endswith(right)
    assert len(left) + len(right) == len(text) - length
    # The start is below len - length, so at least one character is on the right.
    assert len(right) >= 1


@given(st.text(max_size=40), st.integers(1, 50), st.integers(0, 50))
def test_short_strings_stay_whole(text, length, min_length):
    masked = mask(text, length, min_length)
    assert (masked == text) == (len(text) < min_length or len(text) <= length)


def test_every_allowed_start_is_drawn_and_the_last_span_is_not():
    starts = {mask("abcdef", 2, seed=seed).index(" [MASK] ") for seed in range(200)}
    assert starts == {0, 1, 2, 3}
    # a string one longer than the span loses its beginning
    assert mask("abcdef", 5) == " [MASK] f"


@given(st.text("ab ", min_size=30, max_size=60), st.integers(1, 5), st.integers(0, 99))
def test_the_first_occurrence_goes_as_in_the_released_code(text, length, seed):
    """Of equal stretches the authors' code cuts the first, by `str.split`."""
    cut = (character_units(text), length, 30, "[MASK]")
    start = random.Random(seed).randrange(len(text) - length)
    parts = text.split(text[start : start + length], 1)
    first = mask_span(text, *cut, random.Random(seed), "first_occurrence")
    assert first == " ".join([parts[0], "[MASK]", parts[1]])
    drawn = mask_span(text, *cut, random.Random(seed))
    assert drawn == f"{text[:start]} [MASK] {text[start + length :]}"


def test_words_are_cut_as_wholes():
    text = "one two  three four\tfive"
    units, found = word_units(text), set()
    for seed in range(50):
        masked = mask_span(text, units, 2, 0, "[MASK]", random.Random(seed))
        found.add(" ".join(masked.replace("[MASK]", "").split()))
    assert found == {"three four five", "one four five", "one two five"}


def views_of(strings, seed=1, units=character_units, mask="<m>", **masking):
    masking = SpanMasking(**{"length": 5, **masking})
    return augment_pairs(strings, masking, mask, units, random.Random(seed))


def test_minimum_length_is_the_papers_thirty():
    strings = [TEXT[:29], TEXT[:30]]
    first, second = views_of(strings)
    assert first == strings
    assert second[0] == strings[0]
    assert len(second[1]) == 30 - 5 + len(" [MASK] ")


@pytest.mark.parametrize(("mask_token", "expected"), [("literal", "[MASK]"), ("tokenizer", "<m>")])
def test_the_mask_is_the_literal_one_or_the_tokenizers(mask_token, expected):
    assert f" {expected} " in views_of([TEXT], min_length=0, mask_token=mask_token)[1][0]


def test_side_second_masks_the_second_view_and_side_random_either_of_each_pair():
    first, second = views_of([TEXT] * 50)
    assert first == [TEXT] * 50
    assert TEXT not in second
    first, second = views_of([TEXT] * 50, side="random")
    masked = [text != TEXT for text in first]
    assert [not flag for flag in masked] == [text != TEXT for text in second]
    assert 10 < sum(masked) < 40


def test_units_are_the_places_of_characters_words_and_tokens(tiny_bert):
    text = "cat  dogs"
    assert character_units("cat") == [(0, 1), (1, 2), (2, 3)]
    assert word_units(text) == [(0, 3), (5, 9)]
    # the pieces are cat, dog and ##s, without what the tokenizer puts around them
    units = token_units(AutoTokenizer.from_pretrained(tiny_bert))(text)
    assert [tuple(unit) for unit in units] == [(0, 3), (5, 8), (8, 9)]


def test_the_span_of_the_partner_is_placed_as_asked():
    def partners_of(place):
        masking = SpanMasking(length=3, min_length=0, place=place)
        pairs = (["one"] * 3, masking, "", character_units, random.Random(1), ["aaaaaaaaaab"] * 3)
        first, second = augment_pairs(*pairs)
        assert first == ["one"] * 3
        return second

    # wherever it is drawn, the first three letters read like it
    assert partners_of("first_occurrence") == [" [MASK] aaaaaaab"] * 3
    assert len(set(partners_of("drawn"))) > 1
