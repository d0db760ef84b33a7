"""Token ids of the augmented strings of a batch."""

import random
from types import SimpleNamespace

import pytest
from tiny_models import make_sentences
from transformers import AutoTokenizer

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.augmented_strings import AugmentedStrings
from workflow_scripts.tuning.span_masking import SpanMasking, character_units, mask_span

STRINGS = make_sentences(12)
BATCH = [3, 0, 11, 7]
MASKING = SpanMasking(length=5, min_length=10)
SETTINGS = EncoderSettings("mean", 20)


@pytest.fixture
def tokenizer(tiny_bert):
    return AutoTokenizer.from_pretrained(tiny_bert)


@pytest.mark.parametrize("masking", [None, MASKING])
@pytest.mark.parametrize("partners", [None, STRINGS[::-1]])
def test_second_views_are_the_strings_or_their_partners_masked(partners, masking, tokenizer):
    views = AugmentedStrings(tokenizer, STRINGS, partners, masking, SETTINGS, 33)
    seconds = plain = [(partners or STRINGS)[i] for i in BATCH]
    if masking:
        rest = (5, 10, "[MASK]", random.Random("33 masking 2"))
        seconds = [mask_span(text, character_units(text), *rest) for text in plain]
        assert seconds != plain
    texts = [*(STRINGS[i] for i in BATCH), *seconds]
    expected = [tokenizer(text, truncation=True, max_length=20)["input_ids"] for text in texts]
    assert views.of_batch(BATCH, 2) == expected


def test_a_prompt_is_before_both_views_and_never_masked(tokenizer):
    settings = EncoderSettings("mean", 20, prompts={"default": "a man sees "})
    bare = AugmentedStrings(tokenizer, STRINGS, None, MASKING, SETTINGS, 33)
    views = AugmentedStrings(tokenizer, STRINGS, None, MASKING, settings, 33)
    prompt = tokenizer("a man sees ", add_special_tokens=False)["input_ids"]
    for own, without in zip(views.of_batch(BATCH, 2), bare.of_batch(BATCH, 2), strict=True):
        whole = [without[0], *prompt, *without[1:]]
        assert own == whole[:20] or own == [*whole[:19], tokenizer.sep_token_id]


def test_spans_are_drawn_anew_each_step_and_fixed_by_seed_and_step(tokenizer):
    def draw(seed, step):
        views = AugmentedStrings(tokenizer, STRINGS, None, MASKING, SETTINGS, seed)
        return views.of_batch(range(12), step)

    assert draw(33, 1) == draw(33, 1)
    assert draw(33, 1) != draw(33, 2)
    assert draw(33, 1) != draw(44, 1)


def test_token_units_are_the_tokenizers(tokenizer):
    masking = SpanMasking(length=1, unit="token", min_length=2, mask_token="tokenizer")
    views = AugmentedStrings(tokenizer, ["cat dog man tree"], None, masking, SETTINGS, 33)
    (first, second) = views.of_batch([0], 1)
    assert len(second) == len(first)
    assert second.count(tokenizer.mask_token_id) == 1
    assert sum(a != b for a, b in zip(first, second, strict=True)) == 1


def test_a_mask_of_the_tokenizer_needs_one_that_has_it():
    # nothing would replace what is cut out
    masking = SpanMasking(length=2, mask_token="tokenizer")
    lacking = SimpleNamespace(mask_token=None)
    with pytest.raises(UserError, match=r"span_masking\.mask_token: .* no mask token; .*literal"):
        AugmentedStrings(lacking, ["abc"], None, masking, SETTINGS, 0)
