"""Token ids and padded batches, against the tokenizer's own call and its own padding."""

import torch
from hypothesis import given
from hypothesis import strategies as st
from tiny_models import make_sentences
from transformers import AutoTokenizer

from workflow_scripts.embedding import token_batches
from workflow_scripts.embedding.token_batches import pad_token_ids, plan_batches, tokenize_strings

STRINGS = [*make_sentences(23), "a", "", "the " * 60, "éß 中文", "[MASK] dog [PAD]", "a\tb"]


def test_token_ids_are_those_of_the_tokenizers_call(tiny_bert, tiny_roberta, monkeypatch):
    monkeypatch.setattr(token_batches, "STRINGS_AT_ONCE", 7)
    for folder in (tiny_bert, tiny_roberta):
        tokenizer = AutoTokenizer.from_pretrained(folder)
        for length in (24, 5):
            expected = tokenizer(STRINGS, truncation=True, max_length=length)["input_ids"]
            assert tokenize_strings(tokenizer, STRINGS, length) == expected


def test_an_earlier_call_leaves_no_trace_and_no_tokens_become_the_unknown_one(tiny_bert):
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    tokenizer(STRINGS, truncation=True, max_length=4, padding="max_length")
    ids = tokenize_strings(tokenizer, ["a the small dog sleeps", "a"], 20)
    assert [len(row) for row in ids] == [7, 3]
    tokenizer.backend_tokenizer.post_processor = None
    assert tokenize_strings(tokenizer, ["a", ""], 5)[1] == [tokenizer.unk_token_id]
    assert tokenize_strings(tokenizer, [], 5) == []


def test_padding_is_that_of_the_tokenizer(tiny_roberta):
    tokenizer = AutoTokenizer.from_pretrained(tiny_roberta)
    options = {"truncation": True, "max_length": 30, "return_tensors": "pt"}
    for padding, length in ((True, None), ("max_length", 30)):
        expected = tokenizer(STRINGS, padding=padding, **options)
        ids, mask = pad_token_ids(tokenize_strings(tokenizer, STRINGS, 30), 1, length)
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
