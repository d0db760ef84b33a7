"""Ranked translations against every step written out in float64, without FAISS or shared code."""

import numpy as np
import pytest
import scipy.linalg

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.translations import LexiconSide, rank_translations

DIMENSION, TRAIN = 6, 25


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def inverse_root(gram):
    values, axes = scipy.linalg.eigh(gram)
    return axes @ np.diag(values**-0.5) @ axes.T


def mapped_step_by_step(source, target, mapping):
    """The oracle of the maps: both vocabularies, in float64, in the space they are mapped to.

    The first rows of both are the dictionary. Artetxe et al. (2018, AAAI).
    """
    # 0 unit length, centring on the vocabulary, unit length
    source, target = (
        unit(unit(side.astype(np.float64)) - unit(side.astype(np.float64)).mean(axis=0))
        for side in (source, target)
    )
    if mapping == "orthogonal":
        rotation, _ = scipy.linalg.orthogonal_procrustes(source[:TRAIN], target[:TRAIN])
        return unit(source @ rotation), unit(target)
    # 1 whitening on the dictionary
    x_gram, z_gram = source[:TRAIN].T @ source[:TRAIN], target[:TRAIN].T @ target[:TRAIN]
    x_whitener, z_whitener = inverse_root(x_gram), inverse_root(z_gram)
    source, target = source @ x_whitener, target @ z_whitener
    # 2 orthogonal map
    left, strengths, right = scipy.linalg.svd(source[:TRAIN].T @ target[:TRAIN])
    source, target = source @ left, target @ right.T
    # 3 re-weighting by the square root of the singular values on both sides
    source, target = source * np.sqrt(strengths), target * np.sqrt(strengths)
    # 4 de-whitening each side with itself
    source = source @ left.T @ np.linalg.inv(x_whitener) @ left
    target = target @ right @ np.linalg.inv(z_whitener) @ right.T
    return unit(source), unit(target)


def csls_step_by_step(source, target, neighbours):
    """The oracle of retrieval: one pair of words after another."""
    cosines = [[float(x @ y) for y in target] for x in source]
    forward = [sum(sorted(row)[-neighbours:]) / neighbours for row in cosines]
    backward = [sum(sorted(row)[-neighbours:]) / neighbours for row in zip(*cosines, strict=True)]
    return np.array(
        [
            [2 * cosine - forward[i] - backward[j] for j, cosine in enumerate(row)]
            for i, row in enumerate(cosines)
        ]
    )


def languages(seed):
    """Vectors of two languages, off centre, one a noisy rotation of the other."""
    generator = np.random.default_rng(seed)
    source = generator.normal(size=(40, DIMENSION)) + 0.5
    rotation = np.linalg.qr(generator.normal(size=(DIMENSION, DIMENSION)))[0]
    target = 3 * (source + 0.4 * generator.normal(size=source.shape)) @ rotation - 1
    return source.astype(np.float32), target[:35].astype(np.float32)


def side_of(vectors, side, test):
    entry = {"task": "lexicon-side", "side": side, "train": list(range(TRAIN)), "test": test}
    return LexiconSide(vectors, {**entry, "vocabulary": list(range(len(vectors)))}, side)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("mapping", ["orthogonal", "supervised"])
@pytest.mark.parametrize("retrieval", ["csls", "cosine"])
def test_ranked_translations_equal_the_steps(mapping, retrieval, seed):
    source, target = languages(seed)
    queries = [30, 26, 39, 2]
    ranked = list(
        rank_translations(
            side_of(source, "source", queries),
            side_of(target, "target", [30, 26, 34, 2]),
            "bli",
            35,
            mapping=mapping,
            retrieval=retrieval,
            neighbours=4,
        )
    )
    one, other = mapped_step_by_step(source, target, mapping)
    expected = one @ other.T if retrieval == "cosine" else csls_step_by_step(one, other, 4)
    assert [row.rank for row in ranked] == list(range(1, 36)) * 4
    for row in ranked:
        assert row.score == pytest.approx(expected[queries[row.query], row.target_row], abs=1e-5)
    for query, word in enumerate(queries):
        scores = [row.score for row in ranked if row.query == query]
        assert scores == pytest.approx(sorted(expected[word], reverse=True), abs=1e-5)


def test_a_word_that_is_twice_in_a_vocabulary_is_refused():
    source, target = (side_of(vectors, "source", [1]) for vectors in languages(0))
    target.entry.update(side="target", vocabulary=[4, 9, 4])
    with pytest.raises(UserError, match="string 4 is twice in the target vocabulary"):
        list(rank_translations(source, target, "bli", 1))
