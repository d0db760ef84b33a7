"""SICK's regression against SentEval's, written plainly; features; sets that cannot be learnt."""

import numpy as np
import pytest
import torch
from scipy.stats import pearsonr

from benchmarks.plain_senteval import plain_regression, predict_plainly
from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.classify_texts import main
from workflow_scripts.scoring.linear_probe import PROTOCOLS
from workflow_scripts.scoring.measurement import measure_dataset
from workflow_scripts.scoring.predictions import read_predictions, write_predictions
from workflow_scripts.scoring.tidy_scores import EncoderIds
from workflow_scripts.scoring.trained_predictions import (
    features_of,
    predict_classes,
    predict_scores,
)

PARTS = ["train"] * 70 + ["development"] * 20 + ["test"] * 30
ENCODER = EncoderIds("m", "r", "c", 33)
COMMON = {"split": "test", "dropped": {}}


def make_vectors(count, width, seed):
    return np.random.RandomState(seed).normal(size=(count, width)).astype(np.float32)


def related_pairs():
    """Return vectors and 120 pairs whose score is a function of their cosine, in part."""
    vectors = make_vectors(80, 6, 1)
    generator = np.random.RandomState(2)
    texts = generator.randint(80, size=(120, 2))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (unit[texts[:, 0]] * unit[texts[:, 1]]).sum(axis=1)
    gold = np.clip(3 + 2 * cosines + 0.3 * generator.normal(size=120), 1, 5).round(1)
    labels = [f"{score:.1f}" for score in gold]
    return vectors, {"texts": texts.tolist(), "labels": labels, "parts": PARTS, **COMMON}


def plain_scores(vectors, entry):
    """SentEval's regression on the parts of `PARTS`."""
    one, other = (vectors[[pair[side] for pair in entry["texts"]]] for side in (0, 1))
    rows = torch.from_numpy(np.c_[np.abs(one - other), one * other])
    gold = np.array([float(label) for label in entry["labels"]])
    return plain_regression(rows, gold, np.arange(70), np.arange(70, 90), np.arange(90, 120))


def test_relatedness_is_that_of_senteval():
    vectors, entry = related_pairs()
    expected = plain_scores(vectors, entry)
    found = predict_scores(vectors, entry)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    own = {"dataset": "sick-r", "task": "relatedness", **entry}
    measured = measure_dataset(ENCODER, own, vectors, ["pearson"], [str(one) for one in found])
    gold = [float(label) for label in entry["labels"][90:]]
    assert (measured.dataset, measured.split, measured.n) == ("sick-r", "test", 30)
    assert measured.values["pearson"] == pytest.approx(pearsonr(expected, gold)[0], abs=1e-3)
    assert 0.3 < measured.values["pearson"] < 1


def test_features_of_texts_and_of_pairs():
    vectors = make_vectors(4, 3, 5)
    np.testing.assert_array_equal(features_of(vectors, {"texts": [[2], [0]]}), vectors[[2, 0]])
    found = features_of(vectors, {"texts": [[1, 3]]})[0].numpy()
    expected = [*abs(vectors[1] - vectors[3]), *(vectors[1] * vectors[3])]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def separable(parts, labels):
    """Return vectors of texts whose class the first unit gives away."""
    vectors = make_vectors(len(labels), 4, 3)
    names = sorted(set(labels))
    vectors[:, 0] = [9.0 * names.index(label) - 4.5 for label in labels]
    texts = [[row] for row in range(len(labels))]
    return vectors, {"texts": texts, "labels": labels, "parts": parts, **COMMON}


@pytest.mark.parametrize(
    ("parts", "tested"),
    [
        (["all"] * 400, slice(0, 400)),
        (["train"] * 300 + ["test"] * 100, slice(300, 400)),
        (["train"] * 200 + ["development"] * 100 + ["test"] * 100, slice(300, 400)),
    ],
)
def test_classes_that_a_line_parts_are_found(parts, tested):
    labels = ["b", "a"] * 200
    vectors, entry = separable(parts, labels)
    found = predict_classes(vectors, entry, PROTOCOLS["prototyping"])
    assert found == labels[tested]
    found[0] = "b" if found[0] == "a" else "a"
    own = {"dataset": "mr", "task": "classification", **entry}
    measured = measure_dataset(ENCODER, own, vectors, ["accuracy"], found)
    assert measured.values == {"accuracy": pytest.approx(1 - 1 / len(found))}
    assert (measured.dataset, measured.split, measured.n) == ("mr", "test", len(found))


@pytest.mark.parametrize(
    ("parts", "labels", "message"),
    [
        (["all"] * 20, ["a"] * 11 + ["b"] * 9, "class 'b' has 9 texts, too few for 5 folds"),
        (["train"] * 9 + ["test"], ["a"] * 5 + ["b"] * 5, "class 'b' has 4 texts, too few for 5"),
        (["train"] * 2 + ["test"] * 2, ["a", "b", "a", "c"], "no training text has class 'c', but"),
    ],
)
def test_classes_that_cannot_be_learnt_are_named(parts, labels, message):
    vectors, entry = separable(parts, labels)
    with pytest.raises(UserError, match=message):
        predict_classes(vectors, entry, PROTOCOLS["prototyping"])


def test_predictions_come_back_as_they_were_written(tmp_path):
    found = {"mr": ["0", "a b", "1"], "sick-r": ["3.25"]}
    write_predictions(tmp_path / "p.tsv", found)
    assert read_predictions(tmp_path / "p.tsv") == found


def test_the_command_names_the_data_set_and_writes_nothing(tmp_path):
    vectors, entry = separable(["all"] * 4, ["a", "b", "a", "b"])
    file = write_whole_vectors(tmp_path / "v.npy", vectors, "mr")
    [items] = write_items(tmp_path, {"mr": {"task": "classification", **entry}})
    files = ["--items", str(items), "--vectors", str(file)]
    with pytest.raises(UserError, match="dataset mr: class 'a' has 2 texts, too few"):
        main([*files, "--protocol", "prototyping", "--output", str(tmp_path / "p.tsv")])
    assert not (tmp_path / "p.tsv").exists()


@pytest.mark.parametrize("split", ["folds", "train and test", "with development"])
def test_the_plain_way_takes_the_items_of_data_sets_and_agrees(split):
    """Of single texts and of pairs; a line parts the classes of each but for a few items."""
    counts = {"folds": {"all": 120}, "train and test": {"train": 80, "test": 40}}
    parts = counts.get(split, {"train": 60, "development": 30, "test": 30}).items()
    vectors = make_vectors(60, 5, 9)
    generator = np.random.RandomState(4)
    texts = generator.randint(60, size=(120, 2 if split == "with development" else 1))
    features = features_of(vectors, {"texts": texts.tolist()}).numpy()
    scores = features @ generator.normal(size=features.shape[1]) + generator.normal(size=120)
    labels = ["yes" if score > np.median(scores) else "no" for score in scores]
    entry = {"task": "classification", "texts": texts.tolist(), "labels": labels}
    entry["parts"] = [name for name, count in parts for _ in range(count)]
    protocol = PROTOCOLS["prototyping"]
    assert predict_plainly(entry, vectors, protocol) == predict_classes(vectors, entry, protocol)
