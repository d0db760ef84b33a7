"""Sequences of running text, their batches and their masks, against plain Python."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoTokenizer

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.language_modelling.masking import IGNORED
from workflow_scripts.tuning import neighbours
from workflow_scripts.tuning.neighbours import (
    Masking,
    Sequences,
    draw_numbers,
    near_sentences,
    pack,
)

# one word, one token
DOCUMENTS = [["a cat", "the big dog runs", "man"], ["red tree", "a house near"]]
CLS, SEP = 2, 3


@pytest.fixture
def tokenizer(tiny_bert):
    return AutoTokenizer.from_pretrained(tiny_bert)


def words_of(tokenizer, sequences):
    ids = [sequences[number].tolist() for number in range(len(sequences))]
    assert all(one[0] == CLS and one[-1] == SEP for one in ids)
    return [tokenizer.decode(one[1:-1]) for one in ids]


def test_a_sentence_is_a_sequence_cut_at_its_end(tokenizer):
    sequences = Sequences(tokenizer, DOCUMENTS, "sentence", EncoderSettings("mean", 5))
    expected = ["a cat", "the big dog", "man", "red tree", "a house near"]
    assert words_of(tokenizer, sequences) == expected
    assert sequences.document.tolist() == [0, 0, 0, 1, 1]
    assert sequences.followed.tolist() == [0, 1, 3]
    # with room for more the sentences are as they are
    whole = words_of(
        tokenizer, Sequences(tokenizer, DOCUMENTS, "sentence", EncoderSettings("mean", 6))
    )
    assert whole == [*DOCUMENTS[0], *DOCUMENTS[1]]


def test_packed_sentences_stay_within_the_length_and_half_of_their_document(tokenizer):
    sequences = Sequences(tokenizer, DOCUMENTS, "packed", EncoderSettings("mean", 8))
    # halves of seven and of five words
    expected = ["a cat", "the big dog runs", "man", "red tree", "a house near"]
    assert words_of(tokenizer, sequences) == expected
    longer = [*DOCUMENTS[0], *DOCUMENTS[1]]
    packed = Sequences(tokenizer, [longer, ["dog", "cat"]], "packed", EncoderSettings("mean", 8))
    # six words fit, and so do half of twelve
    joined = ["a cat the big dog runs", "man red tree a house near", "dog", "cat"]
    assert words_of(tokenizer, packed) == joined
    assert packed.document.tolist() == [0, 0, 1, 1]
    assert packed.followed.tolist() == [0, 2]


@pytest.mark.parametrize("inputs", ["sentence", "packed"])
def test_sequences_do_not_depend_on_what_is_tokenised_at_once(inputs, tokenizer, monkeypatch):
    documents, settings = [*DOCUMENTS * 9, ["the dog", "[PAD]"]], EncoderSettings("mean", 6)
    whole = Sequences(tokenizer, documents, inputs, settings)
    for characters in (1, 40, 100):
        monkeypatch.setattr(neighbours, "CHARACTERS_AT_ONCE", characters)
        # read once, so that they can come from a file
        parts = Sequences(tokenizer, iter(documents), inputs, settings)
        for name in ("spans", "document", "followed"):
            np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name))
        assert words_of(tokenizer, parts) == words_of(tokenizer, whole)


def test_memory_holds_some_bytes_a_sequence_and_no_text(tokenizer, monkeypatch):
    monkeypatch.setattr(neighbours, "CHARACTERS_AT_ONCE", 5_000)
    document = ["the big dog runs near a house " * 3, "a small cat sleeps under the tree " * 3]

    def peak_of(count):
        tracemalloc.start()
        sequences = Sequences(
            tokenizer, (document for _ in range(count)), "sentence", EncoderSettings("mean", 60)
        )
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert len(sequences) == 2 * count
        return peak

    few, many = peak_of(500), peak_of(2500)
    # 4,000 sequences more, with 100 characters and 20 tokens each
    assert (many - few) / 4000 < 60


def test_text_without_any_token_has_no_sequences(tokenizer):
    # what the tokenizer drops
    sequences = Sequences(tokenizer, [["\u200b", "\u200b"]], "sentence", EncoderSettings("mean", 6))
    assert (len(sequences), len(sequences.followed)) == (0, 0)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=12), st.integers(1, 12), st.integers(0, 5))
def test_packing_is_greedy(sizes, longest, start):
    ends = (start + np.cumsum(sizes)).tolist()
    limit = min(longest, (sum(sizes) + 1) // 2)
    # the oracle: lists of sentences, each list as long as it may be
    groups, own = [], []
    for size in sizes:
        if own and sum(own) + size > limit:
            groups.append(own)
            own = []
        own = [*own, size]
    expected, begin = [], start
    for group in [*groups, own]:
        expected.append((begin, min(begin + sum(group), begin + longest)))
        begin += sum(group)
    assert pack(start, ends, longest) == expected


def test_batches_are_consecutive_parts_of_a_new_order_in_each_epoch():
    batches = list(draw_numbers(10, 3, 7, (33, 1)))
    # three whole batches an epoch, the tenth number left over
    for epoch in range(3):
        order = np.random.default_rng([33, 1, epoch]).permutation(10)
        own = batches[3 * epoch : 3 * epoch + 3]
        assert np.concatenate(own).tolist() == order[: 3 * len(own)].tolist()
        assert {len(batch) for batch in own} == {3}


def test_documents_are_shuffled_whole():
    document = np.array([0, 0, 1, 2, 2, 3])
    batches = list(draw_numbers(6, 2, 6, (33, 1), document))
    for epoch in range(2):
        ranks = np.random.default_rng([33, 1, epoch]).permutation(4)
        documents = sorted(range(4), key=lambda one: ranks[one])
        expected = [number for one in documents for number in np.flatnonzero(document == one)]
        assert np.concatenate(batches[3 * epoch : 3 * epoch + 3]).tolist() == expected


@pytest.mark.parametrize("most", [1, 2])
def test_near_sentences_are_of_one_document_and_at_most_so_many_apart(most):
    document, numbers = [0, 0, 0, 1, 1], [1, 2, 3, 0, 4]
    near = near_sentences(np.array(numbers), np.array(document), most)
    assert near.tolist() == [
        [0 < abs(one - other) <= most and document[one] == document[other] for other in numbers]
        for one in numbers
    ]


SENTENCES = [np.array([CLS, *[10] * size, SEP]) for size in (8, 3, 1)]


@pytest.mark.parametrize(
    ("share", "count", "expected"),
    # the share is of all tokens with their frame of two; at least one, and no more than there are
    [(0.5, None, [5, 2, 1]), (0.01, None, [1, 1, 1]), (0.5, 2, [2, 2, 1]), (1.0, None, [8, 3, 1])],
)
def test_so_many_tokens_are_masked(share, count, expected, tokenizer):
    masking = Masking(tokenizer, share, count)
    inputs, labels = masking.of(SENTENCES, np.random.default_rng(1))
    assert [len(one) for one in inputs] == [len(one) for one in labels] == [10, 5, 3]
    for sentence, own, label, number in zip(SENTENCES, inputs, labels, expected, strict=True):
        chosen = label != IGNORED
        assert chosen.sum() == number
        assert (label[chosen] == 10).all() and (own[~chosen] == sentence[~chosen]).all()
        assert not chosen[[0, -1]].any()


def test_masked_tokens_become_the_mask_or_an_ordinary_token(tokenizer):
    sentence = np.array([CLS, *[10] * 20_000, SEP])
    (inputs,), _ = Masking(tokenizer, 1.0).of([sentence], np.random.default_rng(1))
    shown = set(inputs[1:-1].tolist())
    assert tokenizer.mask_token_id in shown
    # all but [PAD], [UNK], [CLS] and [SEP]
    assert shown == set(range(4, len(tokenizer)))
