"""Near duplicates, against comparisons of all pairs and counts over all batches."""

import unicodedata
from itertools import combinations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workflow_scripts.files import read_lines
from workflow_scripts.tuning.near_duplicates import count_near_duplicates, warn_of_repeats

# Few characters, so that strings often are alike: case, width, ligature, punctuation, emoji, marks.
TEXTS = st.lists(st.text("aAａbßsS1１ ﬁfi.,!☺❤\ufe0fé\u0301", min_size=1, max_size=4), max_size=12)


def are_alike(left, right):
    def is_kept(character):
        category = unicodedata.category(character)
        return category[0] in "LN" or (category in ("Mn", "Mc") and character != "\ufe0f")

    forms = [unicodedata.normalize("NFKC", text) for text in (left, right)]
    kept = [list(filter(is_kept, form.casefold())) for form in forms]
    return kept[0] == kept[1] if any(kept) else forms[0] == forms[1]


@given(TEXTS)
@settings(deadline=None)
@example(["☺", "☺\ufe0f", "❤", "!", "!!", "a!", "!a", "Straße", "STRASSE", "strasse."])
# the same: letters, width, ligature, accents, case; then what is not: order, marks, digits, signs
@example(["I'm fine.", "im FINE", "ﬁne", "fine", "Ｈｉ", "hi", "caf\u00e9", "cafe\u0301", "cafe"])
@example(["Καλός", "ΚΑΛΌΣ", "...", "…", "कि", "का", "10", "11", "!", "?", "😀", "😂", "a b", "b a"])
def test_pairs_and_repeats_are_those_of_a_comparison_of_all_pairs(strings):
    found = count_near_duplicates(strings)
    pairs = [*combinations(range(len(strings)), 2)]
    exact = [(i, j) for i, j in pairs if strings[i] == strings[j]]
    near = [(i, j) for i, j in pairs if are_alike(strings[i], strings[j])]
    assert (found.count, found.pairs) == (len(strings), len(near))
    assert found.exact == len({j for _, j in exact})
    assert found.exact + found.near == len({j for _, j in near})
    # Letters are equal in all their forms or in none, so being alike is transitive.
    shown = [pair for pair in near if pair not in exact] or exact
    assert found.example in {(strings[i], strings[j]) for i, j in shown} or not near


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=7), st.data())
def test_the_expected_number_is_the_mean_over_all_batches(strings, data):
    size = data.draw(st.integers(2, len(strings)))
    batches = list(combinations(strings, size))
    mean = sum(x == y for batch in batches for x, y in combinations(batch, 2)) / len(batches)
    assert count_near_duplicates(strings).expected_pairs(size) == pytest.approx(mean)


@pytest.mark.parametrize(
    ("strings", "batch_size", "line"),
    [
        (["a", "b", "?", "!"], 2, None),
        # 3 pairs of 6 are equal: half of the batches of 2, of which an epoch has 2
        (
            *(["x y", "b", "x y", "x y"], 2),
            "warning: c.txt: of 4 strings 2 repeat an earlier one, such as 'x y'; 0.5 such pairs "
            "are expected in a batch of 2, 1 in an epoch, each a false negative; set the recipe "
            "key deduplicate: true, which leaves out exact repeats",
        ),
        (
            *(["a", "b", "b", "A", "c" * 99 + "\u2028d", "c" * 99 + "\t\tD"], 6),
            "warning: c.txt: of 6 strings 1 repeat an earlier one and 2 equal an earlier one "
            "except for case or punctuation, such as 'a' and 'A'; 3 such pairs are expected "
            "in a batch of "
            "6, 3 in an epoch, each a false negative; set the recipe key deduplicate: true, which "
            "leaves out exact repeats, or fix the corpus",
        ),
    ],
)
def test_the_line_names_counts_an_example_the_expectation_and_the_remedy(strings, batch_size, line):
    assert warn_of_repeats("c.txt", strings, batch_size) == line
    long = ["a\u2028b\t" + "c" * 100] * 2
    assert f"such as 'a b {'c' * 33}...';" in warn_of_repeats("c.txt", long, 2)


@pytest.mark.shared_data
def test_the_released_sentences_hold_35_pairs_in_an_epoch(shared_data):
    name = "stsbenchmark_train_10k_sents_random_sampled.txt"
    strings = [line.strip() for line in read_lines(shared_data / "mirror-corpus" / name)]
    found = count_near_duplicates(strings)
    assert (found.count, found.exact, found.near) == (10_000, 745, 25)
    line = warn_of_repeats(name, strings, 200)
    assert "0.7 such pairs are expected in a batch of 200, 35 in an epoch" in line
