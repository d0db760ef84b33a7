"""The bundled sample data: the shipped entries read it, with enough items to score."""

import re
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest
from dataset_reading import read_dataset, read_numbered
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from snakemake.utils import update_config

from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.datasets.formats.sts2017 import Entry as Sts2017
from workflow_scripts.files import read_lines

CONFIG_FOLDER = Path(__file__).resolve().parents[2] / "config"
CONFIG: dict = {}
for part in ("datasets", "config"):
    update_config(CONFIG, read_mapping(CONFIG_FOLDER / f"{part}.yaml"))
# The sample data holds no second copy of its sentences in the form of SentEval, and three languages
# of Tatoeba; isotropy is of the strings of made corpora.
TATOEBA = ("es", "fr", "ru")
DATASETS = [
    name
    for name, entry in CONFIG["datasets"].items()
    if not name.endswith("-senteval")
    and entry["task"] != "isotropy"
    and (entry["format"] != "tatoeba" or name.removeprefix("tatoeba-") in TATOEBA)
]
WORD_FORMATS = ("simlex", "multi-simlex", "multi-simlex-pairs")


@pytest.mark.parametrize("name", DATASETS)
def test_every_set_has_enough_items(sample_data, name):
    entry = CONFIG["datasets"][name]
    found = read_dataset(sample_data, entry, name)
    if entry["task"] == "similarity":
        assert len(found.gold) >= (100 if entry["format"] in WORD_FORMATS else 60)
        assert len(set(found.gold)) > 5
    elif entry["task"] == "pair-classification":
        assert len(found.label) >= 100
        assert min(found.label.count(0), found.label.count(1)) * 3 >= len(found.label)
    elif entry["task"] == "entity-linking":
        assert len(found.gold) >= 100
        assert 100 <= len({tuple(one) for one in found.name_concepts}) < len(found.names)
    elif entry["task"] == "bitext-retrieval":
        assert len({*found.left}) == len({*found.right}) == len(found.left) == 60
    elif entry["task"] == "language-bias":
        counts = Counter(found.languages)
        assert len(found.sentences) > 100 and min(counts.values()) >= 39 and len(counts) == 4
        assert found.dropped == {"repeated": 8, "untranslated": 1}
    elif entry["task"] in ("classification", "relatedness"):
        tested = [part in ("all", "test") for part in found.parts]
        assert sum(tested) >= 60
        if entry["task"] == "classification":
            counts = Counter(label for label, one in zip(found.labels, tested, strict=True) if one)
            assert min(counts.values()) >= 8
    else:
        assert len(found.train) >= 200 and len(found.test) >= 60
        assert not set(found.train) & set(found.test)


@pytest.mark.parametrize("name", DATASETS)
def test_ids_are_the_rows_of_all_strings(sample_data, name):
    lists, items = read_numbered(sample_data, CONFIG["datasets"][name], name)
    for strings in lists.values():
        assert len(set(strings)) == len(strings) and all(strings)
    keys = ("left", "right", "names", "sentences", "mentions", "texts")
    used = {None: ids_in([items[key] for key in keys if key in items])}
    if items["task"] == "lexicon":
        pairs = [*items["train"], *items["test"]]
        used = {
            side: ids_in(items[f"{side}_vocabulary"]) | {pair[number] for pair in pairs}
            for number, side in enumerate(("source", "target"))
        }
    assert used == {side: set(range(len(strings))) for side, strings in lists.items()}


def ids_in(items):
    if isinstance(items, int):
        return {items}
    return {number for one in items for number in ids_in(one)}


# ---- what was written for the sample data --------------------------------------------------------


def normalise(text):
    return " ".join(re.findall(r"\w+", text.lower()))


def pairs_of(root, name, **keys):
    return read_dataset(root, {**CONFIG["datasets"][name], **keys}, name)


def strings_of(sets):
    """Return the strings of data sets of sentences, in the form in which they are compared."""
    columns = [getattr(one, name) for one in sets for name in one.TEXTS]
    return {normalise(text) for column in columns for text in column}


TRAIN = {"path": "qnli/train.tsv"}
# data set, other keys, how many pairs, and the bounds of what the overlap of words tells: of labels
# the area under the curve, of grades the correlation
OVERLAPS = [
    ("qnli", {}, 120, 0.45, 0.65),
    ("qnli", TRAIN, 276, 0.45, 0.65),
    ("qqp", {"size": None}, 150, 0.65, 0.8),
    *((name, {}, 62, 0.4, 0.6) for name in ("sts-es", "sts-ar", "sts-ru-stsb")),
]


@pytest.mark.parametrize(("name", "keys", "number", "low", "high"), OVERLAPS)
def test_neither_overlap_nor_length_gives_the_answer_away(
    sample_data, name, keys, number, low, high
):
    pairs = pairs_of(sample_data, name, **keys)
    both = [
        (left.split(), right.split())
        for left, right in zip(map(normalise, pairs.left), map(normalise, pairs.right), strict=True)
    ]
    assert len(both) == number
    shares = [len({*left} & {*right}) / len({*left} | {*right}) for left, right in both]
    longer = [len(right) - len(left) for left, right in zip(pairs.left, pairs.right, strict=True)]
    if hasattr(pairs, "gold"):
        assert low < spearmanr(pairs.gold, shares)[0] < high
        assert abs(spearmanr(pairs.gold, list(map(abs, longer)))[0]) < 0.2
        assert (min(pairs.gold), max(pairs.gold), len(set(pairs.gold)) > 15) == (0, 5, True)
    else:
        assert low < roc_auc_score(pairs.label, shares) < high
        assert 0.4 < roc_auc_score(pairs.label, longer) < 0.6
        assert sum(pairs.label) == (60 if name == "qqp" else number / 2)
    if name != "qqp":
        # in which a question has several others
        assert len(strings_of([pairs])) == 2 * number


def new_sets(root):
    names = ["qqp", "qnli", "sts-es", "sts-ar", "sts-ru-stsb", "paws-x-pool"]
    names += [f"tatoeba-{language}" for language in TATOEBA]
    return [pairs_of(root, "qnli", **TRAIN), *(pairs_of(root, name) for name in names)]


def tab_rows(path):
    return [line.split("\t") for line in read_lines(path)]


def test_strings_to_test_on_are_not_among_those_to_tune_on(sample_data):
    rows = [row[1:] for path in (sample_data / "wikimatrix").iterdir() for row in tab_rows(path)]
    rows += [row[5:7] for row in tab_rows(sample_data / "sts-benchmark/sts-train.csv")]
    tuned_on = {normalise(text) for row in rows for text in row}
    assert len(tuned_on) > 2000
    assert not tuned_on & strings_of(new_sets(sample_data))
    train = strings_of([pairs_of(sample_data, "qnli", **TRAIN)])
    assert not train & strings_of([pairs_of(sample_data, "qnli")])


@pytest.mark.shared_data
def test_no_string_is_one_of_the_real_sets(sample_data, shared_data):
    others = {
        "qnli": [
            {"path": f"qnli/{name}"} for name in ("train-sample.json.gz", "train-sample-dev.json")
        ],
        "qqp": [{"path": "qqp/train-sample.json", "size": None}],
        "sts-es": [
            {"track": track} for track in get_args(Sts2017.model_fields["track"].annotation)
        ],
        "sts-ru-stsb": [
            {"language": language, "split": split}
            for language, split in (
                ("es", "dev"),
                ("es", "test"),
                ("ru", "train"),
                ("ru", "dev"),
                ("ru", "test"),
            )
        ],
        "paws-x-pool": [{"languages": ["de", "en", "es", "fr", "ja", "ko", "zh"]}],
        **{f"tatoeba-{language}": [{}] for language in TATOEBA},
    }
    sets = [pairs_of(shared_data, name, **keys) for name, each in others.items() for keys in each]
    real = strings_of([*sets, pairs_of(shared_data, "qnli")])
    # which has no labels
    real |= {
        normalise(text) for row in tab_rows(shared_data / "qnli/test.tsv") for text in row[1:3]
    }
    assert len(real) > 60_000
    assert not real & strings_of(new_sets(sample_data))
