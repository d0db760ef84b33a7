"""Reading files of published values."""

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tables.published import read_published

HEADER = "table\trow\tcolumn\tvalue\n"


def test_values_keep_the_digits_that_were_printed(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text(HEADER + "t\ta\tb\t0.530\n")
    assert str(read_published(str(path))["a", "b"]) == "0.530"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.tsv:1: the header must be"),
        ("row\tcolumn\tvalue\ttable\n", "t.tsv:1: the header must be"),
        (HEADER + "t\ta\tb\n", "t.tsv:2: expected table<TAB>row"),
        (HEADER + "t\ta\tb\t.5\tc\n", "t.tsv:2: more than 4 columns"),
        (HEADER + "u\ta\tb\t.5\n", "t.tsv:2: table `u` in the reference of `t`"),
        (HEADER + "t\ta\tb\tx\n", "t.tsv:2: value `x` is not a number"),
        (HEADER + "t\ta\tb\t5_6\n", "t.tsv:2: value `5_6` is not a number"),
        (HEADER + "t\ta\tb\t.٥٦\n", "t.tsv:2: value `.٥٦` is not a number"),
        (HEADER + "t\ta\tb\tnan\n", "t.tsv:2: value `nan` is not a number"),
        (HEADER + "t\ta\tb\t.5\nt\ta\tb\t.6\n", "t.tsv:3: row `a`, column `b` twice"),
    ],
)
def test_malformed_reference_is_one_clear_line(tmp_path, text, message):
    path = tmp_path / "t.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        read_published(str(path))
    assert message in str(caught.value)
