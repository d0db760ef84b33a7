"""Near duplicates, against comparisons of all pairs and counts over all batches."""

import unicodedata
from itertools import combinations
from math import comb

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workflow_scripts.tuning.corpus_strings import read_corpus
from workflow_scripts.tuning.near_duplicates import (
    count_near_duplicates,
    count_repeats_of,
    near_duplicate_key,
    warning_line,
)

# Few characters, so that strings often are alike: case, width, ligature, punctuation, emoji, marks.
TEXTS = st.lists(st.text("aAａbßsS1１ ﬁfi.,!☺❤\ufe0fé\u0301", min_size=1, max_size=4), max_size=12)


def are_alike(left, right):
    """Return whether two strings are near duplicates, written from the definition."""

    def letters_and_digits(text):
        folded = unicodedata.normalize("NFKC", text).casefold()
        kept = []
        for character in folded:
            category = unicodedata.category(character)
            if category[0] in "LN" or (category == "Mn" and character != "\ufe0f"):
                kept.append(character)
        return kept

    def whole(text):
        return unicodedata.normalize("NFKC", text)

    found = letters_and_digits(left), letters_and_digits(right)
    if not any(found):
        return whole(left) == whole(right)
    return found[0] == found[1]


@given(TEXTS)
@settings(deadline=None)
@example(["☺", "☺\ufe0f", "❤", "!", "!!", "a!", "!a"])
@example(["Straße", "STRASSE", "strasse."])
def test_pairs_and_repeats_are_those_of_a_comparison_of_all_pairs(strings):
    found = count_near_duplicates(strings)
    pairs = list(combinations(range(len(strings)), 2))
    exact = [(i, j) for i, j in pairs if strings[i] == strings[j]]
    near = [(i, j) for i, j in pairs if are_alike(strings[i], strings[j])]
    assert (found.exact.count, found.near.count) == (len(strings), len(strings))
    assert found.exact.pairs == len(exact)
    assert found.near.pairs == len(near)
    assert found.exact.repeats == len({j for _, j in exact})
    assert found.near.repeats == len({j for _, j in near})
    assert found.near_repeats == found.near.repeats - found.exact.repeats
    different = [pair for pair in near if pair not in exact]
    # Letters are equal in all their forms or in none, so being alike goes on from pair to pair.
    examples = {(strings[i], strings[j]) for i, j in (different or exact)}
    assert found.example in examples or (found.example is None and not near)


@given(st.lists(st.integers(0, 4) | st.tuples(st.integers(0, 1)), max_size=15))
@settings(deadline=None)
def test_keys_of_any_kind_are_counted_like_all_pairs(keys):
    found = count_repeats_of(iter(keys))
    equal = [(i, j) for i, j in combinations(range(len(keys)), 2) if keys[i] == keys[j]]
    assert found.pairs == len(equal)
    assert found.repeats == len({j for _, j in equal})
    assert found.example == min(equal, key=lambda pair: (pair[1], pair[0]), default=None)


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=7), st.data())
@settings(deadline=None)
def test_the_expected_number_is_the_mean_over_all_batches(keys, data):
    batch_size = data.draw(st.integers(1, len(keys)))
    batches = list(combinations(keys, batch_size))
    assert len(batches) == comb(len(keys), batch_size)
    mean = sum(x == y for batch in batches for x, y in combinations(batch, 2)) / len(batches)
    found = count_repeats_of(keys)
    assert found.expected_pairs_per_batch(batch_size) == pytest.approx(mean)
    full_batches = len(keys) // batch_size
    assert found.expected_pairs_per_epoch(batch_size) == pytest.approx(full_batches * mean)


def test_a_batch_larger_than_the_corpus_has_no_expectation():
    with pytest.raises(ValueError, match="a batch of 3 strings out of 2"):
        count_repeats_of("aa").expected_pairs_per_batch(3)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("I'm fine.", "im FINE"),
        ("well-known", "well known"),
        ("ﬁne", "fine"),
        ("Ｈｅｌｌｏ", "hello"),
        ("caf\u00e9", "cafe\u0301"),
        ("Καλός", "ΚΑΛΌΣ"),
        ("nice ☺\ufe0f", "nice"),
        ("...", "…"),
    ],
)
def test_strings_that_are_near_duplicates(left, right):
    assert near_duplicate_key(left) == near_duplicate_key(right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("dog bites man", "man bites dog"),  # the order counts
        ("cafe", "café"),
        ("कि", "का"),  # written with marks as vowels
        ("10", "11"),
        ("!", "?"),
        ("😀", "😂"),
        ("☺\ufe0f", "❤\ufe0f"),
        ("!", "a!"),
    ],
)
def test_strings_that_are_not(left, right):
    assert near_duplicate_key(left) != near_duplicate_key(right)


def test_no_line_without_repeats():
    assert warning_line("c.txt", count_near_duplicates(["a", "b", "?", "!"]), 2) is None


def test_the_line_names_counts_an_example_the_expectation_and_the_remedy():
    # 2 groups: 3 equal strings are 3 pairs; 6 pairs of 4 strings in all, so a batch of 2 is one of
    # them with probability 3/6, and there are 2 batches in an epoch.
    line = warning_line("c.txt", count_near_duplicates(["x y", "b", "x y", "x y"]), 2)
    assert line == (
        "warning: c.txt: of 4 strings 2 repeat an earlier one, such as 'x y'; 0.5 such pairs are "
        "expected in a batch of 2, 1 in an epoch, each a false negative; set the recipe key "
        "deduplicate: true, which leaves out exact repeats"
    )
    line = warning_line("c.txt", count_near_duplicates(["x y", "X-Y", "b"]), 3)
    assert line == (
        "warning: c.txt: of 3 strings 1 equal an earlier one but for case or punctuation, such as "
        "'x y' and 'X-Y'; 1 such pairs are expected in a batch of 3, 1 in an epoch, each a false "
        "negative; mend the corpus"
    )
    line = warning_line("c.txt", count_near_duplicates(["a", "b", "b", "A"]), 2)
    assert "of 4 strings 1 repeat an earlier one and 1 equal an earlier one but for case" in line
    assert "such as 'a' and 'A'" in line
    assert line.endswith("deduplicate: true, which leaves out exact repeats, or mend the corpus")


def test_a_long_example_is_cut_to_forty_characters_on_one_line():
    text = "a\u2028b\t" + "c" * 100
    line = warning_line("c.txt", count_near_duplicates([text, text]), 2)
    assert "such as 'a b " + "c" * 33 + "...';" in line
    assert len(line.splitlines()) == 1


@pytest.mark.shared_data
def test_the_released_sentences_hold_34_pairs_in_an_epoch(shared_data):
    """Exact repeats of 10,000 sentences in 50 batches of 200: pairs times 199/9,999."""
    name = "stsbenchmark_train_10k_sents_random_sampled.txt"
    found = count_near_duplicates(read_corpus(shared_data / "mirror-corpus" / name).strings)
    assert (found.exact.repeats, found.exact.pairs) == (745, 1726)
    assert found.exact.expected_pairs_per_epoch(200) == pytest.approx(1726 * 199 / 9_999)
    line = warning_line(name, found, 200)
    assert "745 repeat an earlier one and 25 equal an earlier one" in line
    assert "0.7 such pairs are expected in a batch of 200, 35 in an epoch" in line
