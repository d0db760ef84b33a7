"""First rows: a header is no mention, text or pair, and no column is meant twice."""

import pytest
from dataset_reading import check, entry
from written_files import write

from workflow_scripts.datasets.word_pairs import read_pairs
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.mentions import read_mentions


def one_error(read):
    with pytest.raises(UserError) as caught:
        read()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_header_is_not_taken_for_a_mention(tmp_path):
    path = tmp_path / "mentions.tsv"
    write(path, "document\tmention\tid\n1\tasthma\tD1\n")
    for columns in (("2", "3"), ("2", None)):
        message = one_error(lambda columns=columns: list(read_mentions(str(path), *columns)))
        assert "mentions.tsv:1: looks like a header, not a mention; " in message
        assert "name the columns (--mention-column mention)" in message
    assert [one.text for one in read_mentions(str(path), "mention", "id")] == ["asthma"]
    write(path, "name\nasthma\n")
    assert [one.text for one in read_mentions(str(path), "1", None)] == ["name", "asthma"]


def test_a_header_is_not_taken_for_a_dictionary_entry_a_text_or_a_pair(tmp_path):
    block = entry("entity-linking", "mention-rows", path="m")
    block |= {"dictionary": "d", "dictionary_format": "id-name"}
    files = {"m": "1\ta\tD1\ta\n", "d": "id||name\nD1||a\n"}
    check(tmp_path, block, files, "d:1: looks like a header, not a name; remove")
    block = entry("classification", "labelled-texts", all={"path": "f", "columns": [1, 2]})
    files = {"f": "sentence\tlabel\na\tx\nb\ty\n"}
    check(tmp_path, block, files, "f:1: looks like a header, not a text; name the columns")
    block["all"] = {"path": "f", "label": "last"}
    check(tmp_path, block, files, "f:1: looks like a header, not a text; remove the line")
    write(tmp_path / "pairs", "source\ttarget\nchat\tcat\n")
    message = one_error(lambda: read_pairs(tmp_path / "pairs"))
    assert "pairs:1: looks like a header, not a pair of words; remove the line" in message
    write(tmp_path / "pairs", "source\tsource\nterm\tterme\n")
    assert len(read_pairs(tmp_path / "pairs")) == 2


def test_a_quoted_tab_does_not_cut_a_mention(tmp_path):
    path = tmp_path / "f"
    write(path, 'D1\t"a\tb"\n')
    expected = (
        "f:1: a quoted field contains a tab, which is read as two fields; remove the quotes and "
        "the tab"
    )
    assert expected in one_error(lambda: list(read_mentions(str(path), "2", "1")))


def test_a_name_that_two_columns_have_is_an_error_where_it_is_read(tmp_path):
    path = tmp_path / "f"
    write(path, "t\ty\tx\tt\tx\na\t1\t2\tb\t3\n")
    expected = "f:1: column 't' occurs twice in the header, as 1 and 4; rename or remove one"
    assert expected in one_error(lambda: list(read_mentions(str(path), "t", "y")))
    # what is not read may be there twice
    assert [row for _, row in read_rows(path, Layout(["y"]))] == [["1"]]


@pytest.mark.parametrize("column", ["0", "9" * 5000, "-1", "\u0661", "1_0", "00", "1000000000"])
def test_a_column_is_a_number_from_1_or_a_name(tmp_path, column):
    path = tmp_path / "mentions.tsv"
    write(path, "a\tb\nc\td\n")
    message = one_error(lambda: list(read_mentions(str(path), column, "1")))
    assert "no column " in message and len(message) < 1000
    if column == "0":
        assert "mentions.tsv:1: no column 0; columns count from 1" in message
