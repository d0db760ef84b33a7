"""Tidy scores survive writing and reading; malformed files are refused."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import (
    HEADER,
    EncoderIds,
    Score,
    read_scores,
    write_scores,
)

ids = st.from_regex(r"\A[a-z0-9][a-z0-9.-]{0,8}\Z")
fractions = st.integers(-1_000_000, 1_000_000).map(lambda value: value / 1_000_000)
# Six significant digits of numbers near zero, such as isotropy scores.
small = st.builds(
    lambda digits, power: float(f"{digits}e-{power}"), st.integers(1, 999999), st.integers(9, 300)
)
rows = st.builds(
    Score,
    model=ids,
    recipe=ids,
    corpus=ids,
    seed=st.integers(0, 99),
    dataset=ids,
    split=ids,
    metric=st.sampled_from(["spearman", "accuracy@1"]),
    value=fractions | small,
    low=st.none(),
    high=st.none(),
    n=st.integers(0, 9999),
    coverage=st.just(1.0) | fractions,
    dropped=st.dictionaries(st.text(), st.integers(0, 99)),
)
with_intervals = st.builds(
    lambda row, low, high: replace(row, low=low, high=high), rows, fractions, fractions | small
)


@given(st.lists(rows | with_intervals, max_size=5))
def test_scores_survive_writing_and_reading(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("scores") / "scores.tsv"
    write_scores(path, scores)
    assert read_scores(path) == scores


def test_the_file_is_as_agreed(tmp_path):
    path = tmp_path / "scores.tsv"
    dropped = {"no score": 3, "empty": 1}
    write_scores(
        path,
        [
            Score(
                "m", "r", "c", 33, "sts12", "test", "spearman", 1 / 3, -0.5, 2 / 3, 6, 0.6, dropped
            )
        ],
    )
    assert path.read_text(encoding="utf-8") == (
        "model\trecipe\tcorpus\tseed\tdataset\tsplit\tmetric\tvalue\tlow\thigh\tn\tcoverage\tdropped\n"
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.333333\t-0.500000\t0.666667\t6\t0.600000\t"
        '{"empty": 1, "no score": 3}\n'
    )


def test_no_interval_is_two_empty_fields_and_small_numbers_keep_their_digits(tmp_path):
    path = tmp_path / "scores.tsv"
    score = Score("m", "r", "c", 33, "words", "test", "is_eig", 1.23456789e-9, None, None, 6, 1.0)
    write_scores(path, [score])
    line = path.read_text(encoding="utf-8").splitlines()[1]
    assert line.split("\t")[6:10] == ["is_eig", "1.23457e-09", "", ""]


@pytest.mark.parametrize(
    "row",
    [
        "m\tr\tc\t33\tsts12\ttest\tspearman\tlarge\t\t\t6\t1\t{}",
        "m\tr\tc\t33\tsts12\ttest\tspearman\tnan\t\t\t6\t1\t{}",
        "m\tr\tc\tx\tsts12\ttest\tspearman\t0.5\t\t\t6\t1\t{}",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t\t\t6\t1\t{",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t\t\t6\t1\t3",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t\t\t6\t1\t{}\textra",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t0.4\t\t6\t1\t{}",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t\t0.6\t6\t1\t{}",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t0.4\tnan\t6\t1\t{}",
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.5\t0.4\twide\t6\t1\t{}",
        "m\tr",
    ],
)
def test_malformed_rows_are_refused_by_line(tmp_path, row):
    path = tmp_path / "scores.tsv"
    path.write_text("\t".join(HEADER) + "\n" + row + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"scores\.tsv:2: "):
        read_scores(path)


@pytest.mark.parametrize("text", ["", "model\trecipe\n", "\t".join(reversed(HEADER)) + "\n"])
def test_another_header_is_refused(tmp_path, text):
    path = tmp_path / "scores.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"scores\.tsv:1: expected"):
        read_scores(path)


def test_encoder_ids_are_read_and_shown():
    encoder = EncoderIds.parse("a--b/mirror-word/words-a--words-b/seed33")
    assert encoder == ("a--b", "mirror-word", "words-a--words-b", 33)
    assert str(encoder) == "a--b/mirror-word/words-a--words-b/seed33"


@pytest.mark.parametrize(
    "text", ["", "a/b/c", "a/b/c/33", "a/b/c/seed", "a//c/seed1", "a/b/c/d/seed1"]
)
def test_malformed_encoder_ids_are_refused(text):
    with pytest.raises(UserError, match="give model/recipe/corpus/seedN"):
        EncoderIds.parse(text)
