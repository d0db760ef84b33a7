"""The strings of a file, each once, with the numbers of their lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.retrieval.numbered_lines import read_numbered_lines
from workflow_scripts.string_columns import TableOptions

lines = st.lists(st.sampled_from(["a", "b", "", " ", "\u3000", "é b", "a "]), max_size=12)


@given(lines)
def test_each_line_is_counted_once(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("lines") / "text.txt"
    path.write_text("".join(line + "\n" for line in lines))
    texts = [line for line in lines if line.strip()]
    if not texts:
        with pytest.raises(UserError, match=r"text\.txt: it contains no strings"):
            read_numbered_lines(path, True, TableOptions())
        return
    found = read_numbered_lines(path, True, TableOptions())
    assert found.strings == list(dict.fromkeys(texts))
    assert [lines[number - 1] for number in found.numbers] == found.strings
    assert all(lines.index(text) + 1 in found.numbers for text in texts)
    assert [found.strings[row] for row in found.order] == texts
    assert found.empty + found.repeats + len(found.strings) == len(lines)
    assert found.sha256 == sha256_of(path)
