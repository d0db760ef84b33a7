"""SentEval's protocols against the published toolkit, which ran once on the same vectors.

`make_senteval_oracle.py` ran it and describes how; its results are in `senteval_oracle.json`. All
predictions and penalties are the toolkit's, from the same files, sorted and split by each.
"""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from make_senteval_oracle import WordVectors, input_hash
from scipy.stats import pearsonr, spearmanr

from workflow_scripts.datasets.formats.register import read_entry
from workflow_scripts.datasets.read_dataset import number_items, read_dataset
from workflow_scripts.scoring import senteval
from workflow_scripts.scoring.linear_probe import PROTOCOLS
from workflow_scripts.scoring.trained_predictions import predict_classes, predict_scores

ORACLE = json.loads(Path(__file__).with_name("senteval_oracle.json").read_text())
RESULTS = {tuple(key.split()): result for key, result in ORACLE["results"].items()}
# the toolkit's numbers of the classes: the order of the rows and the first weights depend on them
NUMBERS = {
    "sick-e": {"CONTRADICTION": 0, "NEUTRAL": 1, "ENTAILMENT": 2},
    "trec": {"ABBR": 0, "DESC": 1, "ENTY": 2, "HUM": 3, "LOC": 4, "NUM": 5},
}


def read_with_vectors(root, config, name):
    """Return a set's block of items.json, read by the project, and the vectors of its strings."""
    entry = read_entry(name, config["datasets"][name])
    strings, items = number_items(name, entry, read_dataset(root, entry, name))
    vectors = WordVectors()
    return items, np.stack([vectors(text) for text in strings[None]])


def with_numbers(sample_data, folder, name):
    """Return a data root whose SICK has the toolkit's numbers as labels of entailment."""
    if name != "sick-e":
        return sample_data
    shutil.copytree(sample_data / "sick", folder / "sick")
    for file in (folder / "sick" / "semeval2014").iterdir():
        text = file.read_text()
        for label, number in NUMBERS[name].items():
            text = text.replace(label, str(number))
        file.write_text(text)
    return folder


def gold_labels(block):
    pairs = zip(block["labels"], block["parts"], strict=True)
    return [label for label, part in pairs if part in ("all", "test")]


def test_the_inputs_are_those_of_the_oracle():
    assert input_hash() == ORACLE["sha256"], "run make_senteval_oracle.py again"


@pytest.mark.parametrize(("protocol", "name"), [key for key in RESULTS if key[1] != "sick-r"])
def test_penalties_and_classes_are_those_of_the_toolkit(
    protocol, name, sample_data, default_config, tmp_path, monkeypatch
):
    root = with_numbers(sample_data, tmp_path, name)
    block, vectors = read_with_vectors(root, default_config, name)
    fit, penalties = senteval.fit_probes, []

    def recorded(features, labels, fits, of_fits, how):
        penalties.append(of_fits)
        return fit(features, labels, fits, of_fits, how)

    monkeypatch.setattr(senteval, "fit_probes", recorded)
    predictions = predict_classes(vectors, block, PROTOCOLS[protocol])
    expected = RESULTS[protocol, name]
    # the last fits are those that are tested
    assert penalties[-1].ravel().tolist() == expected["penalties"]
    numbers = NUMBERS.get(name, {})
    own = "".join(str(numbers.get(label, label)) for label in predictions)
    assert own == expected["predictions"]
    # the toolkit rounds each fold's accuracy to two digits, then their mean
    share = np.mean([a == b for a, b in zip(predictions, gold_labels(block), strict=True)])
    assert 100 * share == pytest.approx(expected["acc"], abs=0.0101)


def test_the_scores_of_pairs_are_those_of_the_toolkit(sample_data, default_config):
    block, vectors = read_with_vectors(sample_data, default_config, "sick-r")
    scores = predict_scores(vectors, block)
    expected = RESULTS["prototyping", "sick-r"]
    np.testing.assert_allclose(scores, expected["yhat"], atol=1e-4)
    gold = [float(label) for label in gold_labels(block)]
    assert pearsonr(scores, gold)[0] == pytest.approx(expected["pearson"], abs=1e-4)
    assert spearmanr(scores, gold)[0] == pytest.approx(expected["spearman"], abs=1e-3)
