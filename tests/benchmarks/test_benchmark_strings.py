"""The strings that are measured on."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.benchmark_strings import read_neighbours, read_strings
from benchmarks.workloads import draw_strings
from workflow_scripts.errors import UserError

TEXTS = st.lists(st.text("abc", max_size=3), min_size=1, unique=True)


@given(TEXTS, st.integers(0, 50), st.integers(0, 3))
def test_drawing_uses_each_string_as_often_as_any_other(strings, count, seed):
    drawn = draw_strings(strings, count, seed)
    assert len(drawn) == count
    times = Counter({text: 0 for text in strings})
    times.update(drawn)
    assert set(times) == set(strings)
    assert max(times.values()) - min(times.values()) <= 1
    assert drawn == draw_strings(strings, count, seed)
    many = [str(number) for number in range(100)]
    assert many != draw_strings(many, 100, seed) != draw_strings(many, 100, seed + 1)


def test_corpora_of_the_authors_come_first_and_a_root_without_any_is_named(tmp_path):
    folder = tmp_path / "mirror-corpus"
    folder.mkdir()
    (folder / "en_words_top_10k.txt").write_text("the\n\n of \nand\n")
    assert read_strings(tmp_path, "words", 2) == (["the", "of"], "`en_words_top_10k.txt`")
    with pytest.raises(UserError, match=r"random_sampled\.txt: no such file.*another --data"):
        read_strings(tmp_path, "sentences", 10)


def test_the_embedded_data_has_all_three(sample_data):
    words, source = read_strings(sample_data, "words", 50)
    assert len(words) == 50 and "wordfreq" in source
    assert len(read_strings(sample_data, "sentences", 10_000)[0]) == 2 * 522
    assert len(set(read_strings(sample_data, "phrases", 100)[0])) == 100


def test_neighbours_are_of_one_article(tmp_path):
    numbers = ["one", "two", "three", "four", "five", "six", "seven"]
    folder = tmp_path / "text-en-wikipedia" / "AA"
    folder.mkdir(parents=True)
    articles = (
        f'<doc id="{place}">\n' + "".join(f"Sentence {word} of {place}.\n" for word in numbers)
        for place in ("this", "that")
    )
    (folder / "wiki_00").write_text("</doc>\n".join(articles) + "</doc>\n")
    pairs, source = read_neighbours(tmp_path, 1, 100)
    assert pairs[0] == "Sentence one of this.\nSentence two of this.\n"
    # the seventh of each article is alone
    assert len(pairs) == 6 and source == "of Wikipedia's articles"
    joined, _ = read_neighbours(tmp_path, 2, 1)
    whole = ("Sentence one of this. Sentence two of this.", "Sentence three of this. Sentence four")
    assert joined == [f"{whole[0]}\n{whole[1]} of this.\n"]
