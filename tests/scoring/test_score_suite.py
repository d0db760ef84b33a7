"""The command that scores an encoder on data sets, end to end on tiny files; what it imports."""

import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.spatial.distance
import scipy.stats
import sklearn.metrics

from tests.support.suite_files import write_items, write_whole_vectors
from workflow_scripts.datasets import items
from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.rankings import RankedName, write_rankings
from workflow_scripts.scoring.bootstrap_replicates import read_replicates
from workflow_scripts.scoring.isotropy import isotropy_score
from workflow_scripts.scoring.metric_names import load_metric
from workflow_scripts.scoring.metrics.register import metrics_of
from workflow_scripts.scoring.predictions import write_predictions
from workflow_scripts.scoring.score_suite import main
from workflow_scripts.scoring.tasks import register
from workflow_scripts.scoring.tidy_scores import read_scores

ENCODER = "bert/mirror-word/words-en/seed33"
LINKED = "ncbi-disease"
SIDES = {"left": [0, 1, 2, 3, 4], "right": [5, 6, 7, 8, 9]}
PAIRS = {"task": "similarity", "split": "test", "gold": [1.0, 2.0, 2.0, 4.0, 0.5], **SIDES}
PAIRS["dropped"] = {"no score": 3, "empty": 2}
CLASSES = {"task": "pair-classification", "split": "dev", "label": [1, 0, 1, 1, 0], **SIDES}
CLASSES["dropped"] = {"empty": 5}
LINKS = {
    "task": "entity-linking",
    "split": "test",
    "names": [0, 1, 2, 3, 4],
    "name_concepts": [["D0"], ["D1"], ["D2"], ["D3"], ["D3"]],
    "mentions": [[0], [1, 2], [5], [6]],
    "gold": [[["D0"]], [["D1"], ["D2"]], [["D9"]], [["D1", "D3"]]],
    "dropped": {"cui-less": 4},
}
RELATED = {"task": "relatedness", "split": "test", "dropped": {}, "texts": [[0, 1]] * 3}
RELATED |= {"labels": ["1.5", "2", "4"], "parts": ["test"] * 3}
BITEXT = {"task": "bitext-retrieval", "split": "test", "dropped": {}, **SIDES}
STRINGS = {"task": "isotropy", "split": "test", "strings": [1, 4, 5, 7, 9], "dropped": {}}
VECTORS = np.random.default_rng(0).normal(size=(10, 6)).astype(np.float32)
PAIRED = zip(VECTORS[:5].astype(float), VECTORS[5:].astype(float), strict=True)
COSINES = np.array([1 - scipy.spatial.distance.cosine(*pair) for pair in PAIRED])


# the metrics that are asked for unless a test says otherwise
ASKED = {
    "similarity": ["spearman"],
    "pair-classification": ["auc"],
    "entity-linking": ["accuracy@1", "accuracy@5"],
    "isotropy": ["is_paper", "is_eig", "mvn"],
    "bitext-retrieval": [
        *("accuracy", "accuracy_from_english"),
        *("accuracy_pcr", "accuracy_pcr_from_english"),
    ],
    "relatedness": ["pearson", "spearman"],
}


@pytest.fixture
def score(tmp_path):
    """Return a function that writes data sets, runs the command and reads the scores."""
    names = ("suite.npy", "links.tsv", "scores.tsv", "scores.npz")
    vectors, links, output, details = (tmp_path / name for name in names)

    def run(datasets, *options, matrix=VECTORS):
        items = write_items(tmp_path, datasets)
        write_whole_vectors(vectors, matrix, *datasets)
        files = {"vectors": vectors, "output": output, "details": details}
        given = [f"--{key}={file}" for key, file in files.items()]
        given += ["--items", *map(str, items)]
        metrics = {name: ASKED.get(entry["task"], []) for name, entry in datasets.items()}
        given.append(f"--metrics={json.dumps(metrics)}")
        main([f"--encoder={ENCODER}", *given, *options])
        return read_scores(output)

    vars(run).update(vectors=vectors, links=links, output=output, details=details)
    return run


def test_scores_of_pairs_are_those_of_their_cosines(score):
    # rows that are not items do not lower the coverage
    dropped = {"no_gold_score": 30, "not_sampled": 50, "empty_cell": 5}
    rows = score({"sts12": PAIRS, "sts16": PAIRS | {"dropped": dropped}, "qnli": CLASSES})
    rho = pytest.approx(scipy.stats.spearmanr(COSINES, PAIRS["gold"]).statistic, abs=1e-6)
    area = pytest.approx(sklearn.metrics.roc_auc_score(CLASSES["label"], COSINES), abs=1e-6)
    expected = [
        ("sts12", "test", "spearman", rho, 5, 0.5, {"no score": 3, "empty": 2}),
        ("sts16", "test", "spearman", rho, 5, 0.5, dropped),
        ("qnli", "dev", "auc", area, 5, 0.5, {"empty": 5}),
    ]
    keys = ("dataset", "split", "metric", "value", "n", "coverage", "dropped")
    assert [tuple(getattr(row, key) for key in keys) for row in rows] == expected
    ids = {(row.model, row.recipe, row.corpus, row.seed) for row in rows}
    assert ids == {("bert", "mirror-word", "words-en", 33)}
    details = read_replicates(score.details)
    arrays = {key: each for key, each in details.items() if not key.startswith("replicates/")}
    assert set(arrays) == {"cosines/qnli", "labels/qnli"}
    np.testing.assert_allclose(arrays["cosines/qnli"], np.float32(COSINES), atol=1e-6, strict=True)
    labels = np.array(CLASSES["label"], dtype=np.int8)
    np.testing.assert_array_equal(arrays["labels/qnli"], labels, strict=True)


def test_isotropy_has_three_metrics_and_no_interval(score):
    rows = {row.metric: row for row in score({"words": STRINGS})}
    chosen = VECTORS[[1, 4, 5, 7, 9]].astype(np.float64)
    assert list(rows) == ["is_paper", "is_eig", "mvn"]
    assert rows["mvn"].value == pytest.approx(np.linalg.norm(chosen.mean(axis=0)), abs=1e-6)
    # A null space of one dimension: its vector is one up to the sign, which is fixed.
    for metric in ("is_eig", "is_paper"):
        assert rows[metric].value == pytest.approx(isotropy_score(chosen, metric), rel=1e-5)
    for row in rows.values():
        assert (row.n, row.coverage, row.low, row.high) == (5, 1.0, None, None)
    assert read_replicates(score.details) == {}


def test_details_hold_replicates_and_the_interval_is_theirs(score):
    write_rankings(score.links, RankedName, whole_links())
    datasets = {"ncbi-disease": LINKS, "sts12": PAIRS, "qnli": CLASSES, "words": STRINGS}
    rows = score(datasets, f"--links={score.links}")
    details = read_replicates(score.details)
    measured = [row for row in rows if row.dataset != "words"]
    assert [f"replicates/{row.dataset}/{row.metric}" for row in measured] == [
        name for name in details if name.startswith("replicates/")
    ]
    for row in measured:
        replicates = details[f"replicates/{row.dataset}/{row.metric}"]
        expected = np.nanpercentile(replicates, [2.5, 97.5])
        assert [row.low, row.high] == pytest.approx(expected, abs=1e-6)


def whole_links():
    return [
        RankedName("ncbi-disease", query, part, rank, rank - 1, 0.5)
        for query, parts in enumerate(LINKS["mentions"])
        for part in range(len(parts))
        for rank in range(1, 6)
    ]


def test_rows_of_links_are_counted_as_they_stand_as_far_as_they_reach(score):
    # Every part ranks the names in one order, that of the dictionary begun at `first`.
    for first, at_one in ((0, 0.25), (1, 0.25), (2, 0), (3, 0.25)):
        links = [link._replace(name_row=(link.name_row + first) % 5) for link in whole_links()]
        write_rankings(score.links, RankedName, links)
        found = score({LINKED: LINKS}, f"--links={score.links}")
        assert [row.value for row in found] == [at_one, 0.75]
    write_rankings(score.links, RankedName, [link for link in whole_links() if link.rank < 5])
    (row,) = score({LINKED: LINKS}, f"--links={score.links}")
    assert (row.metric, row.value) == ("accuracy@1", 0.25)


NOT_FINITE = "dataset {}: vectors: the vector of string 7 holds NaN"


def with_value(value):
    matrix = VECTORS.copy()
    matrix[7, 2] = value
    return matrix


@pytest.mark.parametrize(
    ("datasets", "matrix", "message"),
    [
        ({"one": PAIRS | {"gold": [1.0] * 5}}, VECTORS, "spearman is undefined on its 5 items"),
        ({"one": CLASSES | {"label": [1] * 5}}, VECTORS, "auc is undefined on its 5 items"),
        ({"one": {"task": "ranking"}}, VECTORS, "no scoring for the task 'ranking'"),
        ({"one": {"task": "lexicon"}}, VECTORS, "is of task lexicon; score it with score_lexicon"),
        # of a collapsed encoder
        ({"one": PAIRS}, VECTORS * 0 + 1, f"encoder {ENCODER}, dataset one: spearman is undefined"),
        ({"one": RELATED}, VECTORS, "dataset one: pearson and spearman are undefined on its 3"),
        *(
            ({"one": entry}, with_value(wrong), f"encoder {ENCODER}, {NOT_FINITE.format('one')}")
            for entry in (PAIRS, CLASSES, STRINGS, BITEXT)
            for wrong in (np.nan, np.inf)
        ),
    ],
)
def test_mistakes_give_one_clear_error_and_no_file(score, datasets, matrix, message, tmp_path):
    write_predictions(tmp_path / "p.tsv", {"one": ["3", "3", "3"]})
    with pytest.raises(UserError) as caught:
        score(datasets, f"--predictions={tmp_path / 'p.tsv'}", matrix=matrix)
    assert message in str(caught.value)
    assert not score.output.exists() and not score.details.exists()


def test_metrics_are_those_that_are_asked_for_and_are_needed_of_each_data_set(score):
    asked = '--metrics={"one": ["accuracy", "accuracy_pcr"]}'
    rows = {row.metric: row for row in score({"one": BITEXT}, asked)}
    assert list(rows) == ["accuracy", "accuracy_pcr"]
    whole = {row.metric: row for row in score({"one": BITEXT})}
    assert len(whole) == 4 and rows.items() <= whole.items()
    with pytest.raises(UserError, match="--metrics: names two; the items are of one; name the"):
        score({"one": BITEXT}, '--metrics={"two": ["accuracy"]}')


def test_a_task_of_the_register_says_what_it_scores_and_whether_settings_are_chosen_on_it():
    for name in register.TASKS:
        assert getattr(items, register.task(name).ITEMS)
        assert {*ASKED.get(name, ())} <= {*metrics_of(name)}
        assert all(load_metric(metric)[0].__doc__ for metric in metrics_of(name))
    chosen_by = ["similarity", "entity-linking", "bitext-retrieval"]
    assert register.development_tasks() == chosen_by
    register.check_development_task("sts12", "similarity", "--development-set")
    with pytest.raises(UserError, match=f"of task isotropy; .* {' or '.join(chosen_by)}"):
        register.check_development_task("words", "isotropy", "--development-set")


HEAVY = ["torch", "faiss", "scipy", "sklearn", "pandas", "transformers", "pydantic"]
LIGHT = ["tidy_scores", *(f"tasks.{name.replace('-', '_')}" for name in register.TASKS)]


@pytest.mark.parametrize(
    ("modules", "heavy"), [(["score_suite", "score_lexicon"], HEAVY), (LIGHT, ["numpy"])]
)
def test_scoring_imports_no_heavy_package(project, modules, heavy):
    names = ", ".join(f"workflow_scripts.scoring.{module}" for module in modules)
    code = f"import sys, {names}\nprint([m for m in {heavy} if m in sys.modules])"
    words = [sys.executable, "-c", code]
    result = subprocess.run(words, cwd=project, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
