"""Reading a corpus."""

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tuning.corpus_strings import check_batch_size, read_corpus


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "own.txt"
    path.write_bytes("one\r\n\n  two \none\n \nthr\u2028ee\n".encode())
    return path


def test_empty_lines_go_repeats_on_demand_and_counts_are_kept(corpus):
    read = read_corpus(corpus)
    assert read.strings == ["one", "  two ", "one", "thr\u2028ee"]
    assert (read.lines, read.empty, read.duplicates_removed) == (6, 2, 0)
    assert read.as_record()["name"] == "own.txt"
    once = read_corpus(corpus, deduplicate=True)
    assert once.strings == ["one", "  two ", "thr\u2028ee"]
    assert once.duplicates_removed == 1


def test_lines_of_pairs_are_split_into_strings_and_partners(corpus):
    corpus.write_text("a b||c\r\n\n d || e f \na b||c\nc||a b\na b||e\n", encoding="utf-8")
    read = read_corpus(corpus, parts=2)
    assert read.strings == ["a b", " d ", "a b", "c", "a b"]
    assert read.partners == ["c", " e f ", "c", "a b", "e"]
    assert (read.lines, read.empty, read.duplicates_removed) == (6, 1, 0)
    assert read.as_record()["pairs"] is True
    once = read_corpus(corpus, deduplicate=True, parts=2)
    assert once.strings == ["a b", " d ", "c", "a b"]
    assert once.partners == ["c", " e f ", "a b", "e"]
    assert once.duplicates_removed == 1
    # without pairs the separator is text, and the record does not mention pairs
    plain = read_corpus(corpus)
    assert plain.strings[:2] == ["a b||c", " d || e f "] and plain.partners is None
    assert "pairs" not in plain.as_record()


def test_lines_of_pairs_may_have_labels(corpus):
    corpus.write_text("a||b||neutral\n\nc||d||entailment\na||b||neutral\n", encoding="utf-8")
    read = read_corpus(corpus, deduplicate=True, parts=3)
    assert (read.strings, read.partners) == (["a", "c"], ["b", "d"])
    assert read.labels == ["neutral", "entailment"]
    assert read.as_record()["labels"] is True
    for line, message in {
        "a||b": r"3: .* pair text1\|\|text2\|\|label, found 'a\|\|b'; fix or remove the line$",
        "a||||neutral": "3: expected a pair text1",
        "a||b||c||neutral": "3: expected a pair text1",
        "a||b||-": "3: expected a label among entailment, neutral, contradiction, found '-'; fix",
    }.items():
        corpus.write_text(f"a||b||neutral\n\n{line}\n", encoding="utf-8")
        with pytest.raises(UserError, match=rf"own\.txt:{message}"):
            read_corpus(corpus, parts=3)
    corpus.write_text("\n")
    with pytest.raises(UserError, match=r"one pair text1\|\|text2\|\|label per line"):
        read_corpus(corpus, parts=3)


@pytest.mark.parametrize(
    ("content", "pairs", "message"),
    [
        *(
            (empty, False, r"own\.txt: it contains no strings")
            for empty in (b"", b"\n\n", b"  \n\t\n")
        ),
        (b"\n", True, r"own\.txt: it contains no strings.*one pair text1\|\|text2 per line"),
        (b"fine\nna\xefve\n", False, r"own\.txt:2: not UTF-8"),
        *(
            (b"a||b\n\n" + line, True, r"own\.txt:3: expected a pair text1\|\|text2")
            for line in b"no pair,a|b,a||,||b,a||  ,||,a||b||c,||||".split(b",")
        ),
    ],
)
def test_what_is_no_corpus_is_refused_with_file_and_line(content, pairs, message, corpus):
    corpus.write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_corpus(corpus, parts=2 if pairs else 1)


def test_fewer_strings_than_a_batch_are_refused_with_both_counts(corpus):
    read = read_corpus(corpus)
    check_batch_size(read, 4, "own")
    with pytest.raises(UserError, match=r"4 strings.*batch of 200.*batch_size of recipe own to 4"):
        check_batch_size(read, 200, "own")


LANGUAGES = ("ar", "en", "es", "et", "pl", "ru", "zh")


@pytest.fixture
def released(shared_data):
    return shared_data / "mirror-corpus"


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "unique"),
    [
        *((f"{code}_words_top_10k.txt", 10_000) for code in LANGUAGES),
        ("fr_words_top_10k.txt", 9_998),
        ("arabic_wikimatrix_10k_sents_random_sampled.txt", 9_503),
        ("russian_wikimatrix_10k_sents_random_sampled.txt", 9_520),
        # without the blanks at the ends of 267 of them, 9,255
        ("stsbenchmark_train_10k_sents_random_sampled.txt", 9_281),
    ],
)
def test_a_released_corpus_is_read_as_the_authors_read_it_some_strings_repeated(
    released, name, unique
):
    # as the authors read it
    with open(released / name, encoding="utf-8") as stream:
        assert read_corpus(released / name).strings == [line.rstrip("\n") for line in stream]
    assert len(read_corpus(released / name, deduplicate=True).strings) == unique


@pytest.mark.shared_data
def test_released_spanish_words_are_estonian(released):
    spanish, estonian = (released / f"{code}_words_top_10k.txt" for code in ("es", "et"))
    assert spanish.read_bytes() == estonian.read_bytes()
