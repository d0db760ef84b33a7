"""Span masking: how long the span is, where it may lie, and on which side."""

import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from workflow_scripts.tuning.recipes import SpanMasking
from workflow_scripts.tuning.span_masking import (
    character_units,
    make_views,
    mask_span,
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
    # The start is below len - length, so at least one character stands on the right.
    assert len(right) >= 1


@given(st.text(max_size=40), st.integers(1, 50), st.integers(0, 50))
def test_short_strings_stay_whole(text, length, min_length):
    masked = mask(text, length, min_length)
    assert (masked == text) == (len(text) < min_length or len(text) <= length)


def test_every_allowed_start_is_drawn_and_the_last_span_is_not():
    starts = {mask("abcdef", 2, seed=seed).index(" [MASK] ") for seed in range(200)}
    assert starts == {0, 1, 2, 3}


def test_a_string_one_longer_than_the_span_loses_its_beginning():
    assert mask("abcdef", 5) == " [MASK] f"


def test_minimum_length_is_the_papers_thirty():
    masking = SpanMasking(length=5)
    strings = [TEXT[:29], TEXT[:30]]
    first, second = make_views(strings, masking, "<mask>", character_units, random.Random(1))
    assert first == strings
    assert second[0] == strings[0]
    assert len(second[1]) == 30 - 5 + len(" [MASK] ")


def test_words_are_cut_as_wholes():
    text = "one two  three four\tfive"
    units = word_units(text)
    for seed in range(20):
        masked = mask_span(text, units, 2, 0, "[MASK]", random.Random(seed))
        left, right = masked.split(" [MASK] ")
        assert left.split() + right.split() in [
            ["three", "four", "five"],
            ["one", "four", "five"],
            ["one", "two", "five"],
        ]


def test_tokens_come_from_the_finder_that_is_given():
    masking = SpanMasking(length=1, unit="token", min_length=0)

    def halves(text):
        return [(0, 3), (3, len(text))]

    _, second = make_views(["abcdef"], masking, "<mask>", halves, random.Random(1))
    assert second == [" [MASK] def"]


@pytest.mark.parametrize(("mask_token", "expected"), [("literal", "[MASK]"), ("tokenizer", "<m>")])
def test_the_mask_is_the_literal_one_or_the_tokenizers(mask_token, expected):
    masking = SpanMasking(length=5, min_length=0, mask_token=mask_token)
    _, second = make_views([TEXT], masking, "<m>", character_units, random.Random(1))
    assert f" {expected} " in second[0]


def test_side_second_masks_the_second_view_only():
    strings = [TEXT] * 50
    first, second = make_views(
        strings, SpanMasking(length=5), "", character_units, random.Random(1)
    )
    assert first == strings
    assert all(text != TEXT for text in second)


def test_side_random_masks_one_view_of_each_pair_and_both_views_at_times():
    masking = SpanMasking(length=5, side="random")
    views = make_views([TEXT] * 50, masking, "", character_units, random.Random(1))
    masked_first = [first != TEXT for first, second in zip(*views, strict=True)]
    masked_second = [second != TEXT for first, second in zip(*views, strict=True)]
    assert [not flag for flag in masked_first] == masked_second
    assert 10 < sum(masked_first) < 40


def test_spans_are_redrawn_and_fixed_by_the_generator():
    strings = [TEXT] * 20

    def draw(seed):
        generator = random.Random(seed)
        masking = SpanMasking(length=5)
        return [make_views(strings, masking, "", character_units, generator) for _ in range(2)]

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)
    once, again = draw(1)
    assert once != again


def test_without_masking_both_views_are_the_strings():
    strings = [TEXT, "short"]
    assert make_views(strings, None, "", character_units, random.Random(1)) == (strings, strings)
