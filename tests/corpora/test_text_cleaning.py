"""Which sentences are kept, dropped and held out."""

import hashlib
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.corpora import text_cleaning as cleaning


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        ("One here. Two there! Three?", ["One here.", "Two there!", "Three?"]),
        ("Mr. Smith left D.C. in May. He ran.", ["Mr. Smith left D.C. in May.", "He ran."]),
        ('He said "hello." Then he left.', ['He said "hello."', "Then he left."]),
        ("我去了北京。你呢？好。", ["我去了北京。", "你呢？", "好。"]),
        ("他说「好。」走了。", ["他说「好。」走了。"]),
        ("Он пришёл домой. Потом ушёл.", ["Он пришёл домой.", "Потом ушёл."]),
        ("no end", ["no end"]),
        ("", []),
    ],
)
def test_paragraphs_split_at_sentence_ends(paragraph, sentences):
    assert cleaning.split_sentences(paragraph) == sentences


@given(st.text(alphabet="abc .!?\"'。！」", max_size=60))
def test_splitting_loses_nothing_but_spaces(paragraph):
    sentences = "".join(cleaning.split_sentences(paragraph))
    assert "".join(sentences.split()) == "".join(paragraph.split())


def test_keys_are_letters_and_digits_and_a_chinese_character_weighs_as_three_letters():
    assert cleaning.comparison_key("A man, aged 5, isn't  HERE.") == "amanaged5isnthere"
    assert cleaning.comparison_key("Ещё раз!") == "ещёраз"
    # a text without either has no key
    assert cleaning.keys_of(["A b.", "?!", "", "a-B"]) == {"ab"}
    # composed or not, as files of either kind have it
    assert cleaning.comparison_key("Cafe\u0301 scho\u0308n") == cleaning.comparison_key(
        "Café schön"
    )
    assert cleaning.weight_of("ab 12 -") == 2
    assert cleaning.weight_of("他来了。") == 9


def test_short_repeated_and_evaluation_sentences_are_dropped_and_counted():
    dropped: Counter[str] = Counter()
    seen: set[bytes] = set()
    excluded = {cleaning.comparison_key("A man is playing a guitar.")}
    first = ["Title", "A man is playing a guitar! The weather was fine that day."]
    second = ["The weather, was fine, that day.", "Une e\u0301cole dans la foret"]
    cleaned = [*cleaning.clean_sentences(first, seen, excluded, 12, dropped)]
    cleaned += cleaning.clean_sentences(second, seen, excluded, 12, dropped)
    kept = [one and one[0] for one in cleaned]
    # in normal form C
    fine, school = "The weather was fine that day.", "Une école dans la foret"
    assert kept == [None, None, fine, None, school]
    first_again, _ = cleaning.clean_sentences(second, None, excluded, 12, Counter())
    assert first_again[0] == second[0]
    assert dropped == {"short": 1, "evaluation": 1, "repeated": 1}


def test_about_one_in_n_sentences_is_held_out():
    # Binomial(20000, 1/50): mean 400, deviation 19.8; five deviations on either side.
    count = sum(cleaning.is_held_out(f"sentence{number}", 50) for number in range(20_000))
    assert 300 < count < 500
    # by the documented digest, so that no sentence moves with an update of this code
    for key in ("thecatsleeps", "ещёраз"):
        number = int(hashlib.blake2b(key.encode("utf-8"), digest_size=8).hexdigest(), 16)
        for one_in in (2, 3, 7, 50):
            assert cleaning.is_held_out(key, one_in) == (number % one_in == 0)
