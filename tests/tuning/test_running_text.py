"""Reading running text."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.corpora.sample_corpus import write_documents
from workflow_scripts.errors import UserError
from workflow_scripts.tuning.running_text import read_running_text

SENTENCE = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1).filter(
    lambda text: text.strip() and not text.startswith("\ufeff")
)


@given(st.lists(st.lists(SENTENCE, min_size=2, max_size=4), min_size=1, max_size=4))
def test_what_a_corpus_command_writes_is_read_as_it_was(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("text") / "own.txt"
    counts = write_documents(path, documents)
    read = read_running_text(path)
    assert list(read.documents) == documents == list(read.documents)
    assert read.as_record() == {
        "name": "own.txt",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "lines": path.read_bytes().count(b"\n"),
        **counts,
    }


def test_lines_stay_as_they_are_and_documents_of_one_sentence_go(tmp_path):
    path = tmp_path / "own.txt"
    path.write_text("\n one \ntwo\r\n\n \nalone\n\nthree\nfour\n\n")
    read = read_running_text(path)
    assert list(read.documents) == [[" one ", "two"], ["three", "four"]]
    assert read.counts == {"lines": 10, "strings": 4, "documents": 2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no sentences in it; give a text file with a sentence a line and a blank line"),
        ("\n \n", "no sentences in it"),
        ("one\ntwo\nthree\n", "3 lines without a blank line, .* put a blank line between them"),
        ("one\n", "no document has two neighbouring sentences; give"),
        ("one\n\ntwo\n", "no document has two neighbouring sentences"),
    ],
)
def test_what_is_no_running_text_is_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "own.txt"
    path.write_text(text)
    with pytest.raises(UserError, match=rf"own\.txt: {message}") as caught:
        read_running_text(path)
    assert "\n" not in str(caught.value)
