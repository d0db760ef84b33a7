"""The command that made the sample data's static vectors, and the file itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from tiny_models import make_bert
from transformers import AutoTokenizer

from bundled_models import make_static_vectors
from bundled_models.make_static_vectors import (
    choose_words,
    format_vectors,
    mean_of_pieces,
    reduce_vectors,
)
from workflow_scripts.errors import UserError


def test_words_asked_for_come_first_into_the_choice_and_stand_by_frequency():
    frequent = ["the", "of", "cat", "dog"]
    assert choose_words(["zebu", "dog", "dog"], frequent, 3) == ["the", "dog", "zebu"]
    assert choose_words(["zebu", "aa"], frequent, 1) == ["aa", "zebu"]
    assert choose_words([], frequent, 9) == frequent
    text = format_vectors(["a", "b"], np.array([[0.12345, -0.0001], [-1.5, 2]]))
    assert text == "2 2\na 0.123 0.000\nb -1.500 2.000\n"


def test_a_word_of_several_pieces_has_their_mean():
    embeddings = np.array([[1, 2], [3, 4], [5, 9]], dtype=np.float16)
    found = mean_of_pieces([[0], [1, 2], [0, 0, 1]], embeddings)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[1, 2], [4, 6.5], [5 / 3, 8 / 3]])


@given(st.integers(0, 2**32 - 1), st.integers(4, 12), st.integers(1, 4))
@settings(deadline=None)
def test_reduction_is_that_of_the_covariance_matrix(seed, words, dimension):
    vectors = np.random.default_rng(seed).normal(size=(words, 4)) + 3
    found = reduce_vectors(vectors, dimension)
    centred = vectors - vectors.mean(axis=0)
    values, directions = np.linalg.eigh(centred.T @ centred)
    expected = centred @ directions[:, np.argsort(-values)[:dimension]]
    np.testing.assert_allclose((found**2).sum() / words, 1)
    # Signs are free, so distances are compared; the scale is one number for all.
    ratio = pdist(found) / pdist(expected)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)


@pytest.mark.parametrize(("option", "value"), [("--words", "1"), ("--dimension", "33")])
def test_bad_numbers_are_named_and_leave_nothing(option, value, tmp_path, sample_data):
    argv = ["--model", str(make_bert(tmp_path / "model")), "--root", str(sample_data)]
    output = tmp_path / "en.vec"
    with pytest.raises(UserError, match=f"{option} {value}"):
        make_static_vectors.main([*argv, option, value, "--output", str(output)])
    assert not output.exists()


def test_the_file_of_the_sample_data_is_what_its_model_gives(project, sample_data):
    lines = (sample_data / "static-vectors/en.vec").read_text(encoding="utf-8").split("\n")
    assert lines[0] == "2000 32"
    assert lines.pop() == ""
    rows = [line.split(" ") for line in lines[1:]]
    words = [row[0] for row in rows]
    assert len(set(words)) == 2000
    assert set(make_static_vectors.read_asked_words(sample_data)) <= set(words)
    assert (sample_data / "static-vectors/en.vec").stat().st_size < 450_000

    from safetensors import safe_open

    folder = project / "resources/models/bert-en-mini"
    with safe_open(folder / "model.safetensors", "np") as tensors:
        embeddings = tensors.get_tensor("bert.embeddings.word_embeddings.weight")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    pieces = (embeddings[tokenizer.encode(word)[1:-1]] for word in words)
    means = np.array([rows.mean(0, dtype=np.float64) for rows in pieces])
    means -= means.mean(axis=0)
    _, values, directions = np.linalg.svd(means, full_matrices=False)
    expected = means @ directions[:32].T
    found = np.array([row[1:] for row in rows], dtype=np.float64)
    found_distances, distances = pdist(found), pdist(expected)
    scale = found_distances.sum() / distances.sum()
    np.testing.assert_allclose(found_distances, scale * distances, atol=0.01)
    assert values[31] > values[32]
