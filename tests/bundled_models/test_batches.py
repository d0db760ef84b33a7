"""Shares of languages, cutting of sequences and the order of batches."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundled_models import encoded_text as texts
from bundled_models.batches import BlockStream, assemble, cut_batches
from bundled_models.settings import Stage


def encoded(*sentences):
    ids = np.array([piece for sentence in sentences for piece in sentence], dtype=np.int32)
    return texts.EncodedText(ids, np.cumsum([len(sentence) for sentence in sentences]))


def stream(by_language, exponent=1.0, block=10):
    return BlockStream(by_language, Stage(until=1.0, length=8), exponent, block, 40, (1, 2))


@given(st.lists(st.integers(0, 20), min_size=1, max_size=30), st.integers(1, 9), st.booleans())
def test_spans_cover_every_piece_once_in_order(lengths, longest, pack):
    text = encoded(*[[1] * length for length in lengths])
    spans = texts.cut_spans(text, longest, pack)
    assert [n for start, end in spans for n in range(start, end)] == list(range(sum(lengths)))
    assert all(0 < end - start <= longest for start, end in spans)


def test_a_sentence_is_a_sequence_unless_packed():
    text = encoded([1, 2, 3], [4], [5, 6, 7, 8, 9, 10], [11])
    assert texts.cut_spans(text, 4, False).tolist() == [[0, 3], [3, 4], [4, 8], [8, 10], [10, 11]]
    assert texts.cut_spans(text, 4, True).tolist() == [[0, 4], [4, 8], [8, 11]]


@given(st.lists(st.integers(3, 48), min_size=1, max_size=200))
def test_batches_hold_each_sequence_once_within_their_tokens(lengths):
    array = np.array(lengths)
    batches = cut_batches(array, 96)
    assert sorted(n for batch in batches for n in batch) == list(range(len(lengths)))
    assert all(len(batch) * array[batch].max() <= 96 for batch in batches)


def test_sequences_are_framed_and_padded():
    ids, attention = assemble([np.array([7, 8]), np.array([9])], start=2, end=3, padding=0)
    assert ids.tolist() == [[2, 7, 8, 3], [2, 9, 3, 0]]
    assert attention.tolist() == [[1, 1, 1, 1], [1, 1, 1, 0]]


def test_blocks_depend_on_seed_and_number_alone_and_repeat_no_text_before_all_was_seen():
    by_language = {"en": encoded(*[[n, n] for n in range(30)])}
    one = stream(by_language)
    blocks = [[ids.tolist() for batch in one.batches(n) for ids in batch] for n in range(6)]
    assert Counter(ids[0] for block in blocks for ids in block) == dict.fromkeys(range(30), 2)
    assert [ids.tolist() for batch in stream(by_language).batches(3) for ids in batch] == blocks[3]


def test_tokens_of_a_block_follow_the_smoothed_shares():
    by_language = {"en": encoded(*[[1] * 6] * 900), "fi": encoded(*[[2] * 3] * 200)}
    tokens: Counter[int] = Counter()
    for batch in stream(by_language, exponent=0.5, block=400).batches(0):
        for ids in batch:
            tokens[int(ids[0])] += len(ids)
    # sizes 5400 and 600: the square roots are as 3 to 1
    assert tokens[1] / tokens[2] == pytest.approx(3.0, rel=0.02)
