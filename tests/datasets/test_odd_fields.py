"""Fields as people and programs write them: no number, label or header is silently another."""

import numpy as np
import pytest
from dataset_reading import cases, check, entry, given
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


WHOLE, LAST = texts(all=LABELLED), texts(all={"path": "f", "label": "last"})
SPLIT = texts(train={**LABELLED, "path": "train"}, test={**LABELLED, "path": "test"})
OF_A = texts(all={**LABELLED, "where": {3: "a"}})
ENCODED = {"train": "a\tcafe\u0301\nb\t yes \nc\tyes\u00a0\n", "test": "d\tcaf\u00e9\ne\tyes\n"}
SPELLINGS = [("1", "1.0"), ("True", "true"), ("yes", "\uff59es"), ("a b", "a  b"), ("2", "02")]
PARTS = ("train", "development", "test")
RELATED = entry("relatedness", "labelled-texts")
RELATED |= {name: {"path": name, "columns": [1, 2, 3]} for name in PARTS}
RATED = dict.fromkeys(PARTS, "a\tb\t1\na\tc\t5.0\n")
MIXED = texts(train={"path": "train", "columns": [1, 2, 3]}, test={**LABELLED, "path": "test"})
PAIRS = entry("pair-classification", "labelled-pairs", path="f", positive=[1], negative=[0])

test_labels = cases(
    given("blanks and ways to encode a letter", SPLIT, ENCODED)(
        labels=["café", "yes", "yes", "café", "yes"]
    ),
    ("blanks behind", LAST, {"f": "a\tyes \nb\tno\nc\tyes\n"}, {"labels": ["no", "yes", "yes"]}),
    ("where", OF_A, {"f": "p\t1\ta\nq\t0\ta \nr\t0\tb\n"}, {"labels": ["0", "1"]}),
    ("a minus", WHOLE, {"f": "a\t-\nb\t\u2212\n"}, {"labels": ["-", "\u2212"]}),
    *(
        (f"{one}, {other}", *case, f": label {other!r} here, {one!r} in ")
        for one, other in SPELLINGS
        for case in [
            (WHOLE, {"f": f"a\t{one}\nb\tx\nc\t{other}\n"}),
            (SPLIT, {"train": f"a\tx\nb\t{one}\n", "test": f"a\tx\nb\t{other}\n"}),
        ]
    ),
    ("the place", WHOLE, {"f": "a\t1\nb\tx\nc\t1.0\n"}, "f:3: label '1.0' here"),
    *(
        ("both", SPLIT, {"train": "a\tx\nb\t1\n", "test": "a\tx\nb\t1.0\n"}, place)
        for place in ("test:2: label '1.0' here", "train:2; spell it one way")
    ),
    (
        *("not trained on", SPLIT, {"train": "a\tx\nb\ty\n", "test": "a\tx\nb\tz\n"}),
        "test:2: label 'z' is not among those to train on: x, y; ",
    ),
    ("invisible", WHOLE, {"f": "a\tx\nb\tx\u200b\n"}, "f:2: a label holds U+200B"),
    ("scores", RELATED, RATED, {"labels": ["1", "5.0"] * 3}),
    *(
        (
            *(f"{part} {score}", RELATED, RATED | {part: f"{RATED[part]}b\tc\t{score}\n"}),
            f"{part}:3: expected a score from 1 to 5, found {score!r}",
        )
        for part in PARTS
        for score in ("0", "-5", "5.5", "100", "4_5", "x", "0.9")
    ),
    (
        *("texts and pairs", MIXED, {"train": "a\tb\tx\na\tc\ty\n", "test": "a\tx\nb\ty\n"}),
        "test: texts with 1 column, but 2 in another part",
    ),
    *(
        (message, block, {}, message)
        for block, message in [
            (RELATED | {"train": None}, "give `train`, `development` and `test`"),
            (texts(all={**LABELLED, "columns": [1, 2, 3, 4]}), "a label, each once, not [1, 2"),
            (texts(all={"path": ["a", "a"]}), "a label, each once, not ['a', 'a']"),
            (texts(all={"path": ["a", "b", "c", "d"]}), "a label, each once, not ['a', 'b'"),
            (PAIRS | {"columns": ["a", "b"]}, "give at least 3"),
            (PAIRS | {"path": ["a", "b"]}, "give a file of pairs, or three: left, right, labels"),
            (PAIRS | {"negative": ["1"]}, "`positive` and `negative` both have '1'"),
        ]
    ),
)
