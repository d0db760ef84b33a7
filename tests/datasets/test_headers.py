"""First rows: a header is not a mention, text or pair, and no column is named twice."""

import pytest
from dataset_reading import cases, entry
from written_files import write

from workflow_scripts.datasets.word_pairs import read_pairs
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.mentions import read_mentions

HEADED = "document\tmention\tid\n1\tasthma\tD1\n"
NAME_THEM = "f:1: looks like a header, not a mention; name the columns (--mention-column mention)"
QUOTED = "f:1: a quoted field contains a tab, which is read as two fields; remove the quotes and "
TWICE = "t\ty\tx\tt\tx\na\t1\t2\tb\t3\n"
ANOTHER = "names a column of another option; choose another"
NO_COLUMN = ("9" * 5000, "-1", "\u0661", "1_0", "00", "1000000000")


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (HEADED, ("2", "3"), NAME_THEM),
        (HEADED, ("2", None), NAME_THEM),
        ('D1\t"a\tb"\n', ("2", "1"), QUOTED),
        (TWICE, ("t", "y"), "f:1: column 't' occurs twice in the header, as 1 and 4; rename or"),
        *((HEADED, columns, ANOTHER) for columns in ((None, "1"), ("2", "2"), ("id", "id"))),
        (HEADED, ("0", "1"), "f:1: no column 0; columns count from 1"),
        *((HEADED, (column, "1"), "no column ") for column in NO_COLUMN),
    ],
)
def test_columns_of_mentions_that_are_not_clear_are_named(tmp_path, text, columns, message):
    path = write(tmp_path / "f", text)
    with pytest.raises(UserError) as caught:
        list(read_mentions(str(path), *columns))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 1000


def test_what_a_header_could_be_is_read(tmp_path):
    path = write(tmp_path / "f", HEADED)
    assert [mention.text for mention in read_mentions(str(path), "mention", "id")] == ["asthma"]
    write(path, "name\nasthma\n")
    assert [mention.text for mention in read_mentions(str(path), "1", None)] == ["name", "asthma"]
    # what is not read may be there twice
    write(path, TWICE)
    assert [row for _, row in read_rows(path, Layout(["y"]))] == [["1"]]
    write(path, "source\tsource\nterm\tterme\n")
    assert len(read_pairs(path)) == 2


@pytest.mark.parametrize("header", ["source\ttarget", "src tgt", "Word\tTranslation\tn"])
def test_a_header_is_not_taken_for_a_pair(tmp_path, header):
    path = write(tmp_path / "f", f"\n{header}\nchat\tcat\n")
    with pytest.raises(
        UserError, match="f:2: looks like a header, not a pair of words; remove the"
    ):
        read_pairs(path)


LINKING = entry("entity-linking", "mention-rows", path="m", dictionary="d")
DICTIONARY = {"m": "1\ta\tD1\ta\n", "d": "id||name\nD1||a\n"}
TEXTS = entry("classification", "labelled-texts")
BY_NUMBER = {**TEXTS, "all": {"path": "f", "columns": [1, 2]}}
LAST = {**TEXTS, "all": {"path": "f", "label": "last"}}
ROWS = {"f": "sentence\tlabel\na\tx\nb\ty\n"}
NO_TEXT = "f:1: looks like a header, not a text;"

test_a_header_is_not_taken_for_a_dictionary_entry_or_a_text = cases(
    (
        *("entry", {**LINKING, "dictionary_format": "id-name"}, DICTIONARY),
        "d:1: looks like a header, not a name; remove",
    ),
    ("text by number", BY_NUMBER, ROWS, f"{NO_TEXT} name the columns"),
    ("text before its label", LAST, ROWS, f"{NO_TEXT} remove the line"),
)
