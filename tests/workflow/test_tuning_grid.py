"""The target tuning_grid: its jobs, its mistakes, and one small search for real."""

import json

import numpy as np
import pytest
from scipy.stats import spearmanr
from small_project import SAMPLE

SEARCH = {
    **{"model": "bert-en-mini", "recipe": "mirror-word", "corpus": "words-en"},
    "dataset": "simlex999",
    "axes": {"epochs": [1, 2], "batch_size": [64, 300]},
}
# of the encoder of a cell: the recipe as it is
TUNED = "results/embeddings/bert-en-mini/mirror-word/words-en/seed33/similarity.npy"
GRID = {"kind": "grid", "title": "Grid", "paper": "mirror-bert", "reference": "table21"}


@pytest.fixture
def searching(fresh):
    """A fresh small project with one search of four cells in two slices."""
    with fresh.edited_config() as config:
        config["tuning_grid"] = {"cells_per_job": 2, "searches": {"words": SEARCH}}
    return fresh


def of_the_grid(jobs):
    return [job for job in jobs if job.startswith(("search_grid", "choose_settings"))]


def test_the_target_plans_its_slices_and_a_table_those_that_it_names(searching):
    jobs = [f"search_grid search=words, slice={number}" for number in (0, 1)]
    jobs = ["choose_settings search=words", *jobs]
    first = [f"{SAMPLE} corpus=words-en", "read_dataset dataset=simlex999"]
    assert searching.planned("tuning_grid") == sorted([*first, *jobs, "tuning_grid"])
    with searching.edited_config() as config:
        config["tuning_grid"]["searches"]["others"] = {**SEARCH, "axes": {"epochs": [1]}}
        config["tables"]["grid"] = GRID
        config["tuning_grid"]["shown"] = ["words"]
    planned = searching.planned("all_tables")
    assert "assemble_table table=grid" in planned
    assert of_the_grid(planned) == jobs


def test_a_mistake_in_a_search_is_one_line_and_no_concern_of_the_tables(searching):
    with searching.edited_config() as config:
        config["tuning_grid"]["searches"]["words"]["model"] = "bert-en-mni"
    planned = searching.planned("all_tables")
    assert "assemble_table table=words" in planned
    assert not of_the_grid(planned)
    output = searching.fails("--dry-run", "results/tuning_grid/words.tsv")
    assert "bert-en-mni`, which is not in `models`; did you mean 'bert-en-mini'?" in output


def rows_of(path):
    header, *rows = (line.split("\t") for line in path.read_text().splitlines())
    return [dict(zip(header, row, strict=True)) for row in rows]


def check_by_hand(folder):
    """Check a cell against the cosines of its vectors."""
    results = folder / "results"
    strings = (results / "datasets/simlex999/strings.txt").read_text().split("\n")[:-1]
    rows = np.load((folder / TUNED).with_suffix(".npz"))["simlex999"]
    vectors = dict(zip(strings, np.load(folder / TUNED)[rows], strict=True))
    pairs = rows_of(folder / "resources/sample_data/simlex-999/SimLex-999.txt")
    sides = [np.array([vectors[row[name]] for row in pairs]) for name in ("word1", "word2")]
    lengths = [np.linalg.norm(side, axis=1) for side in sides]
    cosines = (sides[0] * sides[1]).sum(axis=1) / lengths[0] / lengths[1]
    rho = spearmanr(cosines, [float(row["SimLex999"]) for row in pairs])[0]
    cells = rows_of(results / "tuning_grid/words.tsv")
    (own,) = (row for row in cells if (row["epochs"], row["batch_size"]) == ("1", "64"))
    assert own["mean"] == f"{rho:.6f}"


@pytest.mark.slow
def test_a_search_runs_is_recorded_and_reruns_only_what_changed(searching):
    row = {key: SEARCH[key] for key in ("model", "recipe", "corpus")}
    with searching.edited_config() as config:
        config["tables"]["grid"] = GRID
        # so that the encoder of a cell is embedded
        config["tables"]["chosen"] = {
            "title": "Chosen",
            "columns": [{"id": "dev", "label": "Dev", "dataset": "simlex999"}],
            "rows": [{"id": "own", "label": "own", **row}],
        }
    searching.succeeds("tuning_grid", "results/tables/grid.tsv", TUNED)
    check_by_hand(searching.folder)
    folder = searching.folder / "results/tuning_grid"
    best = json.loads((folder / "words.json").read_text())["best"]
    assert best["settings"]["batch_size"] == 64
    assert best["seeds"] == 1
    assert "fewer than one batch of 300" in (folder / "words.tsv").read_text()
    assert "mirror-word: {epochs: " in (folder / "words.md").read_text()
    assert not list(folder.rglob("*.progress.jsonl"))
    mean = f"{best['mean']:.3f}".lstrip("0")
    assert mean in (searching.folder / "results/tables/grid.md").read_text()
    assert searching.planned("tuning_grid") == []

    with searching.edited_config() as config:
        config["recipes"]["mirror-sentence"]["temperature"] = 0.05
        config["tuning_grid"]["searches"]["words"]["axes"]["epochs"] = [1, 3]
    jobs = ["search_grid search=words, slice=1", "choose_settings search=words", "tuning_grid"]
    assert searching.planned("tuning_grid") == sorted(jobs)
