"""The classifier that comes with an encoder: what it says, and what it cannot."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS
from workflow_scripts.embedding.own_classifier import OwnClassifier, read_own_classifier
from workflow_scripts.errors import UserError
from workflow_scripts.scoring.classify_texts import main
from workflow_scripts.scoring.development_set import read_development_set
from workflow_scripts.scoring.predictions import read_predictions

WEIGHT = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], dtype=np.float32)
BIAS = np.array([0.0, 0.5, 0.0], dtype=np.float32)
CLASSES = ["bad", "good", "none"]
# by hand: 2 against 0.5, 0.4 against 0.5, 2 against -0.5 and -1
VECTORS = np.array([[2, 0], [0.4, 0], [-1, -1]], dtype=np.float32)
ENTRY = {
    "task": "classification",
    "split": "test",
    "dropped": {},
    "texts": [[2], [0], [1], [2]],
    "labels": ["good", "bad", "good", "none"],
    "parts": ["train", "test", "development", "test"],
}


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "encoder"
    path.mkdir()
    names = ("own.text_classifier.weight", "own.text_classifier.bias")
    save_file(dict(zip(names, (WEIGHT, BIAS), strict=True)), path / OWN_WEIGHTS)
    (path / "encoder.json").write_text(json.dumps({"corpus": {"classes": CLASSES}}))
    return path


@pytest.fixture
def suite(tmp_path):
    write_whole_vectors(tmp_path / "v.npy", VECTORS, "mine")
    (tmp_path / "strings.txt").write_text("a\nb\nc\n")

    def write(**changes):
        [file] = write_items(tmp_path, {"mine": {**ENTRY, **changes}})
        return file

    return write


def classify(tmp_path, folder, items):
    """Run the command; return the file that it writes."""
    words = [f"--items={items}", f"--vectors={tmp_path / 'v.npy'}", f"--classifier={folder}"]
    main([*words, f"--output={tmp_path / 'p.tsv'}"])
    return tmp_path / "p.tsv"


def test_test_items_get_their_classes_and_nothing_is_trained(folder, suite, tmp_path):
    predictions = read_predictions(classify(tmp_path, folder, suite()))
    assert predictions == {"mine": ["bad", "none"]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"labels": ["good", "bad", "good", "fine"]}, "class 'fine' is not one that the encoder"),
        ({"texts": [[2, 1], [0, 1], [1, 2], [2, 0]]}, "classifier takes single labelled texts"),
        ({"task": "relatedness"}, "classifier takes single labelled texts"),
    ],
)
def test_what_it_cannot_say_is_an_error_and_nothing_is_written(
    folder, suite, tmp_path, changes, message
):
    with pytest.raises(UserError, match=f"data set mine: .*{message}"):
        classify(tmp_path, folder, suite(**changes))
    assert not (tmp_path / "p.tsv").exists()


def test_an_encoder_without_one_is_named(folder, tmp_path):
    with pytest.raises(UserError, match="not an encoder with its own classifier; give one that"):
        read_own_classifier(tmp_path)
    (folder / OWN_WEIGHTS).write_bytes(b"no")
    with pytest.raises(UserError, match=r"damaged .* make the encoder again"):
        read_own_classifier(folder)


def test_a_development_set_is_its_part_of_that_name_and_its_strings(suite, tmp_path):
    files = (tmp_path / "strings.txt", suite())
    development = read_development_set(*files, "mine")
    assert development.strings == ["b"]
    classifier = OwnClassifier(WEIGHT, BIAS, CLASSES)
    assert development.score(VECTORS[1:2], classifier) == 1.0
    assert development.score(VECTORS[:1], classifier) == 0.0
    with pytest.raises(UserError, match="trains no classifier to score; use method classify"):
        development.score(VECTORS[1:2])
    parts = ["train", "test", "train", "test"]
    with pytest.raises(UserError, match="data set mine: has no part `development` to choose on"):
        read_development_set(files[0], suite(parts=parts), "mine")


def test_a_development_set_whose_strings_lost_a_line_is_told(suite, tmp_path):
    items, strings = suite(), tmp_path / "strings.txt"
    strings.write_text(strings.read_text().partition("\n")[0])
    with pytest.raises(UserError, match=r"items.json or .*strings.txt: damaged .*; remove it"):
        read_development_set(strings, items, "mine")
