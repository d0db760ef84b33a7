"""First rows: a header is no name, mention or text, and no column is meant twice."""

import pytest
from dataset_reading import check, entry
from written_files import write

from workflow_scripts.datasets.name_lists import Choices, read_names
from workflow_scripts.datasets.word_pairs import read_pairs
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.mention_links import read_mentions


def one_error(read):
    with pytest.raises(UserError) as caught:
        read()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- headers where none is expected ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("id\tname\nD1\tasthma\n", None),
        ("#CUI\tPreferred Name\tsource\nD1\tasthma\tx\n", None),
        ("concept_id||name\nD1||asthma\n", None),
        ("MESH ID||term\nD1||asthma\n", "medic"),
        ("id\tname\tsynonyms\nD1\tasthma\t\n", "id-tab-name"),
        ("id\tname\t\nD1\tasthma\t\n", "id-tab-name"),
        ('"id"\t"name"\nD1\tasthma\n', None),
    ],
)
def test_a_header_is_not_taken_for_a_name(tmp_path, text, form):
    path = tmp_path / "names"
    write(path, text)
    message = one_error(lambda: read_names([path], Choices(form)))
    assert "names:1: looks like a header, not a name; remove the line, or" in message


@pytest.mark.parametrize("text", ["D1\tname\n", "id\tasthma\n", "D1\tasthma\nid\tname\n"])
def test_words_of_headers_are_names_where_a_row_has_others(tmp_path, text):
    write(tmp_path / "names", text)
    assert len(read_names([tmp_path / "names"], Choices()).names) == text.count("\n")
    write(tmp_path / "words", "name\nterm\n")
    assert read_names([tmp_path / "words"], Choices()).names == ["name", "term"]


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
    block = entry("bitext-retrieval", "parallel-sentences", left="f", right="g")
    write(tmp_path / "pairs", "source\ttarget\nchat\tcat\n")
    message = one_error(lambda: read_pairs(tmp_path / "pairs"))
    assert "pairs:1: looks like a header, not a pair of words; remove the line" in message
    write(tmp_path / "pairs", "source\tsource\nterm\tterme\n")
    assert len(read_pairs(tmp_path / "pairs")) == 2


def test_a_quoted_tab_does_not_cut_a_name_or_mention(tmp_path):
    path = tmp_path / "f"
    write(path, 'D1\t"a\tb"\n')
    expected = "f:1: a quoted field with a tab in it, which is read as two; remove quotes and tab"
    assert expected in one_error(lambda: read_names([path], Choices()))
    assert expected in one_error(lambda: list(read_mentions(str(path), "2", "1")))
    write(path, 'D1\t"a" or "b\t5"\n')
    assert read_names([path], Choices()).names == ['"a" or "b']


# --- one column of a name ----------------------------------------------------------------------


def test_a_name_that_two_columns_have_is_an_error_where_it_is_read(tmp_path):
    path = tmp_path / "f"
    write(path, "t\ty\tx\tt\tx\na\t1\t2\tb\t3\n")
    expected = "f:1: column 't' occurs twice in the header, as 1 and 4; rename or remove one"
    assert expected in one_error(lambda: list(read_rows(path, Layout(["t"]))))
    assert expected in one_error(lambda: list(read_mentions(str(path), "t", "y")))
    # what is not read may be there twice
    assert [row for _, row in read_rows(path, Layout(["y"]))] == [["1"]]
    write(path, "t,y,t\na,1,b\n")
    expected = "f:1: column 't' occurs twice in the header, as 1 and 3; rename or remove one"
    assert expected in one_error(lambda: list(read_rows(path, Layout(["t"], delimiter=","))))
    assert [row for _, row in read_rows(path, Layout(["y"], delimiter=","))] == [["1"]]


@pytest.mark.parametrize("column", ["0", "9" * 5000, "-1", "\u0661", "1_0", "00", "1000000000"])
def test_a_column_is_a_number_from_1_or_a_name(tmp_path, column):
    path = tmp_path / "mentions.tsv"
    write(path, "a\tb\nc\td\n")
    message = one_error(lambda: list(read_mentions(str(path), column, "1")))
    assert "no column " in message and len(message) < 1000
    if column == "0":
        assert "mentions.tsv:1: no column 0; columns count from 1" in message


# --- the format of a list of names -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("D1\ta||b\nD2\tc\n", ["D1", "D2"]),
        ("D1\ta||b\n\nD2\tc\n", None),
        ("D1||a\tb\nD2||c\n", ["D1", "D2"]),
        ("a\nb\n", ["a", "b"]),
    ],
)
def test_the_format_is_that_of_all_lines(tmp_path, text, ids):
    write(tmp_path / "names", text)
    if ids is None:
        assert "names:2: expected a row" in one_error(
            lambda: read_names([tmp_path / "names"], Choices())
        )
    else:
        assert read_names([tmp_path / "names"], Choices()).ids == ids


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("D1\ta||b\n", "names:1: holds a tab and `||`; say by --names-format which"),
        ("D1\ta||b\nD2\tc||d\n", "names:1: holds a tab and `||`; say by --names-format which"),
        ("a\nD1\tb\n", "names:2: holds a tab, lines above it do not; say by --names-format which"),
        ("a\nD1||b\n", "names:2: holds `||`, lines above it do not; say by --names-format which"),
    ],
)
def test_a_format_that_is_not_clear_is_an_error(tmp_path, text, message):
    write(tmp_path / "names", text)
    assert message in one_error(lambda: read_names([tmp_path / "names"], Choices()))
    for form in ("tsv", "id-name", "lines"):
        try:
            read_names([tmp_path / "names"], Choices(form))
        except UserError as error:
            assert "expected" in str(error)
