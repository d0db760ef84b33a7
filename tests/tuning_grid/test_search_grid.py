"""The command that tunes and scores the cells of a slice."""

import json
import shutil
from pathlib import Path

import pytest
import tiny_models
from command_words import as_argv
from tiny_sets import DATASETS

from workflow_scripts.embedding import embed_suite
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, sha256_of
from workflow_scripts.retrieval import link_entities
from workflow_scripts.scoring import score_suite
from workflow_scripts.scoring.tasks.register import task
from workflow_scripts.scoring.tidy_scores import read_scores
from workflow_scripts.tuning import tune_encoder
from workflow_scripts.tuning_grid import search_grid

RECIPE = {**tiny_models.RECIPE, "learning_rate": 3e-3}
BLOCK = {
    **{"recipe_name": "own", "recipe": RECIPE, "dataset": "pairs", "linking_similarity": None},
    **{"seeds": [33], "axes": ["temperature", "epochs"], "first_cell": 0},
    "cells": [[0.1, 1], [0.1, 2], [0.5, 1], [0.5, 2]],
}


@pytest.fixture
def search(files, tiny_bert, tmp_path):
    """Return a function that runs the command and returns its rows, {(cell, seed): row}."""
    output = tmp_path / "grid" / "slice0.json"

    def run(model=tiny_bert, items="pairs.json", **changes):
        block = json.dumps({**BLOCK, **changes})
        inputs = {"corpus": "corpus.txt", "strings": "strings.txt", "items": items}
        paths = {name: files[file] for name, file in inputs.items()}
        search_grid.main(as_argv({"model": model, "block": block, "output": output, **paths}))
        return {(row["cell"], row["seed"]): row for row in read_json(output)["scores"]}

    run.output = output
    run.progress = output.with_suffix(".progress.jsonl")
    return run


def workflow_scores(files, model, recipe, seed, folder):
    """Return losses and scores that the commands of the workflow give for one encoder."""
    encoder = folder / "encoder"
    options = {"model": model, "corpus": files["corpus.txt"], "output": encoder, "seed": seed}
    options |= {"recipe_name": "own", "recipe_json": json.dumps(recipe)}
    tune_encoder.main(as_argv(options))
    tuning = json.loads((encoder / "encoder.json").read_text())["tuning"]
    return tuning, suite_scores(files, encoder, recipe, folder)


def suite_scores(files, encoder, recipe, folder):
    vectors, links, scores = (folder / name for name in ("v.npy", "links.tsv", "scores.tsv"))
    strings = ["--datasets", *DATASETS, "--strings", *[files["strings.txt"]] * len(DATASETS)]
    settings = {"pooling": recipe["pooling"], "max_length": recipe["embed_max_length"]}
    made = {"model": encoder, "settings": json.dumps(settings)}
    made |= {"output": vectors, "record": folder / "v.json"}
    embed_suite.main(as_argv(made, *strings))
    inputs = {"items": [files[f"{name}.json"] for name in DATASETS], "vectors": vectors}
    link_entities.main(as_argv(inputs | {"output": links}))
    metrics = {
        name: [task(json.loads(Path(files[f"{name}.json"]).read_text())["task"]).PRIMARY]
        for name in DATASETS
    }
    others = {"encoder": "m/own/c/seed1", "links": links, "details": folder / "scores.npz"}
    others |= {"metrics": json.dumps(metrics), "output": scores}
    score_suite.main(as_argv(inputs | others))
    return {(row.dataset, row.metric): row.value for row in read_scores(scores)}


@pytest.mark.parametrize("pooling", ["mean_padded", "cls"])
@pytest.mark.parametrize("model", ["tiny_bert", "tiny_roberta"])
def test_scores_and_losses_are_of_the_commands(model, pooling, files, search, request, tmp_path):
    folder = request.getfixturevalue(model)
    recipe = {**RECIPE, "pooling": pooling}
    rows = search(folder, recipe=recipe, seeds=[44, 33])
    tuning, scores = workflow_scores(files, folder, {**recipe, "epochs": 2}, 33, tmp_path)
    row = rows[1, 33]
    assert row["value"] == scores["pairs", "spearman"]
    assert [row[key] == tuning[key] for key in ("first_loss", "last_loss", "steps")] == [True] * 3
    assert row["steps"] == 4
    untuned = suite_scores(files, folder, recipe, tmp_path)
    assert rows[None, 0]["value"] == untuned["pairs", "spearman"]
    # every choice and the seed show in the scores, so that equality says something
    assert len({row["value"] for row in rows.values()}) == len(rows) == 9


def test_an_entity_linking_set_is_scored_by_accuracy_at_1(files, search, tiny_bert, tmp_path):
    rows = search(items="links.json", dataset="links", linking_similarity="dot")
    _, scores = workflow_scores(files, tiny_bert, {**RECIPE, "temperature": 0.5}, 33, tmp_path)
    assert rows[2, 33]["value"] == scores["links", "accuracy@1"]
    assert 0 < rows[2, 33]["value"] < 1


def test_a_cell_s_score_does_not_depend_on_the_cells_before_it(search):
    """Weights, dropout rates and attention are the model's own again for each cell."""
    axes = ["dropout", "drophead", "learning_rate"]
    cells = [[0.5, 0.0, 3e-3], [None, 0.0, 3e-3], [None, 0.3, 1e-3], [0.0, 0.0, 1e30]]
    forth = search(axes=axes, cells=cells)
    back = search(axes=axes, cells=cells[::-1])

    def results(rows, numbers):
        return [(rows[n, 33]["value"], rows[n, 33]["last_loss"]) for n in numbers]

    assert results(forth, range(4)) == results(back, (3, 2, 1, 0))
    assert forth[3, 33]["value"] is None and "not finite" in forth[3, 33]["reason"]
    assert len(set(results(forth, range(4)))) == 4


def test_a_cell_without_a_score_says_why_and_repeats_are_left_out_where_it_says_so(files, search):
    corpus = Path(files["corpus.txt"])
    corpus.write_text(corpus.read_text() * 2)
    rows = search(axes=["deduplicate", "batch_size"], cells=[[True, 40], [False, 40], [True, 8]])
    assert rows[0, 33]["reason"].endswith("to 20 or less (in a command `--set batch_size=20`)")
    assert [rows[cell, 33]["value"] is None for cell in range(3)] == [True, False, False]
    assert [rows[cell, 33]["steps"] for cell in (1, 2)] == [1, 2]


def kill_after(monkeypatch, count):
    """Make the command die when it has scored `count` cells; return the cells that it began."""
    begun = []
    score_cell = search_grid.score_cell

    def score(loaded, cell, *arguments):
        if len(begun) == count:
            raise KeyboardInterrupt
        begun.append(cell)
        return score_cell(loaded, cell, *arguments)

    monkeypatch.setattr(search_grid, "score_cell", score)
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
    assert list(search.output.parent.iterdir()) == [search.output]


INPUTS = ["corpus.txt", "recipe", "model", "pairs.json", "code", "config.json", "tokenizer.json"]


@pytest.mark.parametrize("stale", INPUTS)
def test_progress_of_another_search_is_not_used(
    stale, search, files, monkeypatch, tiny_bert, tiny_roberta, tmp_path
):
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        kill_after(patch, 2)
        search()
    changes = {"recipe": {**RECIPE, "dropout": 0.2}, "model": tiny_roberta}
    changes = {stale: changes[stale]} if stale in changes else {}
    if (tiny_bert / stale).is_file():
        # of the same name and weights
        changes["model"] = shutil.copytree(tiny_bert, tmp_path / tiny_bert.name)
        tiny_models.edit_model(changes["model"], stale)
    elif stale in files:
        file = Path(files[stale])
        file.write_text(file.read_text().replace("4.75", "0.1").replace("cat", "cats"))
    elif stale == "code":
        files_py = ["workflow_scripts/files.py"]
        monkeypatch.setattr("workflow_scripts.sources.sources_in_project", lambda *step: files_py)
    begun = kill_after(monkeypatch, 99)
    search(**changes)
    assert begun == [0, 1, 2, 3]


def test_the_record_says_what_was_used_and_holds_no_paths(search, files, tiny_bert, tmp_path):
    # a slice but the first does not score the untuned model
    assert list(search(first_cell=4, cells=[[0.1, 1]])) == [(4, 33)]
    record = read_json(search.output)["record"]
    assert record["model"]["weights_sha256"] == sha256_of(tiny_bert / "model.safetensors")
    assert record["corpus"]["sha256"] == sha256_of(files["corpus.txt"])
    assert record["corpus"]["strings"] == record["dataset"]["items"] == 20
    assert set(record["versions"]) == {"torch", "transformers", "tokenizers"}
    assert str(tmp_path) not in search.output.read_text()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dataset": "pars"}, r"pairs\.json: is of data set pairs, not pars; give"),
        ({"recipe": {**RECIPE, "max_length": 99}}, "99: more than the 66 positions"),
        ({"recipe": {**RECIPE, "embed_max_length": 98}}, "98: more than the 66 positions"),
        ({"recipe": {**RECIPE, "pooling": "pooler"}}, "hold no pooler"),
    ],
)
def test_mistakes_are_named_before_the_first_cell_and_leave_nothing(search, changes, message):
    with pytest.raises(UserError, match=message):
        search(**changes)
    assert not search.output.parent.exists()
