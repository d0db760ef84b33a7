"""Reading fastText models, against vectors that fastText 0.9.2 itself gave for the same file."""

import numpy as np
import pytest

from tests.support.fasttext_files import WORDS, make_matrix, model_bytes, write_model
from workflow_scripts.embedding import fasttext_model
from workflow_scripts.embedding.fasttext_model import read_fasttext_model
from workflow_scripts.errors import UserError

# `get_word_vector` of fastText 0.9.2 (PyPI: fasttext-wheel 0.9.2) on `write_model(path)`.
OF_FASTTEXT = {
    "</s>": [0.0, 7919.0, 5831.0],
    "cat": [5826.10009765625, 5739.5, 4652.2001953125],
    "лошадь": [5903.84228515625, 5922.5791015625, 4361.26318359375],
    "été": [4336.60009765625, 4250.0, 5164.10009765625],
    "我": [6968.75, 7382.5, 5294.5],
    "cats": [5923.9169921875, 5503.75, 4249.6669921875],
    "Лошадь": [5230.611328125, 5366.38916015625, 4390.27783203125],
    "我们": [5904.6669921875, 3816.666748046875, 3396.5],
    "q": [6286.33349609375, 4198.33349609375, 2110.33349609375],
    "e\u0301": [5548.6669921875, 3460.666748046875, 6376.1669921875],
    "😀cat": [6522.08349609375, 6101.9169921875, 4013.916748046875],
}
# The same with `shortest=1, longest=2`.
OF_SHORT_NGRAMS = {
    "cat": [5393.125, 4556.0, 4969.75],
    "q": [4580.0, 2492.0, 3739.666748046875],
    "我": [5612.0, 6025.75, 3937.75],
    "x1": [4641.60009765625, 6556.39990234375, 4468.39990234375],
}


@pytest.mark.parametrize(
    ("changes", "expected"), [({}, OF_FASTTEXT), ({"shortest": 1, "longest": 2}, OF_SHORT_NGRAMS)]
)
def test_words_and_other_strings_have_the_vectors_of_fasttext(tmp_path, changes, expected):
    found = read_fasttext_model(write_model(tmp_path / "m.bin", **changes), expected)
    assert set(found.known) == set(expected) & set(WORDS)
    assert set(found.composed) == set(expected) - set(WORDS)
    for word, vector in (found.known | found.composed).items():
        assert vector.dtype == np.float32
        np.testing.assert_allclose(vector, expected[word], rtol=1e-6)
    assert found.words == len(WORDS)


def test_a_word_without_ngrams_has_its_own_row_or_nothing_and_labels_are_no_words(tmp_path):
    path = write_model(tmp_path / "m.bin", buckets=0, shortest=0, longest=0, labels=2)
    found = read_fasttext_model(path, ["dog", "cats", "__label__0"])
    # Both as fastText gives them: [7486, 5398, 3310], and zeros, which we leave out.
    np.testing.assert_array_equal(found.known["dog"], [7486, 5398, 3310])
    assert (list(found.known), found.composed) == (["dog"], {})


def test_mean_is_that_of_the_first_words(tmp_path, monkeypatch):
    path = write_model(tmp_path / "m.bin")
    vectors = read_fasttext_model(path, WORDS).known
    for count in (len(WORDS), 2):
        monkeypatch.setattr(fasttext_model, "MEAN_OF_WORDS", count)
        expected = np.mean([vectors[word] for word in WORDS[:count]], axis=0)
        np.testing.assert_allclose(read_fasttext_model(path, []).mean, expected, rtol=1e-6)


def test_a_file_cut_short_anywhere_is_named(tmp_path):
    content = model_bytes()
    # The output matrix is not needed: 17 bytes of header and the rows of the words.
    needed = len(content) - 17 - 4 * 3 * len(WORDS)
    path = tmp_path / "m.bin"
    for length in [*range(0, needed, 7), needed - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(UserError, match=r"m\.bin: cut short; fetch"):
            read_fasttext_model(path, ["cat"])
    path.write_bytes(content[:needed])
    assert read_fasttext_model(path, ["cat"]).words == len(WORDS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"magic": 1}, "not a fastText model"),
        ({"version": 11}, "version 11; version 12 is read"),
        ({"pruned": 4}, "quantised"),
        ({"quantised": 1}, "quantised"),
        ({"size": 5}, "contradict each other"),
        ({"dimension": 0, "matrix": make_matrix(56, 0)}, "contradict each other"),
        ({"shortest": -1}, "contradict each other"),
        ({"kind": 1}, "entry 1 is not a word"),
        ({"matrix": make_matrix(55, 3)}, "matrix of 55 x 3 for 6 words, 50 buckets"),
        ({"matrix": np.full((56, 3), np.nan, dtype=np.float32)}, "'cat' is not finite"),
    ],
)
def test_what_is_no_full_model_is_named(tmp_path, changes, message):
    path = write_model(tmp_path / "m.bin", **changes)
    with pytest.raises(UserError, match=rf"m\.bin: .*{message}"):
        read_fasttext_model(path, ["cat"])
