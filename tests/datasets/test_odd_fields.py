"""Fields as people and programs write them: no number, label or header is silently another."""

import numpy as np
import pytest
from dataset_reading import check, entry, mistake, read_dataset
from written_files import write

from workflow_scripts.corpora.wikimatrix import read_wikimatrix
from workflow_scripts.embedding.static_vectors import read_text_vectors
from workflow_scripts.errors import UserError

# what Python's float() takes and a file of numbers never means, or means otherwise
ODD_NUMBERS = ["4_5", "\u0664", "4,5", "nan", "inf", "1e400", "\uff14", "1,000"]


def texts(**parts):
    return entry("classification", "labelled-texts", **parts)


LABELLED = {"path": "f", "columns": [1, 2]}
STARS = texts(all={**LABELLED, "positive_above": 3})
SCORED = entry("similarity", "scored-pairs", path="f")


@pytest.mark.parametrize("number", ODD_NUMBERS)
def test_a_score_is_a_plain_decimal_number(tmp_path, number):
    check(tmp_path, SCORED, {"f": f"a\tb\t1\na\tb\t{number}\n"}, "f:2: expected a number, found")
    check(tmp_path, STARS, {"f": f"a\t1\nb\t{number}\n"}, "f:2: expected a number as label, found")
    write(tmp_path / "f", f"{number}\ta\tb\n")
    with pytest.raises(UserError, match="f:1: expected a margin score first, found"):
        list(read_wikimatrix(tmp_path / "f", 1.04))


@pytest.mark.parametrize("number", [one for one in ODD_NUMBERS if one != "1,000"])
def test_word_vectors_are_of_plain_decimal_numbers(tmp_path, number):
    write(tmp_path / "v.vec", f"2 2\na 1 2\nb 1 {number}\n")
    with pytest.raises(UserError, match=r"v.vec:3: .*; correct or remove the line"):
        read_text_vectors(tmp_path / "v.vec", ["b"])
    write(tmp_path / "v.vec", "2 2\na 1 -2e-1\nb_1 +.5 1.\n")
    np.testing.assert_allclose(read_text_vectors(tmp_path / "v.vec", ["b_1"]).mean, [0.75, 0.4])


SPLIT = texts(train={**LABELLED, "path": "train"}, test={**LABELLED, "path": "test"})


def labels_of(tmp_path, block, **files):
    for name, text in files.items():
        write(tmp_path / name, text)
    return sorted(set(read_dataset(tmp_path, block).labels))


def test_blanks_around_labels_and_ways_to_encode_a_letter_make_no_classes(tmp_path):
    train = "a\tcafe\u0301\nb\t yes \nc\tyes\u00a0\n"
    assert labels_of(tmp_path, SPLIT, train=train, test="d\tcaf\u00e9\ne\tyes\n") == ["café", "yes"]
    last = texts(all={"path": "f", "label": "last"})
    assert labels_of(tmp_path, last, f="a\tyes \nb\tno\nc\tyes\n") == ["no", "yes"]
    rows = {**LABELLED, "path": "f", "where": {3: "a"}}
    check(tmp_path, texts(all=rows), {"f": "p\t1\ta\nq\t0\ta \nr\t0\tb\n"}, {"labels": ["0", "1"]})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0"),
        ("True", "true"),
        ("yes", "\uff59es"),
        ("a b", "a  b"),
        ("2", "02"),
        ("-", "\u2212"),
    ],
)
def test_two_spellings_of_a_label_are_an_error_within_a_part_and_across(tmp_path, one, other):
    if other == "\u2212":
        assert labels_of(tmp_path, texts(all=LABELLED), f=f"a\t{one}\nb\t{other}\n") == [one, other]
        return
    message = f"label {other!r} here, {one!r} in "
    files = {"f": f"a\t{one}\nb\tx\nc\t{other}\n"}
    check(tmp_path, texts(all=LABELLED), files, "f:3: " + message)
    files = {"train": f"a\tx\nb\t{one}\n", "test": f"a\tx\nb\t{other}\n"}
    check(tmp_path, SPLIT, files, "test:2: " + message)
    assert "train:2; spell it one way" in mistake(tmp_path, SPLIT)


def test_a_label_to_test_that_is_not_trained_on_names_its_line(tmp_path):
    files = {"train": "a\tx\nb\ty\n", "test": "a\tx\nb\tz\n"}
    check(tmp_path, SPLIT, files, "test:2: label 'z' is not among those to train on: x, y; ")


def test_an_invisible_character_in_a_label_is_named(tmp_path):
    check(tmp_path, texts(all=LABELLED), {"f": "a\tx\nb\tx\u200b\n"}, "f:2: a label holds U+200B")


RELATED = entry("relatedness", "labelled-texts")
RELATED |= {name: {"path": name, "columns": [1, 2, 3]} for name in ("train", "development", "test")}


@pytest.mark.parametrize("score", ["0", "-5", "5.5", "100", "4_5", "x", "0.9"])
@pytest.mark.parametrize("part", ["train", "development", "test"])
def test_scores_of_relatedness_are_those_that_are_trained(tmp_path, part, score):
    files = dict.fromkeys(("train", "development", "test"), "a\tb\t1\na\tc\t5.0\n")
    check(tmp_path, RELATED, files, {"labels": ["1", "5.0"] * 3})
    wrong = f"{part}:3: expected a score from 1 to 5, found {score!r}"
    check(tmp_path, RELATED, files | {part: files[part] + f"b\tc\t{score}\n"}, wrong)


PAIRS = entry("pair-classification", "labelled-pairs", path="f", positive=[1], negative=[0])


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (entry("relatedness", "labelled-texts", all=LABELLED), "give `train`, `development` and"),
        (texts(all={"path": "f", "columns": [1, 2, 3, 4]}), "a label, each once, not ["),
        (texts(all={"path": ["a", "a"]}), "a label, each once, not ['a', 'a']"),
        (PAIRS | {"path": ["a", "b"]}, "give a file of pairs, or three: left, right, labels"),
        (PAIRS | {"negative": ["1"]}, "`positive` and `negative` both have '1'"),
    ],
)
def test_keys_that_cannot_be_scored(tmp_path, block, message):
    assert message in mistake(tmp_path, block)


def test_all_parts_are_of_texts_or_of_pairs(tmp_path):
    block = texts(
        train={"path": "train", "columns": [1, 2, 3]}, test={"path": "test", "columns": [1, 2]}
    )
    files = {"train": "a\tb\tx\na\tc\ty\n", "test": "a\tx\nb\ty\n"}
    check(tmp_path, block, files, "test: texts with 1 column, but 2 in another part")
