"""Predictions of SentEval's classifiers against its algorithm written plainly; what has none."""

import numpy as np
import pytest
from scipy.stats import pearsonr

from benchmarks.plain_senteval import predict_plainly
from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.classify_texts import main
from workflow_scripts.scoring.linear_probe import PROTOCOLS
from workflow_scripts.scoring.measurement import measure_dataset
from workflow_scripts.scoring.predictions import read_predictions, write_predictions
from workflow_scripts.scoring.tidy_scores import EncoderIds
from workflow_scripts.scoring.trained_predictions import features_of, predict

PROTOCOL = "prototyping"
VECTORS = np.random.RandomState(9).normal(size=(60, 5)).astype(np.float32)
COUNTS = {
    "folds": {"all": 120},
    "train and test": {"train": 80, "test": 40},
    "with development": {"train": 60, "development": 30, "test": 30},
}


def drawn_items(split, task, texts_each):
    """Return 120 items whose class or score follows from their features in part."""
    generator = np.random.RandomState(4)
    texts = generator.randint(60, size=(120, texts_each)).tolist()
    features = features_of(VECTORS, {"texts": texts}).numpy()
    scores = features @ generator.normal(size=features.shape[1]) + generator.normal(size=120)
    labels = ["yes" if score > np.median(scores) else "no" for score in scores]
    if task == "relatedness":
        labels = [f"{score:.1f}" for score in np.clip(3 + scores / 4, 1, 5)]
    parts = [part for part, count in COUNTS[split].items() for _ in range(count)]
    entry = {"dataset": "mine", "task": task, "texts": texts, "labels": labels, "parts": parts}
    tested = [label for label, part in zip(labels, parts, strict=True) if part in ("all", "test")]
    return entry, tested


@pytest.mark.parametrize(("split", "texts_each"), [*zip(COUNTS, (1, 1, 2), strict=True)])
def test_classes_are_those_of_the_plain_way(split, texts_each):
    entry, gold = drawn_items(split, "classification", texts_each)
    classes = predict("mine", entry, VECTORS, PROTOCOL)
    assert classes == predict_plainly(entry, VECTORS, PROTOCOLS[PROTOCOL])
    encoder = EncoderIds("m", "r", "c", 33)
    measured = measure_dataset(encoder, entry, VECTORS, ["accuracy"], classes)
    right = np.mean([label == true for label, true in zip(classes, gold, strict=True)])
    assert measured.values == {"accuracy": pytest.approx(right)} and 0.6 < right < 1
    assert (measured.dataset, measured.split, measured.n) == ("mine", "test", len(gold))


def test_scores_of_pairs_are_those_of_the_plain_way():
    entry, gold = drawn_items("with development", "relatedness", 2)
    scores = predict("mine", entry, VECTORS, PROTOCOL)
    plain = [*map(float, predict_plainly(entry, VECTORS, PROTOCOLS[PROTOCOL]))]
    np.testing.assert_allclose([*map(float, scores)], plain, atol=1e-4)
    measured = measure_dataset(EncoderIds("m", "r", "c", 33), entry, VECTORS, ["pearson"], scores)
    expected = pearsonr(plain, [*map(float, gold)])[0]
    assert measured.values["pearson"] == pytest.approx(expected, abs=1e-3)
    assert 0.3 < expected < 1


def test_features_of_texts_and_of_pairs():
    np.testing.assert_array_equal(features_of(VECTORS, {"texts": [[2], [0]]}), VECTORS[[2, 0]])
    left, right = VECTORS[1], VECTORS[3]
    expected = [*left, *right, *abs(left - right), *(left * right)]
    for features, start in (({"features": "all"}, 0), ({}, 10)):
        of_pair = features_of(VECTORS, {"texts": [[1, 3]], **features})[0].numpy()
        np.testing.assert_allclose(of_pair, expected[start:], rtol=1e-6)


@pytest.mark.parametrize(
    ("parts", "labels", "message"),
    [
        (["all"] * 20, ["a"] * 11 + ["b"] * 9, "class 'b' has 9 texts, too few for 5 folds"),
        (["train"] * 9 + ["test"], ["a"] * 5 + ["b"] * 5, "class 'b' has 4 texts, too few for 5"),
        (["train"] * 2 + ["test"] * 2, ["a", "b", "a", "c"], "no training text has class 'c', but"),
    ],
)
def test_classes_that_cannot_be_learnt_are_named_and_nothing_is_written(
    parts, labels, message, tmp_path
):
    entry = {"task": "classification", "split": "test", "dropped": {}, "parts": parts}
    entry |= {"texts": [[row] for row in range(len(labels))], "labels": labels}
    file = write_whole_vectors(tmp_path / "v.npy", VECTORS, "mr")
    [items] = write_items(tmp_path, {"mr": entry})
    files = ["--items", str(items), "--vectors", str(file), "--output", str(tmp_path / "p.tsv")]
    with pytest.raises(UserError, match=f"dataset mr: {message}"):
        main([*files, "--protocol", PROTOCOL])
    assert not (tmp_path / "p.tsv").exists()


def test_predictions_come_back_as_they_were_written(tmp_path):
    predictions = {"mr": ["0", "a b", "1"], "sick-r": ["3.25"]}
    write_predictions(tmp_path / "p.tsv", predictions)
    assert read_predictions(tmp_path / "p.tsv") == predictions
