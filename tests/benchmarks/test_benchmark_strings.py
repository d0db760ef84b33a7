"""The strings that are measured on."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.benchmarks.benchmark_strings import draw_strings, read_strings
from workflow_scripts.errors import UserError


@given(st.lists(st.text(), min_size=1, unique=True), st.integers(0, 50), st.integers(0, 3))
def test_drawing_uses_each_string_as_often_as_any_other(
    strings: list[str], count: int, seed: int
) -> None:
    drawn = draw_strings(strings, count, seed)
    assert len(drawn) == count
    times = Counter({text: 0 for text in strings})
    times.update(drawn)
    assert set(times) == set(strings)
    assert max(times.values()) - min(times.values()) <= 1
    assert drawn == draw_strings(strings, count, seed)


def test_drawing_does_not_keep_the_order() -> None:
    strings = [str(number) for number in range(100)]
    assert draw_strings(strings, 100, 0) != strings
    assert draw_strings(strings, 100, 0) != draw_strings(strings, 100, 1)


def test_corpora_of_the_authors_come_first(tmp_path: Path) -> None:
    folder = tmp_path / "mirror-corpus"
    folder.mkdir()
    (folder / "en_words_top_10k.txt").write_text("the\n\n of \nand\n")
    found = read_strings(tmp_path, "words", 2)
    assert found.strings == ["the", "of"]
    assert "en_words_top_10k.txt" in found.source


def test_the_embedded_data_has_all_three(sampler: Path) -> None:
    words = read_strings(sampler, "words", 50)
    assert len(words.strings) == 50 and "wordfreq" in words.source
    sentences = read_strings(sampler, "sentences", 10_000)
    assert len(sentences.strings) == 2 * 522
    phrases = read_strings(sampler, "phrases", 100)
    assert len(set(phrases.strings)) == 100


def test_a_root_without_sentences_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"random_sampled\.txt: no such file.*another --data"):
        read_strings(tmp_path, "sentences", 10)
