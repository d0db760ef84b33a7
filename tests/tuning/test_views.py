"""Token ids of the two views of a batch."""

import random

import pytest
from tiny_models import make_sentences
from transformers import AutoTokenizer

from workflow_scripts.tuning.recipes import SpanMasking
from workflow_scripts.tuning.span_masking import character_units, mask_span
from workflow_scripts.tuning.views import Views

STRINGS = make_sentences(12)
BATCH = [3, 0, 11, 7]


@pytest.fixture
def tokenizer(tiny_bert):
    return AutoTokenizer.from_pretrained(tiny_bert)


def ids_of(tokenizer, strings):
    return [tokenizer(text, truncation=True, max_length=20)["input_ids"] for text in strings]


def test_without_masking_both_views_are_the_strings(tokenizer):
    views = Views(tokenizer, STRINGS, None, None, 20, 33)
    assert views.of_batch(BATCH, 1) == ids_of(tokenizer, [STRINGS[i] for i in BATCH] * 2)


def test_partners_are_the_second_views(tokenizer):
    partners = STRINGS[::-1]
    views = Views(tokenizer, STRINGS, partners, None, 20, 33)
    expected = [STRINGS[i] for i in BATCH] + [partners[i] for i in BATCH]
    assert views.of_batch(BATCH, 1) == ids_of(tokenizer, expected)


@pytest.mark.parametrize("partners", [None, STRINGS[::-1]])
def test_second_views_are_the_masked_strings_tokenised(partners, tokenizer):
    masking = SpanMasking(length=5, min_length=10)
    views = Views(tokenizer, STRINGS, partners, masking, 20, 33)
    seconds = [(partners or STRINGS)[i] for i in BATCH]
    generator = random.Random("33 masking 2")
    masked = [
        mask_span(text, character_units(text), 5, 10, "[MASK]", generator) for text in seconds
    ]
    assert masked != seconds
    expected = ids_of(tokenizer, [STRINGS[i] for i in BATCH] + masked)
    assert views.of_batch(BATCH, 2) == expected


def test_spans_are_drawn_anew_each_step_and_fixed_by_seed_and_step(tokenizer):
    def draw(seed, step):
        masking = SpanMasking(length=5, min_length=10)
        return Views(tokenizer, STRINGS, None, masking, 20, seed).of_batch(list(range(12)), step)

    assert draw(33, 1) == draw(33, 1)
    assert draw(33, 1) != draw(33, 2)
    assert draw(33, 1) != draw(44, 1)


def test_token_units_are_the_tokenizers(tokenizer):
    masking = SpanMasking(length=1, unit="token", min_length=2, mask_token="tokenizer")
    views = Views(tokenizer, ["cat dog man tree"], None, masking, 20, 33)
    (first, second) = views.of_batch([0], 1)
    assert len(second) == len(first)
    assert second.count(tokenizer.mask_token_id) == 1
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1
