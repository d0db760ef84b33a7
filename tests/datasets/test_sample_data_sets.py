"""The bundled sample data: the shipped entries read it, with enough items to score."""

import csv
import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest
from dataset_reading import read_dataset, read_numbered
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score
from snakemake.utils import update_config

from workflow_scripts.configuration.yaml_files import read_mapping

CONFIG_FOLDER = Path(__file__).resolve().parents[2] / "config"
CONFIG: dict = {}
for part in ("datasets", "config"):
    update_config(CONFIG, read_mapping(CONFIG_FOLDER / f"{part}.yaml"))
# The sample data holds no second copy of its sentences in the form of SentEval, and three languages
# of Tatoeba; isotropy is of the strings of made corpora.
TATOEBA = {"es": "spa", "fr": "fra", "ru": "rus"}
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


# Plain readings of the files, apart from the project's readers.


def tab_rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def qnli_pairs(root: Path, split: str) -> list[tuple[str, str, str]]:
    header, *rows = tab_rows(root / f"qnli/{split}.tsv")
    assert header == ["index", "question", "sentence", "label"]
    assert [row[0] for row in rows] == [str(index) for index in range(len(rows))]
    return [(question, sentence, label) for _, question, sentence, label in rows]


def qqp_rows(root: Path) -> list[list[str]]:
    path = root / "qqp/quora_duplicate_questions.tsv"
    with open(path, encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="\t", strict=True)
    assert header == ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]
    return rows


def graded_pairs(root: Path, language: str) -> list[tuple[str, str, float]]:
    if language == "ru":
        path = root / "stsb-multi-mt/stsb-ru-test.csv"
        assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n")
        with open(path, encoding="utf-8", newline="") as stream:
            return [(left, right, float(gold)) for left, right, gold in csv.reader(stream)]
    track = {"es": "track3.es-es", "ar": "track1.ar-ar"}[language]
    pairs = tab_rows(root / f"sts2017/STS2017.eval.v1.1/STS.input.{track}.txt")
    gold = tab_rows(root / f"sts2017/STS2017.gs/STS.gs.{track}.txt")
    assert all(re.fullmatch(r"[0-5]\.\d{6}", line) for [line] in gold)
    return [(left, right, float(grade)) for (left, right), [grade] in zip(pairs, gold, strict=True)]


def normalise(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def share_of_words(left: str, right: str) -> float:
    one, other = set(normalise(left).split()), set(normalise(right).split())
    return len(one & other) / len(one | other)


def new_strings(root: Path) -> set[str]:
    strings = {text for row in qqp_rows(root) for text in row[3:5]}
    for split in ("dev", "train"):
        strings |= {text for pair in qnli_pairs(root, split) for text in pair[:2]}
    for language in ("es", "ar", "ru"):
        strings |= {text for pair in graded_pairs(root, language) for text in pair[:2]}
    for path in (root / "paws-x").glob("dev-*.tsv"):
        strings |= {text for row in tab_rows(path) for text in row[:2]} - {"NS"}
    return strings | tatoeba_strings(root, *TATOEBA.values())


def tatoeba_strings(root: Path, *codes: str) -> set[str]:
    stems = [(root / f"tatoeba-v1/tatoeba.{code}-eng", code) for code in codes]
    files = [f"{stem}.{side}" for stem, code in stems for side in (code, "eng")]
    return {line for file in files for [line] in tab_rows(Path(file))}


def test_questions_and_sentences_are_balanced_and_unique(sample_data):
    dev, train = (qnli_pairs(sample_data, split) for split in ("dev", "train"))
    assert (len(dev), len(train)) == (120, 276)
    for pairs in (dev, train):
        labels = [label for *_, label in pairs]
        assert set(labels) == {"entailment", "not_entailment"}
        assert labels.count("entailment") * 2 == len(labels)
        strings = [normalise(text) for pair in pairs for text in pair[:2]]
        assert len(set(strings)) == len(strings)
        # Neither an overlap of words nor length gives the answer away.
        truth = [label == "entailment" for label in labels]
        shares = [share_of_words(question, sentence) for question, sentence, _ in pairs]
        assert 0.45 < roc_auc_score(truth, shares) < 0.65
        assert 0.4 < roc_auc_score(truth, [len(sentence) for _, sentence, _ in pairs]) < 0.6
    odd = [pair for pair in dev if "".join(pair).count('"') % 2]
    assert len(odd) == 4
    tested, tuned_on = ({text for pair in one for text in pair[:2]} for one in (dev, train))
    assert not tested & tuned_on


def test_pairs_of_questions_have_consistent_ids_and_hard_negatives(sample_data):
    rows = qqp_rows(sample_data)
    assert len(rows) == 150
    labels = [int(row[5]) for row in rows]
    assert sum(labels) == 60
    assert len({frozenset(row[3:5]) for row in rows}) == len(rows)
    questions = {}
    for row in rows:
        for identity, question in zip(row[1:3], row[3:5], strict=True):
            assert questions.setdefault(identity, question) == question
    assert len(set(questions.values())) == len(questions)
    # One row a line, and no quoting but of questions with quotes, as in the original.
    assert {len(row) for row in tab_rows(sample_data / "qqp/quora_duplicate_questions.tsv")} == {6}
    assert any('"' in question for question in questions.values())
    shares = [share_of_words(*row[3:5]) for row in rows]
    assert sum(share > 0.5 for share, label in zip(shares, labels, strict=True) if not label) > 15
    assert 0.65 < roc_auc_score(labels, shares) < 0.8


@pytest.mark.parametrize("language", ["es", "ar", "ru"])
def test_graded_pairs_of_other_languages_do_not_follow_word_overlap(sample_data, language):
    pairs = graded_pairs(sample_data, language)
    assert len(pairs) == 62
    strings = [normalise(text) for pair in pairs for text in pair[:2]]
    assert len(set(strings)) == len(strings)
    gold = [grade for *_, grade in pairs]
    assert sorted(gold) == sorted(pair[2] for pair in graded_pairs(sample_data, "es"))
    assert (min(gold), max(gold), len(set(gold)) > 15) == (0, 5, True)
    assert 0.4 < spearmanr(gold, [share_of_words(a, b) for a, b, _ in pairs])[0] < 0.6
    assert abs(spearmanr(gold, [len(a) + len(b) for a, b, _ in pairs])[0]) < 0.2
    assert abs(spearmanr(gold, [abs(len(a) - len(b)) for a, b, _ in pairs])[0]) < 0.2


def test_strings_to_test_on_are_not_among_those_to_tune_on(sample_data):
    rows = [row[1:] for path in (sample_data / "wikimatrix").iterdir() for row in tab_rows(path)]
    rows += [row[5:7] for row in tab_rows(sample_data / "sts-benchmark/sts-train.csv")]
    tuned_on = {normalise(text) for row in rows for text in row}
    assert len(tuned_on) > 2000
    assert not tuned_on & set(map(normalise, new_strings(sample_data)))


@pytest.mark.shared_data
def test_no_string_is_one_of_the_real_sets(sample_data, shared_data):
    real = set()
    for split in ("dev", "test"):
        for row in tab_rows(shared_data / f"qnli/{split}.tsv"):
            real |= set(map(normalise, row[1:3]))
    samples = [
        gzip.decompress((shared_data / "qnli/train-sample.json.gz").read_bytes()),
        (shared_data / "qnli/train-sample-dev.json").read_bytes(),
        (shared_data / "qqp/train-sample.json").read_bytes(),
    ]
    for sample in samples:
        for pair in json.loads(sample).values():
            real |= {normalise(pair[key]) for key in pair if key != "label"}
    for path in (shared_data / "sts2017/STS2017.eval.v1.1").glob("STS.input.*"):
        real |= {normalise(text) for row in tab_rows(path) for text in row}
    for path in (shared_data / "stsb-multi-mt").glob("*.csv"):
        with open(path, encoding="utf-8", newline="") as stream:
            real |= {normalise(text) for row in csv.reader(stream) for text in row[:2]}
    for path in (shared_data / "paws-x").glob("dev-*.tsv"):
        real |= {normalise(text) for row in tab_rows(path) for text in row[:2]}
    real |= set(map(normalise, tatoeba_strings(shared_data, *TATOEBA.values())))
    assert len(real) > 60_000
    assert not real & set(map(normalise, new_strings(sample_data)))
