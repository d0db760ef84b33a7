"""Unique strings of a suite."""

from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.datasets.strings import StringTable, normalise_whitespace


@given(st.lists(st.text(alphabet="ab \t\u00a0\u2028\n", max_size=4)))
def test_ids_point_back_at_the_normalised_strings_in_order_of_first_occurrence(texts):
    table = StringTable()
    ids = table.ids_of(texts)
    assert [table.strings[i] for i in ids] == [normalise_whitespace(text) for text in texts]
    assert len(set(table.strings)) == len(table.strings)
    first_seen = [i for position, i in enumerate(ids) if i not in ids[:position]]
    assert first_seen == list(range(len(table.strings)))


@given(st.text())
def test_a_normalised_string_is_one_line_for_any_reader(text):
    normalised = normalise_whitespace(text)
    assert len(normalised.splitlines()) == (1 if normalised else 0)
    assert normalise_whitespace(normalised) == normalised
