"""Results in MTEB's format against its own tasks, run on local copies of the data."""

import json

import mteb
import numpy as np
import pytest
from datasets import Dataset, DatasetDict
from mteb.models.model_meta import ModelMeta
from mteb.results import TaskResult
from sklearn.metrics import f1_score

import mirror_bert
from workflow_scripts.datasets.catalogues import CATALOGUES, choose_datasets
from workflow_scripts.datasets.sides import strings_key
from workflow_scripts.errors import UserError
from workflow_scripts.evaluate import main as evaluate
from workflow_scripts.scoring.evaluation import read_sets
from workflow_scripts.scoring.metrics import f1
from workflow_scripts.scoring.mteb_results import mteb_task, mteb_tasks
from workflow_scripts.scoring.nearest_translations import Bitext
from workflow_scripts.scoring.weighted_metrics import value_of

STS = [*(f"sts{year}" for year in range(12, 17)), "stsb", "sickr"]
TATOEBA = ["tatoeba-fr", "tatoeba-ru"]
MODEL = "resources/models/bert-multi-mini"


@pytest.fixture(scope="module")
def sets(sample_data):
    return read_sets(sample_data, [*STS, *TATOEBA])


@pytest.fixture
def local_copies(sets, monkeypatch):
    """MTEB gets the sample data instead of what it would load from the hub."""
    rows = {}
    for items in sets.items:
        name = items["dataset"]
        task = mteb_task(name, sets.entries[name])
        strings = sets.lists[strings_key(name)]
        for number, pair in enumerate(zip(items["left"], items["right"], strict=True)):
            row = dict(zip(("sentence1", "sentence2"), (strings[n] for n in pair), strict=True))
            if task.name == "Tatoeba":
                row["lang"] = task.subset
            else:
                row["score"] = items["gold"][number]
            rows.setdefault(task.revision, []).append(row)

    def load_dataset(path, revision, **_):
        return DatasetDict({"test": Dataset.from_list(rows[revision])})

    monkeypatch.setattr("mteb.abstasks.abstask.load_dataset", load_dataset)


def test_mteb_s_own_tasks_give_the_scores_that_are_written(
    project, sample_data, sets, local_copies, tmp_path
):
    encoder = mirror_bert.load(project / MODEL, pooling="mean", max_length=48, device="cpu")
    options = ["--model", project / MODEL, "--pooling", "mean", "--max-length", 48]
    options += ["--data-root", sample_data, "--output", tmp_path / "scores.json"]
    options += ["--mteb", tmp_path / "results", "--datasets", *STS, *TATOEBA, "--device", "cpu"]
    evaluate([*map(str, options)])
    folder = tmp_path / "results" / f"mirror-bert__{encoder.name}" / encoder.loaded.weights_sha256
    ours = {
        path.stem: TaskResult.from_disk(path, load_historic_data=False)
        for path in folder.glob("*.json")
        if path.stem != "model_meta"
    }
    tasks = [mteb.get_task(name) for name in ours]
    # of the languages that are there
    for task in tasks:
        if task.metadata.name == "Tatoeba":
            task.hf_subsets = ["fra-eng", "rus-eng"]
    theirs = mteb.evaluate(encoder.to_sentence_transformers(), tasks, cache=None)
    assert len(ours) == len(theirs.task_results) == 8
    for result in theirs.task_results:
        own = ours[result.task_name]
        assert own.dataset_revision == result.dataset_revision
        assert own.get_score() == pytest.approx(result.get_score(), abs=1e-4)
        by_subset = {scores["hf_subset"]: scores for scores in result.scores["test"]}
        assert {scores["hf_subset"] for scores in own.scores["test"]} == {*by_subset}
        for scores in own.scores["test"]:
            expected = by_subset[scores["hf_subset"]]
            assert scores["languages"] == expected["languages"]
            numbers = {key: value for key, value in scores.items() if type(value) is float}
            assert len(numbers) == (3 if result.task_name == "Tatoeba" else 5)
            for key, value in numbers.items():
                assert value == pytest.approx(expected[key], abs=1e-4), (result.task_name, key)
    meta = ModelMeta.model_validate(json.loads((folder / "model_meta.json").read_text()))
    assert meta.name == f"mirror-bert/{encoder.name}"
    assert meta.revision == encoder.loaded.weights_sha256


def test_from_python_the_files_are_those_of_the_command(project, sample_data, tmp_path):
    encoder = mirror_bert.load(project / MODEL, pooling="mean", max_length=48, device="cpu")
    frame = mirror_bert.evaluate(encoder, sample_data, ["stsb", "simlex999"], mteb=tmp_path)
    [written] = tmp_path.rglob("STS*.json")
    [scores] = json.loads(written.read_text())["scores"]["test"]
    values = frame.set_index(["dataset", "metric"])["value"]
    assert scores["main_score"] == scores["cosine_spearman"] == values["stsb", "spearman"]
    assert scores["cosine_pearson"] == values["stsb", "pearson"]
    assert not [*tmp_path.rglob("*simlex*")]


def test_names_revisions_and_languages_are_those_of_mteb():
    tasks = {}
    for name, entry in choose_datasets(CATALOGUES, ["sts*", "sickr*", "tatoeba*"]).items():
        if (task := mteb_task(name, entry)) is not None:
            tasks[name] = task
    assert {"sts12", "sts12-senteval", "stsb", "sickr", "tatoeba-zh"} <= {*tasks}
    assert sum(name.startswith("tatoeba") for name in tasks) == 36
    for task in tasks.values():
        metadata = mteb.get_task(task.name).metadata
        assert task.revision == metadata.revision
        assert task.languages == metadata.hf_subsets_to_langscripts[task.subset]


def test_f1_is_scikit_learn_s():
    generator = np.random.default_rng(3)
    left = generator.normal(size=(12, 3))
    sides = [left, left + generator.normal(scale=0.8, size=(12, 3))]
    bitext = Bitext(n=12, sides=sides, strings=[range(12), range(12)])
    metric = f1.metric(bitext)
    gold, predicted = np.arange(12), bitext.predicted
    expected = f1_score(gold, predicted, average="weighted", zero_division=0)
    assert 0 < expected < 1
    assert value_of(metric, 12) == pytest.approx(expected, abs=1e-12)
    # a resample: items that are drawn twice or not at all
    counts = generator.integers(0, 3, size=(4, 12)).astype(float)
    for row, value in zip(counts, metric(counts), strict=True):
        drawn = np.repeat(np.arange(12), row.astype(int))
        sampled = f1_score(drawn, predicted[drawn], average="weighted", zero_division=0)
        assert value == pytest.approx(sampled, abs=1e-12)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["simlex999"], "--mteb: none of the data sets is an MTEB task; name sts12, "),
        (
            ["stsb", "stsb-senteval"],
            "--mteb: stsb-senteval and another data set are both MTEB's task",
        ),
    ],
)
def test_what_cannot_be_written_is_one_line(names, message):
    with pytest.raises(UserError, match=message):
        mteb_tasks(choose_datasets(CATALOGUES, names))
