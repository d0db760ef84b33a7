"""The embedded sampler: the shipped entries and suites read it, with enough items to score."""

from pathlib import Path

import pytest
import yaml

from workflow_scripts.datasets.catalogue import read_dataset
from workflow_scripts.datasets.read_suite import read_suite

CONFIG_FILE = Path(__file__).resolve().parents[2] / "config" / "datasets.yaml"
CONFIG = yaml.safe_load(CONFIG_FILE.read_text(encoding="utf-8"))
# Sets that the sampler holds no files of; nor does it hold a second copy of its sentences in the
# form of SentEval. Isotropy is of the strings of made corpora.
ABSENT = {"sts-es", "sts-ar", "sts-ru", "sts-ru-stsb", "qnli", "qqp"}
DATASETS = [
    name
    for name, entry in CONFIG["datasets"].items()
    if name not in ABSENT and not name.endswith("-senteval") and entry["task"] != "isotropy"
]
SUITES = [
    name for name, block in CONFIG["suites"].items() if set(block["datasets"]) <= set(DATASETS)
]
WORD_FORMATS = ("simlex", "multi-simlex", "multi-simlex-pairs")


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_has_enough_items(sampler, name):
    entry = CONFIG["datasets"][name]
    found = read_dataset(sampler, entry, name)
    if entry["task"] == "similarity":
        assert len(found.gold) >= (100 if entry["format"] in WORD_FORMATS else 60)
        assert len(set(found.gold)) > 5
    elif entry["task"] == "entity-linking":
        assert len(found.gold) >= 100
        assert len({tuple(concepts) for concepts in found.name_concepts}) >= 100
        assert len(found.names) > len({tuple(concepts) for concepts in found.name_concepts})
    else:
        assert len(found.train) >= 200
        assert len(found.test) >= 60
        assert not set(found.train) & set(found.test)


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_reads_and_its_ids_are_rows(sampler, suite):
    block = CONFIG["suites"][suite]
    entries = {name: CONFIG["datasets"][name] for name in block["datasets"]}
    strings, items = read_suite(sampler, entries, block.get("language"))
    assert list(items) == block["datasets"]
    assert len(set(strings)) == len(strings)
    assert all(strings)

    used = set()
    for dataset in items.values():
        for key in ("left", "right", "names", "vocabulary", "train", "test"):
            used.update(dataset.get(key, []))
        used.update(part for parts in dataset.get("mentions", []) for part in parts)
    assert used == set(range(len(strings)))
