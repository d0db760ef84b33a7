"""Frequent words from wordfreq and from lists."""

import pytest
from wordfreq import zipf_frequency

from workflow_scripts.corpora.frequent_words import (
    is_word,
    most_frequent_words,
    read_word_list,
)
from workflow_scripts.errors import UserError

LANGUAGES = ["en", "es", "fr", "pl", "fi", "ru", "tr", "it", "zh", "ar", "he"]


@pytest.mark.parametrize("token", ["the", "l'", "don't", "é", "的", "في", "ב", "пре-"])
def test_words_of_every_script_are_words(token):
    assert is_word(token)


@pytest.mark.parametrize("token", ["", "42", "0000", "mp3", "٣", "°", "--", "😂", "_"])
def test_numbers_punctuation_and_symbols_are_not(token):
    assert not is_word(token)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_but_estonian_has_ten_thousand_words(language):
    words = most_frequent_words(language, 10_000)
    assert len(words) == len(set(words)) == 10_000
    assert all(map(is_word, words))
    # `zipf_frequency` looks words up and, but for Chinese, gives the list's own order back.
    if language != "zh":
        frequencies = [zipf_frequency(word, language) for word in words[:200]]
        assert frequencies == sorted(frequencies, reverse=True)


def test_estonian_has_no_list_and_the_message_says_what_to_give():
    with pytest.raises(UserError, match="no list of words of language 'et'; name a file"):
        most_frequent_words("et", 10)


def test_a_list_keeps_its_order_and_passes_over_what_is_no_word(tmp_path):
    (tmp_path / "list.txt").write_text("on\r\n\r\n1\r\n ja \r\non\r\n", encoding="utf-8")
    assert read_word_list(tmp_path / "list.txt") == ["on", "ja", "on"]


@pytest.mark.shared_data
def test_real_lists_hold_ten_thousand_lines_of_words(shared_data):
    words = read_word_list(shared_data / "most-common-words" / "french.txt")
    assert 9_900 <= len(words) <= 10_000
    assert words[:3] == ["de", "la", "le"]
