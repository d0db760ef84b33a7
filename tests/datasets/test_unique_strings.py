"""Unique strings of a data set."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.datasets.strings import StringTable, normalise_whitespace
from workflow_scripts.files import read_lines, write_text


@given(st.lists(st.text(alphabet="ab \t\u00a0\u0085\u2028\x1c\n\r", max_size=4)))
def test_strings_pass_their_file_as_they_are_in_order_of_first_occurrence(tmp_path_factory, texts):
    table = StringTable()
    ids = table.ids_of(texts)
    path = tmp_path_factory.getbasetemp() / "strings.txt"
    write_text(path, "".join(string + "\n" for string in table.strings))
    assert read_lines(path) == table.strings
    # except for ends of lines, which become a space
    runs = [groupby(text, "\r\n".__contains__) for text in texts]
    kept = ["".join(" " if ends else "".join(run) for ends, run in one) for one in runs]
    assert [table.strings[i] for i in ids] == kept
    assert len(set(table.strings)) == len(table.strings)
    first_seen = [i for position, i in enumerate(ids) if i not in ids[:position]]
    assert first_seen == list(range(len(table.strings)))


@given(st.text())
def test_a_normalised_string_is_one_line_for_any_reader(text):
    normalised = normalise_whitespace(text)
    assert len(normalised.splitlines()) == (1 if normalised else 0)
    assert normalise_whitespace(normalised) == normalised
