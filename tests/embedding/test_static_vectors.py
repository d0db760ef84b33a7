"""Word vectors in text, and strings under word vectors."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, WordEmbeddings
from sentence_transformers.sentence_transformer.modules.tokenizer import WhitespaceTokenizer

from tests.support.fasttext_files import write_model
from workflow_scripts.embedding import static_vectors
from workflow_scripts.embedding.static_vectors import first_words, read_word_vectors
from workflow_scripts.embedding.word_lookup import WordVectors, embed_strings, words_to_seek
from workflow_scripts.errors import UserError

TEXT = "4 2\nthe 1 2\ncat 3 -4.5\nCat 0 1e-1\nété 7 8\n"


def write_text(folder, text=TEXT, name="en.vec"):
    path = folder / name
    content = text.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


@pytest.mark.parametrize("name", ["en.vec", "en.txt", "en.vec.gz"])
@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", " \n"), TEXT.replace("\n", "\r\n")])
def test_only_words_asked_for_are_kept_and_the_mean_is_of_all(tmp_path, name, text):
    found = read_word_vectors(write_text(tmp_path, text, name), {"cat", "été", "dog"})
    assert set(found.known) == {"cat", "été"}
    assert found.known["cat"].tolist() == [3, -4.5]
    assert found.known["été"].dtype == np.float32
    np.testing.assert_allclose(found.mean, [11 / 4, 5.6 / 4], rtol=1e-6)
    assert (found.words, found.repeated, found.composed) == (4, 0, {})


@pytest.mark.parametrize(
    ("content", "known", "repeated"),
    [
        # cut at blanks only
        ("3 1\nn\u00a0y 1\nx\u2028y 2\na\x1cb 3\n", ["n\u00a0y", "x\u2028y", "a\x1cb"], 0),
        # not UTF-8
        (b"3 1\ncat 1\nna\xefve 9\ndog 2\n", ["cat", "dog"], 0),
        # of a repeated word the first line counts
        ("5 1\na 1\nb 2\na 3\nb 4\na 5\n", ["a", "b"], 3),
    ],
)
def test_words_are_those_of_the_first_line_that_has_them(tmp_path, content, known, repeated):
    path = tmp_path / "en.vec"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    found = read_word_vectors(path, {*known, "naïve"})
    assert list(found.known) == known
    assert [vector.item() for vector in found.known.values()] == [*range(1, len(known) + 1)]
    assert found.repeated == repeated


GLOVE = "the 1 2\n. 0 1\n. . 9 9\ncat 3 -4.5\nat a@b.c 5 6\nCat 0 1e-1\n"


@pytest.mark.parametrize("name", ["glove.txt", "glove.txt.gz"])
def test_glove_s_files_have_no_first_line_and_words_with_blanks(tmp_path, name):
    path = write_text(tmp_path, GLOVE, name)
    found = read_word_vectors(path, {"the", "cat", ".", "at", "dog"})
    assert {word: vector.tolist() for word, vector in found.known.items()} == {
        **{"the": [1, 2], ".": [0, 1], "cat": [3, -4.5]}
    }
    # words with blanks count as words of the file
    assert found.words == 6
    np.testing.assert_allclose(found.mean, [18 / 6, 13.6 / 6], rtol=1e-6)
    assert first_words(path, 9) == ["the", ".", "cat", "Cat"]


def test_the_mean_is_of_the_first_words_and_numbers_beyond_are_read_if_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(static_vectors, "MEAN_OF_WORDS", 2)
    path = write_text(tmp_path, "4 1\na 1\nb 2\nc x\nd 9\n")
    found = read_word_vectors(path, {"d"})
    assert found.mean.item() == 1.5
    assert found.known["d"].item() == 9
    with pytest.raises(UserError, match=r"en\.vec:4: .x. is not a number"):
        read_word_vectors(path, {"c"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": no words; give a file of word vectors"),
        ("the\n", ":1: expected `number-of-words dimension` or a word and its numbers"),
        ("the 1\n", ":1: expected"),
        ("the big cat\n", ":1: expected"),
        # GloVe's, without a first line
        ("a 1 2\nb 1\n", ":2: expected a word and 2 numbers, found 2 fields"),
        ("a 1 2\nb 1 two\n", ":2: 'two' is not a number"),
        ("0 2\n", ":1: expected"),
        ("2 2\na 1 2\nb 1\n", ":3: expected a word and 2 numbers, found 2 fields"),
        ("2 2\na 1 2 3\nb 1 2\n", ":2: expected a word and 2 numbers, found 4 fields"),
        ("2 2\n 1 2\nb 1 2\n", ":2: expected a word and 2 numbers"),
        ("2 2\na 1 2\nb 1 two\n", ":3: 'two' is not a number"),
        ("2 2\na 1 nan\nb 1 2\n", ":2: 'nan' is not a number"),
        ("2 2\na 1 2\nb 1e39 2\n", ":3: a number is not finite"),
        ("3 2\na 1 2\nb 1 2\n", ": line 1 promises 3 words, the file has 2"),
        ("1 2\na 1 2\nb 1 2\n", ":3: more lines than the 1 words of line 1"),
    ],
)
def test_malformed_text_is_named_by_file_and_line(tmp_path, text, message):
    with pytest.raises(UserError, match=rf"en\.vec{re.escape(message)}"):
        read_word_vectors(write_text(tmp_path, text), {"a"})


def test_a_damaged_archive_an_absent_file_and_another_kind_are_named(tmp_path):
    for content in (gzip.compress(TEXT.encode())[:-12], b"no archive"):
        (tmp_path / "en.vec.gz").write_bytes(content)
        with pytest.raises(UserError, match=r"en\.vec\.gz:\d+: cannot be read"):
            read_word_vectors(tmp_path / "en.vec.gz", {"a"})
    for name, message in {"none.bin": "no such file", "en.bin.gz": "of a type"}.items():
        with pytest.raises(UserError, match=rf"{name}: {message}"):
            read_word_vectors(tmp_path / name, {"a"})
    # The ending of its name marks a model.
    found = read_word_vectors(write_model(tmp_path / "en.bin"), {"cat", "cats"})
    assert list(found.known) == ["cat"]
    assert list(found.composed) == ["cats"]


VECTORS = WordVectors(
    dict(zip(["cat", "Big", "the"], np.array([[3, 4], [1, 0], [0, 2]], np.float32), strict=True)),
    dict(zip(["cats", "dog"], np.array([[5, 5], [9, 9]], np.float32), strict=True)),
    *(np.array([0.5, -0.5], np.float32), 3),
)


def test_subwords_stand_for_words_that_the_file_lacks_in_both_cases():
    matrix, counts = embed_strings(["cats", "Cat", "Gnu"], VECTORS, "subwords", "en.bin")
    np.testing.assert_array_equal(matrix, [[5, 5], [3, 4], [0.5, -0.5]])
    assert {counts[how] for how in ("from_subwords", "lower_cased", "mean_vector")} == {1}
    # Not where the mean is asked for.
    assert embed_strings(["cats"], VECTORS, "mean", "en.bin")[0].tolist() == [[0.5, -0.5]]


def test_words_left_out_are_as_in_sentence_transformers(tmp_path):
    """Their tokenizer without stop words, which cuts punctuation off and leaves unknown words out.

    It does not look up a word with its punctuation in lower case, as is done here.
    """
    table = {"cat": [3.0, 4.0], "Big": [1.0, 0.0], "the": [0.0, 2.0], "u.s.": [7.0, 1.0]}
    table |= {"!": [2.0, 2.0], "don't": [5.0, 5.0]}
    strings = ["The big cat.", "zebra (cat), cat!", "Big ! don't", "'THE' --- cat?", "u.s. gnu"]
    text = "".join(f"{word} {one} {other}\n" for word, (one, other) in table.items())
    path = write_text(tmp_path, text, "glove.txt")
    vectors = read_word_vectors(path, words_to_seek(strings, "left_out"))
    ours, counts = embed_strings(strings, vectors, "left_out", "glove.txt")
    embeddings = WordEmbeddings(WhitespaceTokenizer(table, stop_words=[]), list(table.values()))
    theirs = SentenceTransformer(modules=[embeddings, Pooling(2, "mean")], device="cpu")
    np.testing.assert_allclose(ours, theirs.encode(strings), rtol=1e-6)
    # Big ! don't cat u.s. | The | cat. (cat), cat! 'THE' cat? | big zebra --- gnu
    assert (counts["as_written"], counts["lower_cased"], counts["without_punctuation"]) == (4, 1, 5)
    assert (counts["left_out"], counts["words"]) == (4, 14)


def test_a_string_of_words_left_out_has_the_mean_vector():
    matrix, counts = embed_strings(["gnu zebra", "gnu cat"], VECTORS, "left_out", "en.vec")
    np.testing.assert_array_equal(matrix, [[0.5, -0.5], [3, 4]])
    assert counts["strings_of_mean_vectors"] == 1
    # without being asked for, no form is sought beyond lower case
    assert words_to_seek(["Cat."]) == {"Cat.", "cat."}
    assert words_to_seek(["Cat. !"], "left_out") == {"Cat.", "cat.", "Cat", "cat", "!"}


def test_missing_words_are_an_error_where_asked_for():
    with pytest.raises(UserError, match=r"en\.vec: lacks vectors for 2 of 3 words \('a', 'b'\);"):
        embed_strings(["cat b", "a"], VECTORS, "error", "en.vec")
    with pytest.raises(UserError, match=r"4 of 4 words \('a', 'b', 'c', \.\.\.\)"):
        embed_strings(["a b", "c d"], VECTORS, "error", "en.vec")
    assert len(embed_strings(["cat", "THE"], VECTORS, "error", "en.vec")[0]) == 2
    with pytest.raises(UserError, match="string 2: has no words"):
        embed_strings(["cat", " "], VECTORS, "mean", "en.vec")


STRING = st.lists(st.sampled_from(["a", "B", "b", "cc", "ß", "ẞ", "éé"]), min_size=1, max_size=4)


@given(st.lists(STRING, min_size=1, max_size=5), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_file_and_lookup_agree_with_a_plain_dictionary(tmp_path_factory, word_lists, seed):
    numbers = np.random.default_rng(seed).normal(size=(5, 3))
    table = dict(zip(["a", "b", "B", "cc", "ß"], numbers, strict=True))
    lines = [" ".join([word, *map(repr, map(float, table[word]))]) for word in table]
    path = write_text(tmp_path_factory.mktemp("vec"), "5 3\n" + "\n".join(lines) + "\n")
    strings = [" ".join(words) for words in word_lists]
    vectors = read_word_vectors(path, words_to_seek(strings))
    found, counts = embed_strings(strings, vectors, "mean", "en.vec")
    mean = np.mean(list(table.values()), axis=0)
    rows = [[table.get(one, table.get(one.lower(), mean)) for one in words] for words in word_lists]
    np.testing.assert_allclose(found, [np.mean(row, axis=0) for row in rows], atol=1e-6)
    assert counts["words"] == len({word for words in word_lists for word in words})


def test_the_first_words_of_a_file_are_its_most_frequent(tmp_path):
    text = "6 1\n</s> 0\nthe 1\na\u00a0b 2\ncat 3\nthe 4\nété 5\n"
    path = write_text(tmp_path, text)
    assert first_words(path, 9) == ["the", "cat", "été"]
    assert first_words(path, 2) == ["the", "cat"]
    words = ["</s>", "cat", "dog", "a\u2003b", "лошадь"]
    model = write_model(tmp_path / "en.bin", words)
    assert first_words(model, 9) == ["cat", "dog", "лошадь"]
    assert first_words(model, 1) == ["cat"]
    with pytest.raises(UserError, match="no such file of word vectors"):
        first_words(tmp_path / "no.vec", 1)


@pytest.mark.parametrize("header", ["1000000000000 2", "2 1000000000000", "2 " + "9" * 5000])
def test_a_header_of_any_size_takes_no_memory(tmp_path, header):
    (tmp_path / "a.vec").write_text(f"{header}\na 1 2\nb 3 4\n")
    with pytest.raises(UserError, match=r"a\.vec:?[12]?: "):
        read_word_vectors(tmp_path / "a.vec", ["a"])
