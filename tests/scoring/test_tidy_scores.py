"""Tidy scores survive writing and reading; malformed files are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.scoring.tidy_scores import EncoderIds, Score, read_scores, write_scores

ids = st.from_regex(r"\A[a-z0-9][a-z0-9.-]{0,8}\Z")
fractions = st.integers(-1_000_000, 1_000_000).map(lambda value: value / 1_000_000)
# Six significant digits of numbers near zero, such as isotropy scores.
small = st.builds(
    lambda digits, power: float(f"{digits}e-{power}"), st.integers(1, 999999), st.integers(9, 300)
)
columns = ("model", "recipe", "corpus", "dataset", "split")
rows = st.builds(
    lambda ends, **values: Score(low=ends[0], high=ends[1], **values),
    st.just((None, None)) | st.tuples(fractions, fractions | small),
    **dict.fromkeys(columns, ids),
    seed=st.integers(0, 99),
    metric=st.sampled_from(["spearman", "accuracy@1"]),
    value=fractions | small,
    n=st.integers(0, 9999),
    coverage=st.just(1.0) | fractions,
    dropped=st.dictionaries(st.text(), st.integers(0, 99)),
)


@given(st.lists(rows, max_size=5))
def test_scores_survive_writing_and_reading(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("scores") / "scores.tsv"
    write_scores(path, scores)
    assert read_scores(path) == scores


def test_the_file_is_as_agreed(tmp_path):
    path, ids = tmp_path / "scores.tsv", ("m", "r", "c", 33, "sts12", "test")
    dropped = {"no score": 3, "empty": 1}
    # no interval is two empty fields, and small numbers keep their digits
    scores = [
        Score(*ids, "spearman", 1 / 3, -0.5, 2 / 3, 6, 0.6, dropped),
        Score(*ids, "is_eig", 1.23456789e-9, None, None, 6, 1.0),
    ]
    write_scores(path, scores)
    assert path.read_text(encoding="utf-8") == (
        "model\trecipe\tcorpus\tseed\tdataset\tsplit\tmetric\tvalue\tlow\thigh\tn\tcoverage\tdropped\n"
        "m\tr\tc\t33\tsts12\ttest\tspearman\t0.333333\t-0.500000\t0.666667\t6\t0.600000\t"
        '{"empty": 1, "no score": 3}\n'
        "m\tr\tc\t33\tsts12\ttest\tis_eig\t1.23457e-09\t\t\t6\t1.000000\t{}\n"
    )


def test_encoder_ids_are_read_and_shown_and_malformed_ones_refused():
    encoder = EncoderIds.parse("a--b/mirror-word/words-a--words-b/seed33")
    assert encoder == ("a--b", "mirror-word", "words-a--words-b", 33)
    assert str(encoder) == "a--b/mirror-word/words-a--words-b/seed33"
    for text in ("", "a/b/c", "a/b/c/33", "a/b/c/seed", "a//c/seed1", "a/b/c/d/seed1"):
        with pytest.raises(UserError, match="give model/recipe/corpus/seedN"):
            EncoderIds.parse(text)
