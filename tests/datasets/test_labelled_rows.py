"""Layouts of labelled texts: columns by number, rows by a column, stars, groups, reviews, parts."""

from collections import defaultdict
from xml.sax.saxutils import escape

import hypothesis
import pytest
from dataset_reading import cases, entry, given, mistake, read_dataset
from hypothesis import strategies as st
from written_files import write

from workflow_scripts.datasets import read_dataset as reading
from workflow_scripts.datasets.labelled_rows import Part, read_parts
from workflow_scripts.datasets.labels import Labels
from workflow_scripts.datasets.review_items import read_review_items


def texts(**parts):
    return entry("classification", "labelled-texts", **parts)


NUMBERED = texts(all={"path": "f", "columns": [3, 1]})
SPLIT = {"path": "f", "columns": [2, 1]}
BY_NUMBER = texts(train={**SPLIT, "where": {3: "a"}}, test={**SPLIT, "where": {3: "b"}})
NAMED = {"path": "f", "columns": ["t", "y"]}
BY_NAME = texts(train={**NAMED, "where": {"s": "a"}}, test={**NAMED, "where": {"s": "b"}})
STARS = texts(all={"path": "f", "columns": [1, 2], "positive_above": 3})
GROUPS = texts(all={"path": ["s", "l"], "hypotheses": 2})
REVIEWS = texts(all={"path": "a.review", "columns": ["text", "rating"], "positive_above": 3})
TWO_FIELDS = {**REVIEWS["all"], "columns": ["summary", "text", "rating"]}
TOGETHER = texts(all=[{"path": "f", "columns": [1, 2]}, {"path": "g", "label": "last"}])
HALVES = texts(all={"path": "f", "label": "last"}, divided={"train": 1, "test": 1})


def review(**fields):
    body = "".join(f"<{name}>{escape(text)}</{name}>\n" for name, text in fields.items())
    return f"<item>\n{body}</item>\n"


def reviews(*items):
    return {
        "a.review": '<?xml version="1.0" encoding="UTF-8"?>\n<items>\n'
        + "".join(items)
        + "</items>\n"
    }


GOOD = review(category="books", rating="5.0", summary="Yes", text=" good & <long>\n")
BAD = review(category="books", rating="3.0", summary="No", text="")

test_layouts = cases(
    given("numbers of columns", NUMBERED, {"f": "1\tx\tb c\n0\ty\ta\tz\n"})(
        texts=[["a"], ["b c"]], labels=["0", "1"]
    ),
    ("too few columns", NUMBERED, {"f": "1\tx\tb\n0\ty\n"}, "f:2: expected a row of tab-sep"),
    given("rows by a numbered column", BY_NUMBER, {"f": "1\tq\ta\n0\tr\tb\n0\ts\ta\n1\tt\tb\n"})(
        texts=[["s"], ["q"], ["r"], ["t"]],
        labels=["0", "1", "0", "1"],
        parts=["train", "train", "test", "test"],
    ),
    given(
        "rows by a named column", BY_NAME, {"f": "s\ty\tt\na\t1\tq\nb\t0\tr\nb\t1\tv\na\t0\tu\n"}
    )(texts=[["u"], ["q"], ["r"], ["v"]], parts=["train", "train", "test", "test"]),
    ("no such rows", BY_NUMBER, {"f": "1\tq\ta\n0\ts\ta\n"}, "f: no text for part `test`; check"),
    given("stars: three are not positive", STARS, {"f": "a\t4\nb\t3.0\nc\t3.5\nd\t1\n"})(
        texts=[["b"], ["d"], ["a"], ["c"]], labels=["negative", "negative", "positive", "positive"]
    ),
    ("no stars", STARS, {"f": "a\t4\nb\tmany\n"}, "f:2: expected a number as label, found 'many'"),
    ("nan", STARS, {"f": "a\tnan\n"}, "f:1: expected a number as label, found 'nan'"),
    given("groups", GROUPS, {"s": "p\nh1\nh2\nq\ni1\ni2\n", "l": "x\ny\ny\nx\n"})(
        texts=[["p", "h1"], ["q", "i2"], ["p", "h2"], ["q", "i1"]], labels=["x", "x", "y", "y"]
    ),
    (
        *("unequal sides", GROUPS, {"s": "p\nh1\nh2\nq\ni1\n", "l": "x\ny\n"}),
        "each premise needs 2 lines of hypotheses and as many labels: fetch the files again",
    ),
    given("reviews", REVIEWS, reviews(GOOD, BAD))(
        texts=[["."], ["good & <long>"]], labels=["negative", "positive"]
    ),
    given("title and body", texts(all=TWO_FIELDS), reviews(GOOD, BAD))(
        texts=[["No", "."], ["Yes", "good & <long>"]]
    ),
    (
        "no element",
        REVIEWS,
        reviews(GOOD, review(rating="1")),
        "a.review:10: the item has no <text>",
    ),
    ("no stars of it", REVIEWS, reviews(review(rating="", text="a")), "a text or label is empty"),
    ("no XML", REVIEWS, {"a.review": "<items>\n<item>&</item>"}, "a.review:2: not valid XML"),
    ("no review", REVIEWS, reviews(), "a.review: no text for part `all`"),
    given("files put together", TOGETHER, {"f": "a\t1\n", "g": "b\t0\n"})(
        texts=[["b"], ["a"]], labels=["0", "1"]
    ),
    ("one class", TOGETHER, {"f": "a\t1\n", "g": "b\t1\n"}, "no second label of part `all` in"),
    ("empty language", TOGETHER, {"f": "", "g": ""}, "no text for part `all`"),
    ("nothing to divide", HALVES, {"f": "a\t1\na\t0\n"}, "f: no text for part `test`"),
    ("one class of a part", HALVES, {"f": "a\t1\nb\t1\nc\t1\nd\t0\n"}, "no second label of part `"),
)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (texts(all={"path": "f", "hypotheses": 3}), "`hypotheses` needs a `path` of two files"),
        (texts(all={"path": "f", "where": {1: "a"}}), "`where` needs `columns`"),
        (texts(all={**SPLIT, "where": {"split": "a"}}), "both by name or both by number"),
        (texts(all={"path": ["f", "g"], "columns": [1, 2]}), "`columns` needs a single file"),
        (texts(all=SPLIT, divided={"train": 1}), "give `all` alone, or `train` and `test`"),
        (texts(train=SPLIT, test=SPLIT, divided={"train": 9, "test": 1}), "`divided` makes train"),
        (texts(train=SPLIT, divided={"train": 9, "development": 1}), "`divided` makes train and"),
    ],
)
def test_keys_that_do_not_go_together_are_named(tmp_path, block, message):
    assert message in mistake(tmp_path, block)


# XML has no other control characters
TEXT = st.text(
    st.characters(codec="utf-8", min_codepoint=32, exclude_categories=["Cc", "Cn", "Co"])
)
STARS_OF = st.sampled_from(["1.0", "5.0", "3"])


@hypothesis.given(st.lists(st.tuples(TEXT, STARS_OF), min_size=1, max_size=8))
def test_reviews_come_back_whatever_they_hold(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("reviews") / "a.review"
    (content,) = reviews(*(review(rating=rating, text=text) for text, rating in rows)).values()
    write(path, content)
    found = list(read_review_items(path, ["text", "rating"]))
    assert [row for _, row in found] == [[text.strip(), rating] for text, rating in rows]
    lines = content.split("\n")
    assert all(lines[line - 1] == "<item>" for line, _ in found)


@hypothesis.given(
    st.lists(st.integers(0, 12), min_size=1, max_size=60),
    st.dictionaries(
        st.sampled_from(["train", "development", "test"]), st.integers(1, 4), min_size=2
    ),
)
def test_parts_are_disjoint_keep_what_has_the_same_text_and_have_their_shares(
    tmp_path_factory, numbers, shares
):
    root = tmp_path_factory.mktemp("parts")
    write(
        root / "f",
        "".join(f"text {number}\thypothesis {row}\t{row}\n" for row, number in enumerate(numbers)),
    )
    part = Part.model_validate({"path": "f", "columns": [1, 2, 3]})
    whole, turns = len(set(numbers)), sum(shares.values())
    found = defaultdict(list)
    for name in shares:
        try:
            found[name] = read_parts(root, [part], name, shares, Labels())
        except reading.UserError as error:
            assert f"no text for part `{name}`" in str(error)
    rows = [int(label) for own in found.values() for _, label in own]
    assert sorted(rows) == list(range(len(numbers)))
    own = {name: {row[0] for row, _ in of} for name, of in found.items()}
    assert sum(map(len, own.values())) == whole
    for name, share in shares.items():
        texts_of = len(own.get(name, ()))
        assert share * (whole // turns) <= texts_of <= share * -(-whole // turns)


def test_a_division_does_not_follow_classes_that_come_in_turn(tmp_path):
    write(tmp_path / "f", "".join(f"text {row}\t{row % 2}\n" for row in range(400)))
    block = texts(all={"path": "f", "label": "last"}, divided={"train": 8, "test": 2})
    found = read_dataset(tmp_path, block)
    tested = [label for label, one in zip(found.labels, found.parts, strict=True) if one == "test"]
    assert len(tested) == 80 and 25 < tested.count("1") < 55


def test_a_test_set_of_another_language_has_the_same_texts_to_train_on(tmp_path):
    write(tmp_path / "en", "".join(f"text {row}\t{row % 2}\n" for row in range(40)))
    others = []
    for name, number in (("de", 6), ("fr", 9)):
        write(tmp_path / name, "".join(f"{name} {row}\t{row % 2}\n" for row in range(number)))
        train, test = ({"path": path, "label": "last"} for path in ("en", name))
        shares = {"train": 9, "development": 1}
        found = read_dataset(tmp_path, texts(train=train, test=test, divided=shares))
        rows = list(zip(found.parts, found.texts, found.labels, strict=True))
        assert {text[:2] for part, [text], _ in rows if part == "test"} == {name}
        others.append([row for row in rows if row[0] != "test"])
    assert others[0] == others[1] and len(others[0]) == 40
    assert [part for part, _, _ in others[0]].count("development") == 4
