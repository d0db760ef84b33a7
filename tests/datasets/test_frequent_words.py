"""Frequent words from wordfreq and from lists."""

import pytest
from wordfreq import zipf_frequency

from workflow_scripts.datasets.frequent_words import is_word, most_frequent_words, read_word_list

LANGUAGES = ["en", "es", "fr", "pl", "fi", "ru", "tr", "it", "zh", "ar", "he"]


def test_words_of_every_script_are_words_and_numbers_and_symbols_are_not():
    assert all(map(is_word, ["the", "l'", "don't", "é", "的", "في", "ב", "пре-"]))
    assert not any(map(is_word, ["", "42", "0000", "mp3", "٣", "°", "--", "😂", "_"]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_but_estonian_has_ten_thousand_words(language):
    words = most_frequent_words(language, 10_000)
    assert len(words) == len(set(words)) == 10_000
    assert all(map(is_word, words))
    # `zipf_frequency` looks words up and, except for Chinese, returns the list's own order.
    if language != "zh":
        frequencies = [zipf_frequency(word, language) for word in words[:200]]
        assert frequencies == sorted(frequencies, reverse=True)


def test_a_list_keeps_its_order_and_passes_over_what_is_no_word(tmp_path):
    (tmp_path / "list.txt").write_text("on\r\n\r\n1\r\n ja \r\non\r\n", encoding="utf-8")
    assert read_word_list(tmp_path / "list.txt") == ["on", " ja ", "on"]
