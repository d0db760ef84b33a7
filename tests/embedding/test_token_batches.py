"""Token ids and padded batches, against the tokenizer's own call and its own padding."""

from itertools import chain

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_models import make_sentences, save_tokenizer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import AutoTokenizer

from workflow_scripts.embedding import token_batches
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.token_batches import (
    pad_token_ids,
    plan_batches,
    plan_full_batches,
    tokenize_strings,
    tokenize_words,
)
from workflow_scripts.errors import UserError


@pytest.fixture(scope="module")
def tokenizers(tiny_bert, tiny_roberta, tmp_path_factory):
    """WordPiece, byte-level BPE and sentencepiece's unigram."""
    folder = tmp_path_factory.mktemp("unigram")
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.NFKC()
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    marks = ["<unk>", "<pad>"]
    trainer = trainers.UnigramTrainer(vocab_size=90, special_tokens=marks, unk_token=marks[0])
    unigram.train_from_iterator(make_sentences(40), trainer)
    save_tokenizer(folder, unigram, {"unk_token": marks[0], "pad_token": marks[1]})
    return [AutoTokenizer.from_pretrained(one) for one in (tiny_bert, tiny_roberta, folder)]


STRINGS = [*make_sentences(23), "a", "", "the " * 60, "éß 中文", "[MASK] dog [PAD]", "a\tb"]


def test_words_of_tokens_are_those_of_the_tokenizers_call(tokenizers):
    for tokenizer in tokenizers:
        token_ids, words = tokenize_words(tokenizer, STRINGS, EncoderSettings("mean", 12))
        called = tokenizer(STRINGS, truncation=True, max_length=12)
        for row, (ids, own) in enumerate(zip(token_ids, words, strict=True)):
            assert own == called.word_ids(row)
            # a string without tokens is one that is unknown
            assert ids == called["input_ids"][row] or not own


def test_a_tokenizer_that_does_not_tell_words_is_one_clear_error(tokenizers, monkeypatch):
    monkeypatch.setattr(type(tokenizers[0]), "is_fast", False)
    with pytest.raises(
        UserError, match="does not report which tokens belong to one word; use a model"
    ):
        tokenize_words(tokenizers[0], ["a"], EncoderSettings("mean", 12))


# what a word, a break between words and a line may be made of
PARTS = ["dog", "d", "x" * 60, "x" * 150, "ééé", "中文", "a.b", "\u0301", "\x1c", "[MASK]", "'s"]
BREAKS = ["", " ", "  ", "\t ", " \n", "\u3000", "\xa0 ", "\x1c ", "\x00"]
LONG = st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(BREAKS)), max_size=40)


@given(st.lists(LONG, min_size=1, max_size=4), st.integers(3, 12), st.integers(1, 9))
@settings(deadline=None, max_examples=150)
def test_long_strings_are_cut_without_changing_their_ids(tokenizers, lines, length, characters):
    strings = ["".join(chain.from_iterable(line)) for line in lines]
    for tokenizer in tokenizers:
        found = tokenizer(strings, truncation=True, max_length=length)["input_ids"]
        expected = [ids or [tokenizer.unk_token_id] for ids in found]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(token_batches, "_CHARACTERS_A_TOKEN", characters)
            patch.setattr(token_batches, "CHARACTERS_AT_ONCE", 50)
            assert tokenize_strings(tokenizer, strings, EncoderSettings("mean", length)) == expected


def test_only_the_words_that_fill_the_length_reach_the_tokenizer(tokenizers, monkeypatch):
    seen = []
    parts = token_batches._parts
    monkeypatch.setattr(token_batches, "_parts", lambda all: seen.extend(all) or parts(all))
    strings = ["dog cat " * 50_000, "dog", "x" * 5_000, "the" + " " * 5_000 + "dog"]
    tokenize_strings(tokenizers[0], strings, EncoderSettings("mean", 24))
    assert [len(one) for one in seen] == [24 * 32 - 1, 3, 5_000, 3, 5_006]


def test_a_tokenizer_that_cuts_on_the_left_sees_all(tiny_bert):
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert, truncation_side="left")
    string = "dog " * 1_000 + "cat"
    expected = tokenizer(string, truncation=True, max_length=9)["input_ids"]
    assert tokenize_strings(tokenizer, [string], EncoderSettings("mean", 9)) == [expected]
    assert tokenizer.decode(expected).endswith("dog cat [SEP]")


def test_an_earlier_call_leaves_no_trace_and_no_tokens_become_the_unknown_one(tiny_bert):
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    tokenizer(STRINGS, truncation=True, max_length=4, padding="max_length")
    ids = tokenize_strings(tokenizer, ["a the small dog sleeps", "a"], EncoderSettings("mean", 20))
    assert [len(row) for row in ids] == [7, 3]
    tokenizer.backend_tokenizer.post_processor = None
    assert tokenize_strings(tokenizer, ["a", ""], EncoderSettings("mean", 5))[1] == [
        tokenizer.unk_token_id
    ]
    assert tokenize_strings(tokenizer, [], EncoderSettings("mean", 5)) == []


def test_padding_is_that_of_the_tokenizer(tiny_roberta):
    tokenizer = AutoTokenizer.from_pretrained(tiny_roberta)
    options = {"truncation": True, "max_length": 30, "return_tensors": "pt"}
    for padding, length in ((True, None), ("max_length", 30)):
        expected = tokenizer(STRINGS, padding=padding, **options)
        ids, mask = pad_token_ids(
            tokenize_strings(tokenizer, STRINGS, EncoderSettings("mean", 30)), 1, length
        )
        assert ids.dtype == mask.dtype == torch.int64
        assert torch.equal(ids, expected["input_ids"])
        assert torch.equal(mask, expected["attention_mask"])


@given(st.lists(st.integers(1, 50)), st.integers(1, 120))
def test_batches_hold_every_string_once_and_keep_the_budget(lengths, budget):
    batches = list(plan_batches(lengths, budget))
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) == 1 or len(batch) * longest <= budget


@given(st.lists(st.integers(1, 50)), st.integers(1, 120), st.sampled_from([None, 60]))
def test_full_batches_have_a_shape_that_their_length_alone_gives(lengths, budget, padded):
    batches = list(plan_full_batches(lengths, budget, padded))
    assert sorted({index for batch in batches for index in batch}) == list(range(len(lengths)))
    for batch in batches:
        (length,) = {lengths[index] for index in batch}
        assert len(batch) == max(1, budget // (padded or length))
    # none that is of one filled up alone
    assert sum(len(set(batch)) for batch in batches) == len(lengths)
