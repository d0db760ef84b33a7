"""The target tuning_grid: its jobs, its mistakes, and one small search for real."""

import json

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]

SEARCH = {
    "model": "bert-en-mini",
    "recipe": "mirror-word",
    "corpus": "words-en",
    "suite": "words-dev",
    "dataset": "simlex999",
    "axes": {"epochs": [1, 2], "batch_size": [64, 300]},
}


@pytest.fixture
def searching(fresh):
    """A fresh small project with one search of four cells in two slices."""
    config = fresh.read_config()
    config["tuning_grid"] = {"cells_per_job": 2, "searches": {"words": SEARCH}}
    fresh.write_config(config)
    return fresh


def rules(jobs):
    return {job.split()[0] for job in jobs}


def test_the_target_plans_its_slices_and_all_tables_none_of_them(searching):
    assert searching.planned("tuning_grid") == sorted(
        [
            "sample_frequent_words corpus=words-en",
            "read_suite suite=words-dev",
            "search_grid search=words, slice=0",
            "search_grid search=words, slice=1",
            "choose_settings search=words",
            "tuning_grid",
        ]
    )
    tables = rules(searching.planned("all_tables"))
    assert "assemble_table" in tables
    assert not tables & {"search_grid", "choose_settings", "tuning_grid"}


def test_a_table_of_kind_grid_brings_the_searches_that_it_names(searching):
    config = searching.read_config()
    config["tuning_grid"]["searches"]["others"] = {**SEARCH, "axes": {"epochs": [1]}}
    config["tables"]["grid"] = {"kind": "grid", "title": "Grid", "reference": "table21"}
    config["tuning_grid"]["shown"] = ["words"]
    searching.write_config(config)
    planned = searching.planned("all_tables")
    assert "assemble_grid table=grid" in planned
    assert [job for job in planned if job.startswith(("search_grid", "choose_settings"))] == [
        "choose_settings search=words",
        "search_grid search=words, slice=0",
        "search_grid search=words, slice=1",
    ]


def test_a_mistake_in_a_search_is_one_line_and_no_concern_of_the_tables(searching):
    config = searching.read_config()
    config["tuning_grid"]["searches"]["words"]["model"] = "bert-en-mni"
    searching.write_config(config)
    assert "tuning_grid" not in rules(searching.planned("all_tables"))
    for target in ("tuning_grid", "results/tuning_grid/words.tsv"):
        result = searching.run("--dry-run", target)
        output = result.stdout + result.stderr
        assert result.returncode != 0
        assert "Traceback" not in output
        assert "bert-en-mni`, which is not in `models`; did you mean 'bert-en-mini'?" in output


def test_a_search_runs_is_recorded_and_reruns_only_what_changed(searching):
    result = searching.run("tuning_grid")
    assert result.returncode == 0, result.stdout + result.stderr
    folder = searching.folder / "results/tuning_grid"
    record = json.loads((folder / "words.json").read_text())
    assert (record["cells"], record["ranked"]) == (4, 2)  # the corpus has 200 words
    assert record["best"]["settings"]["batch_size"] == 64
    assert record["best"]["seeds"] == 1
    assert "fewer than one batch of 300" in (folder / "words.tsv").read_text()
    assert "mirror-word: {epochs: " in (folder / "words.md").read_text()
    assert not list(folder.rglob("*.progress.jsonl"))
    assert searching.planned("tuning_grid") == []

    config = searching.read_config()
    config["tables"]["grid"] = {"kind": "grid", "title": "Grid", "reference": "table21"}
    searching.write_config(config)
    target = "results/tables/grid.tsv"
    assert searching.planned(target) == ["assemble_grid table=grid"]
    result = searching.run(target)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (
        f"{record['best']['mean']:.3f}".lstrip("0")
        in (searching.folder / "results/tables/grid.md").read_text()
    )

    config["recipes"]["mirror-sentence"]["temperature"] = 0.05
    config["tuning_grid"]["searches"]["words"]["axes"]["epochs"] = [1, 3]
    searching.write_config(config)
    assert searching.planned("tuning_grid") == sorted(
        ["search_grid search=words, slice=1", "choose_settings search=words", "tuning_grid"]
    )
