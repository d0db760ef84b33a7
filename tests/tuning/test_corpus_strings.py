"""Reading a corpus."""

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines
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


def test_lines_of_pairs_are_split_into_strings_and_partners(corpus):
    corpus.write_text("a b||c\r\n\n d || e f \na b||c\nc||a b\na b||e\n", encoding="utf-8")
    read = read_corpus(corpus, pairs=True)
    assert read.strings == ["a b", "d", "a b", "c", "a b"]
    assert read.partners == ["c", "e f", "c", "a b", "e"]
    assert (read.lines, read.empty, read.duplicates_removed) == (6, 1, 0)
    assert read.as_record()["pairs"] is True
    once = read_corpus(corpus, deduplicate=True, pairs=True)
    assert list(zip(once.strings, once.partners, strict=True)) == [
        ("a b", "c"),
        ("d", "e f"),
        ("c", "a b"),
        ("a b", "e"),
    ]
    assert once.duplicates_removed == 1


def test_without_pairs_a_separator_is_text_and_the_record_does_not_tell_of_pairs(corpus):
    corpus.write_text("a||b\nc\n", encoding="utf-8")
    read = read_corpus(corpus)
    assert read.strings == ["a||b", "c"]
    assert read.partners is None
    assert "pairs" not in read.as_record()


@pytest.mark.parametrize("line", ["no pair", "a|b", "a||", "||b", "a||  ", "||", "a||b||c", "||||"])
def test_a_line_that_is_no_pair_is_refused_with_file_and_line(line, corpus):
    corpus.write_text(f"a||b\n\n{line}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"own\.txt:3: expected a pair text1\|\|text2"):
        read_corpus(corpus, pairs=True)


def test_a_corpus_of_pairs_without_any_is_refused(corpus):
    corpus.write_text("\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"own\.txt: no strings.*one pair text1\|\|text2 a line"):
        read_corpus(corpus, pairs=True)


def test_fewer_strings_than_a_batch_are_refused_with_both_counts(corpus):
    read = read_corpus(corpus)
    check_batch_size(read, 4, "own")
    with pytest.raises(UserError, match=r"4 strings.*batch of 200.*recipes\.own\.batch_size to 4"):
        check_batch_size(read, 200, "own")


# --- the corpora that the authors released -----------------------------------------------------


@pytest.fixture
def released(shared_data):
    return shared_data / "mirror-corpus"


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "unique"),
    [
        *((f"{language}_words_top_10k.txt", 10_000) for language in ("ar", "en", "es", "et")),
        *((f"{language}_words_top_10k.txt", 10_000) for language in ("pl", "ru", "zh")),
        ("fr_words_top_10k.txt", 9_998),
        ("arabic_wikimatrix_10k_sents_random_sampled.txt", 9_503),
        ("russian_wikimatrix_10k_sents_random_sampled.txt", 9_520),
        # 9,281 different lines, some of which differ by outer white space only
        ("stsbenchmark_train_10k_sents_random_sampled.txt", 9_255),
    ],
)
def test_a_released_corpus_has_ten_thousand_strings_some_repeated(released, name, unique):
    assert len(read_corpus(released / name).strings) == 10_000
    assert len(read_corpus(released / name, deduplicate=True).strings) == unique


@pytest.mark.shared_data
def test_the_released_sentences_have_9281_different_lines(released):
    lines = read_lines(released / "stsbenchmark_train_10k_sents_random_sampled.txt")
    assert (len(lines), len(set(lines))) == (10_000, 9_281)


@pytest.mark.shared_data
def test_the_released_spanish_words_are_the_estonian_ones(released):
    spanish, estonian = (released / f"{code}_words_top_10k.txt" for code in ("es", "et"))
    assert spanish.read_bytes() == estonian.read_bytes()
