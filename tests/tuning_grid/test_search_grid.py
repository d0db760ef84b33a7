"""The command that tunes and scores the cells of a slice."""

import json
from pathlib import Path

import pytest
import tiny_models
from tiny_models import make_sentences
from tiny_suite import DATASETS

from workflow_scripts.embedding import embed_suite
from workflow_scripts.errors import UserError
from workflow_scripts.files import sha256_of
from workflow_scripts.retrieval import link_entities
from workflow_scripts.scoring import score_suite
from workflow_scripts.scoring.tidy_scores import read_scores
from workflow_scripts.tuning import tune_mirror
from workflow_scripts.tuning_grid import cell_scores, search_grid

RECIPE = {**tiny_models.RECIPE, "learning_rate": 3e-3}
BLOCK = {
    "recipe_name": "own",
    "recipe": RECIPE,
    "dataset": "pairs",
    "seeds": [33],
    "axes": ["temperature", "epochs"],
    "first_cell": 0,
    "cells": [[0.1, 1], [0.1, 2], [0.5, 1], [0.5, 2]],
    "linking_similarity": None,
}


@pytest.fixture
def search(files, tiny_bert, tmp_path):
    """Return a function that runs the command and returns its rows, {(cell, seed): row}."""
    output = tmp_path / "grid" / "slice0.tsv"

    def run(model=tiny_bert, **changes):
        search_grid.main(
            [
                *("--model", str(model), "--block", json.dumps({**BLOCK, **changes})),
                *("--corpus", files["corpus.txt"], "--strings", files["strings.txt"]),
                *("--items", files["items.json"], "--output", str(output)),
                *("--record", str(output.with_suffix(".json"))),
            ]
        )
        header, *rows = (line.split("\t") for line in output.read_text().splitlines())
        named = [dict(zip(header, row, strict=True)) for row in rows]
        return {(row["cell"], int(row["seed"])): row for row in named}

    run.output = output
    run.progress = output.with_suffix(".progress.jsonl")
    return run


def workflow_scores(files, model, recipe, seed, folder):
    """Return losses and scores that the commands of the workflow give for one encoder."""
    encoder = folder / "encoder"
    tune_mirror.main(
        [
            *("--model", str(model), "--corpus", files["corpus.txt"], "--recipe-name", "own"),
            *("--recipe-json", json.dumps(recipe), "--seed", str(seed), "--output", str(encoder)),
        ]
    )
    tuning = json.loads((encoder / "encoder.json").read_text())["tuning"]
    return tuning, suite_scores(files, encoder, recipe, folder)


def suite_scores(files, encoder, recipe, folder):
    vectors, links, scores = (str(folder / name) for name in ("v.npy", "links.tsv", "scores.tsv"))
    embed_suite.main(
        [
            *("--model", str(encoder), "--strings", files["strings.txt"]),
            *("--recipe-json", json.dumps(recipe), "--output", vectors),
            *("--record", str(folder / "v.json")),
        ]
    )
    link_entities.main(["--vectors", vectors, "--items", files["items.json"], "--output", links])
    score_suite.main(
        [
            *("--encoder", "m/own/c/seed1", "--items", files["items.json"], "--vectors", vectors),
            *("--links", links, "--output", scores, "--details", str(folder / "scores.npz")),
        ]
    )
    return {(row.dataset, row.metric): f"{row.value:.6f}" for row in read_scores(scores)}


@pytest.mark.parametrize("pooling", ["mean_padded", "cls"])
@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_scores_and_losses_are_those_of_the_workflow_s_commands(
    model, pooling, files, search, request, tmp_path
):
    folder = request.getfixturevalue(model)
    recipe = {**RECIPE, "pooling": pooling}
    rows = search(folder, recipe=recipe, seeds=[44, 33])
    tuning, scores = workflow_scores(files, folder, {**recipe, "epochs": 2}, 33, tmp_path)
    row = rows["1", 33]
    assert (row["temperature"], row["epochs"]) == ("0.1", "2")
    assert row["value"] == scores["pairs", "spearman"]
    assert float(row["first_loss"]) == tuning["first_loss"]
    assert float(row["last_loss"]) == tuning["last_loss"]
    assert int(row["steps"]) == tuning["steps"] == 4
    untuned = suite_scores(files, folder, recipe, tmp_path)
    assert rows["untuned", 0]["value"] == untuned["pairs", "spearman"]
    # every choice and the seed show in the scores, so that equality says something
    assert len({row["value"] for row in rows.values()}) == len(rows) == 9


def test_an_entity_linking_set_is_scored_by_accuracy_at_1(files, search, tiny_bert, tmp_path):
    rows = search(dataset="links", linking_similarity="dot")
    _, scores = workflow_scores(files, tiny_bert, {**RECIPE, "temperature": 0.5}, 33, tmp_path)
    assert rows["2", 33]["value"] == scores["links", "accuracy@1"]
    assert 0 < float(rows["2", 33]["value"]) < 1


def test_a_cell_s_score_does_not_depend_on_the_cells_before_it(search):
    """Weights, dropout rates and attention are the model's own again for each cell."""
    axes = ["dropout", "drophead", "learning_rate"]
    cells = [[0.5, 0.0, 3e-3], [None, 0.0, 3e-3], [None, 0.3, 1e-3], [0.0, 0.0, 1e30]]
    forth = search(axes=axes, cells=cells)
    back = search(axes=axes, cells=cells[::-1])

    def by_settings(rows):
        return {
            tuple(row[axis] for axis in axes): (row["value"], row["last_loss"], row["reason"])
            for row in rows.values()
        }

    assert by_settings(forth) == by_settings(back)
    assert forth["3", 33]["value"] == ""
    assert len(set(by_settings(forth).values())) == 5


def test_a_cell_without_a_score_says_why(search):
    axes, cells = ["batch_size", "learning_rate"], [[21, 1e-3], [8, 1e30], [8, 1e-3]]
    rows = search(axes=axes, cells=cells)
    assert rows["0", 33]["reason"] == "20 strings, fewer than one batch of 21"
    assert "not finite" in rows["1", 33]["reason"]
    assert [rows[cell, 33]["value"] for cell in ("0", "1")] == ["", ""]
    assert -1 < float(rows["2", 33]["value"]) < 1
    assert rows["2", 33]["reason"] == ""


def test_repeats_are_left_out_where_the_cell_says_so(files, search):
    corpus = Path(files["corpus.txt"])
    corpus.write_text(corpus.read_text() * 2)
    rows = search(axes=["deduplicate", "batch_size"], cells=[[True, 40], [False, 40], [True, 8]])
    assert rows["0", 33]["reason"] == "20 strings, fewer than one batch of 40"
    assert [rows[cell, 33]["steps"] for cell in ("1", "2")] == ["1", "2"]


def kill_after(monkeypatch, count):
    """Make the command die when it has scored `count` cells; return the cells that it began."""
    begun = []
    score_cell = cell_scores.score_cell

    def score(loaded, cell, *arguments):
        if len(begun) == count:
            raise KeyboardInterrupt
        begun.append(cell)
        return score_cell(loaded, cell, *arguments)

    monkeypatch.setattr(cell_scores, "score_cell", score)
    return begun


def test_a_killed_job_goes_on_where_it_was_to_the_same_bytes(search, monkeypatch):
    search()
    undisturbed = search.output.read_bytes()
    search.output.unlink()
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill_after(patch, 2)
        search()
    assert not search.output.exists()
    with search.progress.open("a") as stream:
        stream.write('{"cell": 2, "first_lo')  # the kill came while a line was written
    begun = kill_after(monkeypatch, 99)
    search()
    assert begun == [2, 3]
    assert search.output.read_bytes() == undisturbed
    assert sorted(path.name for path in search.output.parent.iterdir()) == [
        "slice0.json",
        "slice0.tsv",
    ]


@pytest.mark.parametrize("stale", ["corpus", "recipe", "model", "items", "code"])
def test_the_progress_of_another_search_is_not_used(
    stale, search, files, monkeypatch, tiny_roberta, tmp_path
):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill_after(patch, 2)
        search()
    changes = {}
    if stale == "corpus":
        Path(files["corpus.txt"]).write_text("\n".join(make_sentences(21)[1:]) + "\n")
    elif stale == "recipe":
        changes["recipe"] = {**RECIPE, "dropout": 0.2}
    elif stale == "model":
        changes["model"] = tiny_roberta
    elif stale == "items":
        gold = DATASETS["pairs"]["gold"][::-1]
        datasets = {"pairs": {**DATASETS["pairs"], "gold": gold}}
        Path(files["items.json"]).write_text(json.dumps({"datasets": datasets}))
    else:
        monkeypatch.setattr(
            "workflow_scripts.dag.sources.sources", lambda step: ["workflow_scripts/files.py"]
        )
    begun = kill_after(monkeypatch, 99)
    search(**changes)
    assert begun == [0, 1, 2, 3]


def test_the_record_says_what_was_used_and_holds_no_paths(search, files, tiny_bert, tmp_path):
    search()
    text = search.output.with_suffix(".json").read_text()
    record = json.loads(text)
    assert record["model"]["weights_sha256"] == sha256_of(tiny_bert / "model.safetensors")
    assert record["corpus"]["sha256"] == sha256_of(files["corpus.txt"])
    assert record["corpus"]["strings"] == 20
    assert record["dataset"]["items"] == 20
    assert set(record["versions"]) == {"torch", "transformers", "tokenizers"}
    assert str(tmp_path) not in text


def test_only_the_first_slice_scores_the_untuned_model(search):
    rows = search(first_cell=4, cells=[[0.1, 1]])
    assert list(rows) == [("4", 33)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": "pars"}, "no data set pars; did you mean 'pairs'"),
        ({"cells": []}, "needs a cell"),
        ({"bach": 1}, "--block: not the block of a slice"),
        ({"axes": ["epoch", "temperature"]}, r"recipes\.own\.epoch: unknown key"),
        ({"recipe": {**RECIPE, "max_length": 99}}, "99 is more than the 66 positions"),
        ({"recipe": {**RECIPE, "embed_max_length": 98}}, "98 is more than the 66 positions"),
        ({"recipe": {**RECIPE, "pooling": "pooler"}}, "hold no pooler"),
        (
            {"recipe": {"method": "none", "pooling": "cls", "embed_max_length": 9}, "axes": []},
            "'none' tunes nothing",
        ),
    ],
)
def test_mistakes_are_named_before_the_first_cell_and_leave_nothing(search, changes, message):
    with pytest.raises(UserError, match=message):
        search(**changes)
    assert not search.output.parent.exists()
