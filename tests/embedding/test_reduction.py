"""A PCA as the last module of an encoder, against scikit-learn."""

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
from sklearn.decomposition import PCA

import mirror_bert
from tests.support.command_words import as_argv
from tests.support.tiny_models import make_sentences
from workflow_scripts import reduce
from workflow_scripts.embedding.reduction import sample_strings
from workflow_scripts.errors import UserError

STRINGS = [*make_sentences(90), *(f"the {name} 7" for name in make_sentences(60))]


@pytest.fixture
def loaded(tiny_bert):
    return mirror_bert.load(tiny_bert, pooling="mean", max_length=20, device="cpu")


def test_vectors_are_the_principal_components(loaded):
    reduced = loaded.reduce(6, STRINGS)
    assert reduced.dimension == 6 and loaded.dimension == 32
    vectors = loaded.encode(STRINGS)
    pca = PCA(6, svd_solver="full").fit(vectors.astype(float))
    expected = vectors @ pca.components_.T
    ours = reduced.encode(STRINGS)
    # the sign of a component is free
    signs = np.sign((ours * expected).sum(axis=0))
    np.testing.assert_allclose(ours, expected * signs, atol=1e-3)
    again = loaded.reduce(6, STRINGS)
    assert again.encode(STRINGS).tobytes() == ours.tobytes()
    assert again.loaded.model_sha256 == reduced.loaded.model_sha256 != loaded.loaded.model_sha256


@pytest.mark.parametrize("pooling", ["cls", "max", "mean_pieces", "mean_padded"])
def test_a_saved_folder_gives_the_same_vectors_here_and_there(pooling, tiny_bert, tmp_path):
    encoder = mirror_bert.load(tiny_bert, pooling=pooling, max_length=20, device="cpu")
    reduced = encoder.reduce(6, STRINGS)
    folder = reduced.save(tmp_path / "reduced")
    ours = mirror_bert.load(folder, device="cpu")
    assert ours.settings == reduced.settings and ours.dimension == 6
    assert ours.record["pca"]["strings"] == len(STRINGS) and ours.record["dimension"] == 6
    # another matrix, another record
    other = encoder.reduce(6, STRINGS[:100]).save(tmp_path / "other")
    digests = {mirror_bert.load(path).record["modules_sha256"] for path in (folder, other)}
    assert len(digests) == 2
    expected = reduced.encode(STRINGS)
    assert ours.encode(STRINGS).tobytes() == expected.tobytes()
    theirs = SentenceTransformer(str(folder), device="cpu").encode(STRINGS)
    np.testing.assert_allclose(theirs, expected, atol=2e-5)


def test_a_pca_stands_behind_other_modules(tiny_bert, tmp_path):
    modules = [Transformer(str(tiny_bert), max_seq_length=20), Pooling(32, "cls"), Dense(32, 16)]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "dense"))
    encoder = mirror_bert.load(tmp_path / "dense", device="cpu")
    folder = encoder.reduce(5, STRINGS).save(tmp_path / "reduced")
    theirs = SentenceTransformer(str(folder), device="cpu")
    assert [type(module).__name__ for module in theirs][2:] == ["Dense", "Dense"]
    ours = mirror_bert.load(folder, device="cpu").encode(STRINGS)
    np.testing.assert_allclose(ours, theirs.encode(STRINGS), atol=1e-5)


@pytest.mark.parametrize(
    ("changes", "dimensions", "strings", "message"),
    [
        ({}, 32, STRINGS, "dimensions 32: the encoder has 32; give 1 to 31"),
        ({}, 0, STRINGS, "dimensions 0: the encoder has 32"),
        ({}, 8, STRINGS[:8], "dimensions 8: 8 different strings are too few"),
        ({"dimensions": 9}, 4, STRINGS, "dimensions 9: the vectors are already cut to fewer"),
        ({"layer": 1}, 4, STRINGS, "layer 1: no module can follow this pooling"),
    ],
)
def test_what_cannot_be_reduced_is_named(changes, dimensions, strings, message, tiny_bert):
    encoder = mirror_bert.load(tiny_bert, pooling="mean", max_length=20, device="cpu", **changes)
    with pytest.raises(UserError, match=message):
        encoder.reduce(dimensions, strings)


def test_a_sample_is_of_different_strings_at_even_distances():
    assert sample_strings(["a", "b", "a", "c", "d", "e"], 3) == ["a", "c", "e"]
    assert sample_strings(["a", "a", "b"], 3) == ["a", "b"]


def test_the_command_writes_the_folder_and_says_what_is_lost(tiny_bert, tmp_path, capsys):
    (tmp_path / "strings.txt").write_text("\n".join(STRINGS) + "\n")
    options = {"--model": tiny_bert, "--strings": tmp_path / "strings.txt", "--dimensions": 6}
    options |= {"--pooling": "mean", "--max-length": 20, "--output": tmp_path / "reduced"}
    reduce.main(as_argv(options | {"--threads": 1, "--device": "cpu"}))
    printed = capsys.readouterr()
    assert "dimensions 6 of 32: recall@10 0." in printed.err
    assert "of 75 queries among 75 strings" in printed.err
    encoder = mirror_bert.load(tmp_path / "reduced", device="cpu")
    # fitted on what is not searched with
    loaded = mirror_bert.load(tiny_bert, pooling="mean", max_length=20, device="cpu")
    expected = loaded.reduce(6, STRINGS[1::2]).encode(STRINGS)
    assert encoder.encode(STRINGS).tobytes() == expected.tobytes()


def test_the_record_of_the_model_alone_tells_of_no_pca(loaded, tmp_path):
    folder = loaded.reduce(6, STRINGS).save(tmp_path / "reduced")
    alone = mirror_bert.load(folder, pooling="cls", device="cpu").save(tmp_path / "alone")
    record = mirror_bert.load(alone, device="cpu").record
    assert record.keys().isdisjoint({"pca", "modules_sha256"})
    assert not (alone / "2_Dense").exists()
