"""Reading a corpus."""

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.corpus_strings import check_batch_size, read_corpus


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "own.txt"
    path.write_bytes("one\r\n\n  two \none\n \nthr\u2028ee\n".encode())
    return path


def test_empty_lines_go_and_counts_are_kept(corpus):
    read = read_corpus(corpus)
    assert read.strings == ["one", "two", "one", "thr\u2028ee"]
    assert (read.lines, read.empty, read.duplicates_removed) == (6, 2, 0)
    assert read.as_record()["name"] == "own.txt"


def test_deduplicate_keeps_the_first_of_equal_strings(corpus):
    read = read_corpus(corpus, deduplicate=True)
    assert read.strings == ["one", "two", "thr\u2028ee"]
    assert read.duplicates_removed == 1


@pytest.mark.parametrize("content", [b"", b"\n\n", b"  \n\t\n"])
def test_a_corpus_without_strings_is_refused(content, corpus):
    corpus.write_bytes(content)
    with pytest.raises(UserError, match=r"own\.txt: no strings"):
        read_corpus(corpus)


def test_other_encodings_are_refused_with_the_line(corpus):
    corpus.write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(UserError, match=r"own\.txt:2: not UTF-8"):
        read_corpus(corpus)


def test_fewer_strings_than_a_batch_are_refused_with_both_counts(corpus):
    read = read_corpus(corpus)
    check_batch_size(read, 4, "own")
    with pytest.raises(UserError, match=r"4 strings.*batch of 200.*recipes\.own\.batch_size to 4"):
        check_batch_size(read, 200, "own")
