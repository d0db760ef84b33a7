"""A part of the papers' grid with synthetic files, from an empty folder to tables; its page."""

from decimal import Decimal

import pytest

from tools import rehearsal, rehearsal_report
from workflow_scripts.errors import UserError
from workflow_scripts.tables.cells import Cell, read_cells


def cell(*reasons, mean=0.5, published="0.5", assumptions=()):
    published = None if published is None else Decimal(published)
    told = {"reasons": reasons, "assumptions": assumptions}
    return Cell("t", "r", "c", mean, published=published, **told)


def test_the_overlay_leaves_recipes_and_corpora_of_rows_as_they_are(
    project, paper_config, tmp_path
):
    block = rehearsal.overlay(project / "config/paper.yaml", 1, ["table05"])
    assert "datasets" not in block
    # of the synthetic models' layers
    middle = ("xtreme", "xtreme-xlm", "xtreme-large")
    assert block["recipes"] == {name: {"layer": 1} for name in middle}
    # those of the grid
    assert not block["corpora"].keys() & paper_config["corpora"].keys()
    for search in block["tuning_grid"]["searches"].values():
        corpus = block["corpora"][search["corpus"]]
        # no batch of the grid is larger
        assert corpus["size"] >= max(paper_config["tuning_grid"]["axes"]["batch_size"])
        assert search["set"] == {"max_length": rehearsal.SHORT}
    # all 252 cells of each
    assert not {"axes", "cells_per_job"} & block["tuning_grid"].keys()
    assert block["data"]["missing"] == "error" and block["data"]["paper"] == []
    own = {
        name for name, model in paper_config["models"].items() if {"hub", "vectors"} & model.keys()
    }
    assert block["models"].keys() == own
    assert all(model["paper"] == [] for model in block["models"].values())
    kept = [name for name in paper_config["tables"] if block["tables"].get(name, {}) is not None]
    assert kept == ["table05"]


def test_what_was_never_given_out_has_a_synthetic_files(project, paper_config):
    more = rehearsal.never_released(project / "config/paper.yaml")
    absent = {name for one in paper_config["absent_models"] for name in one["models"]}
    assert more["models"].keys() == absent and more["absent_models"] == []
    for name, corpus in paper_config["corpora"].items():
        assert (name in more["corpora"]) == (corpus["kind"] == "absent")
    assert more["recipes"]["cmlm"] == {"steps": 4, "batch_size": 8}
    # of 60 pairs with a label
    assert more["recipes"]["cmlm-s3-nli"] == {"batch_size": 8}
    assert not any(name.startswith("mirror") for name in more["recipes"])
    assert all(block == {"absent": None} for block in more["datasets"].values())
    assert len(more["datasets"]) == 9 * 15


def test_reasons_of_synthetic_files_are_counted_apart_from_those_of_the_config():
    overlay = {"corpora": {"text-en": {"kind": "text"}}, "recipes": {"cmlm": {"steps": 4}}}
    overlay["seeds"] = [33]
    overlay["recipes"]["middle"] = {"layer": 1}
    synthetic_files = rehearsal_report.synthetic_reasons(overlay)
    data, model = "the data are not the paper's", "model bert-multi is not the paper's"
    trained = ("recipe: steps 4, in the paper 1000000", "corpus text-en is not the paper's")
    cells = [
        cell(data, model, *trained),
        cell("model bert-fr is not the paper's"),
        cell("recipe: layer 1, in the paper 7"),
        cell("recipe: steps 5, in the paper 1000000"),
        cell("corpus names is not the paper's", assumptions=("a", "b")),
        cell("the text was not released", mean=None),
        cell("a single seed has no deviation", mean=None),
        cell(published=None),
    ]
    status, made, own, assumed = rehearsal_report.count_reasons(cells, synthetic_files)
    assert status == {"not-comparable": 5, "not-run": 2}
    # data and text are both data
    assert made == {
        "synthetic model": 3,
        "synthetic data": 1,
        "shortened training": 1,
        "one seed instead of several": 1,
    }
    assert assumed == {"a": 1, "b": 1}
    assert own == {
        "not-comparable: recipe: steps 5, in the paper 1000000": 1,
        "not-comparable: corpus names is not the paper's": 1,
        "not-run: the text was not released": 1,
    }


def call(**changes):
    facts = {"size": "small", "seeds": 1, "tables": None, "complete": True, "cores": 2}
    return facts | {"through": ""} | changes


def test_a_call_that_was_killed_left_no_end(tmp_path):
    for facts in (call(), call(seeds=3), {"status": 1, "seconds": {}}, call(seeds=5)):
        rehearsal.keep_record(tmp_path, facts)
    rehearsal.keep_record(tmp_path, {"status": 0, "seconds": {}})
    calls = rehearsal_report.read_calls(tmp_path)
    assert [one.get("status") for one in calls] == [None, 1, 0]
    fetched = tmp_path / "results/benchmarks/fetch_all.tsv"
    fetched.parent.mkdir(parents=True)
    fetched.write_text("s\tmax_rss\tio_out\tcpu_time\n1\t-\t-\t0.5\n")
    row = rehearsal_report._run_row(tmp_path, tmp_path)
    named = dict(zip(rehearsal_report._RUN_HEADS, row, strict=True))
    assert (named["tables"], named["seeds"], named["through"]) == ("all", "5", "2 cores")
    assert (named["calls"], named["killed"], named["failed"]) == ("3", "1", "1")


def test_scores_and_weights_of_two_runs_are_held_against_each_other(tmp_path):
    written = {
        "scores/a/seed33/b.tsv": ("0.5", "0.5"),
        "scores/a/seed44/b.tsv": ("0.5", None),
        "encoders/a/model.safetensors": ("weights", "others"),
        "logs/a.log": ("8:00", "9:00"),
    }
    for name, contents in written.items():
        for run, content in zip(("one", "two"), contents, strict=True):
            if content is not None:
                file = tmp_path / run / "results" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
    assert rehearsal_report._same(tmp_path / "one", tmp_path / "two") == "1 of 2"


def test_rules_are_added_up_from_their_benchmarks(tmp_path):
    header = "s\th:m:s\tmax_rss\tio_in\tio_out\tmean_load\tcpu_time\n"
    for name, row in {
        "tune_encoder/a/b.tsv": "2.5\t0:00:02\t300\t0\t1.5\t80\t2\n",
        "tune_encoder/c.tsv": "1.5\t0:00:01\t500\t0\t2.5\t80\t1\n",
        "fetch_all.tsv": "1\t0:00:01\t-\t-\t-\t-\t0.5\n",
    }.items():
        file = tmp_path / "benchmarks" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(header + row)
    rules = rehearsal_report.read_rules(tmp_path)
    assert list(rules.itertuples(name=None)) == [
        ("fetch_all", 1, 1.0, 1.0, 0.5, 0.0, 0.0),
        ("tune_encoder", 2, 4.0, 2.5, 3.0, 500.0, 4.0),
    ]
    total = ["all", "3", "5", "2.5", "4", "500", "4"]
    assert rehearsal_report._rule_rows(rules)[-1] == total


def test_a_folder_that_holds_other_things_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").touch()
    with pytest.raises(UserError, match="holds other things; give a new or an empty folder"):
        rehearsal.main(["--folder", str(tmp_path)])
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.nightly
def test_a_part_of_the_grid_runs_from_an_empty_folder(tmp_path):
    folder, page = tmp_path / "run", tmp_path / "page.md"
    words = ["--folder", str(folder), "--tables", "table05", "table15", "--cores", "2"]
    rehearsal.main([*words, "--report", str(page)])
    cells = read_cells(folder / "results/tables/cells/table05.tsv")
    published = [one for one in cells if one.published is not None]
    assert len(published) == 14
    assert all(one.mean is not None and one.status == "not-comparable" for one in published)
    assert {why for one in published for why in one.reasons} >= {
        "the data are not the paper's",
        "model bert-multi is not the paper's",
    }
    text = page.read_text()
    assert "| tune_encoder | 6 |" in text
    assert "| synthetic data | 14 |" in text and "| synthetic model | 14 |" in text
    assert "| table05, table15 | without | 1 | 2 cores |" in text
    # the same files serve again, and nothing is left to do
    registry = (folder / "config/registry.yaml").read_bytes()
    before = (folder / "results/tables/index.html").stat().st_mtime_ns
    rehearsal.main(words)
    assert (folder / "config/registry.yaml").read_bytes() == registry
    assert (folder / "results/tables/index.html").stat().st_mtime_ns == before
