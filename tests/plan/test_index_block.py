"""What the first page of the results gets: tables by task, headlines, encoders and recipes."""

import json

import pytest
from plans import plan_of


@pytest.fixture(scope="module")
def index(project, default_config):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        return json.loads(plan_of(default_config).outputs.block("tables", "index"))


def test_tables_and_figures_are_of_the_task_of_their_data_sets(index):
    tasks = {
        one["id"]: one["task"]
        for paper in index["papers"].values()
        for section in ("tables", "figures")
        for one in paper[section]
    }
    assert tasks["table01"] == tasks["table03"] == "Similarity"
    assert (tasks["table02"], tasks["table06"]) == ("Entity linking", "Lexicon")
    # classes, and the relatedness of SICK-R
    assert tasks["cmlm-table01"] == "Several tasks"
    assert (tasks["running-time"], tasks["figure04"]) == (
        "Models, settings, times",
        "Pair classification",
    )


def test_papers_have_the_headlines_that_their_tables_name(index):
    assert index["order"][:2] == ["mirror-bert", "cmlm"]
    headlines = index["overview"]["mirror-bert"]
    assert {one["table"] for one in headlines} == {f"table0{number}" for number in range(1, 7)}
    first = next(one for one in headlines if one["table"] == "table01")
    assert first["column"] == "avg"
    assert [row["against"] for row in first["rows"]] == ["bert-mp", "mbert-mp"]


def test_every_encoder_has_its_recipe_and_model(index):
    parts = [encoder.split("/") for encoder in index["encoders"]]
    trained = {encoder.split("/")[1] for encoder in index["trained"]}
    assert {recipe for _, recipe, _, _ in parts} <= {*index["recipes"], *trained}
    assert {model for model, _, _, _ in parts} == set(index["models"])
    assert index["recipes"]["mirror-word"]["temperature"] == 0.07


def test_the_report_gets_no_braces_and_no_marks(project, default_config, monkeypatch):
    monkeypatch.chdir(project)
    config = json.loads(json.dumps(default_config))
    config["tables"]["table01"]["title"] = "Of {language}"
    config["figures"]["figure05"]["caption"] = "A *b* _c_ `d`: .. raw:: html"
    outputs = plan_of(config).outputs
    assert outputs.label("tables", "table01", "title") == "Of (language)"
    assert outputs.label("tables", "table01", "paper") == "Mirror-BERT (Liu et al. 2021)"
    assert outputs.label("tables", "table01", "task") == "Similarity"
    assert outputs.caption("figure05") == r"A \*b\* \_c\_ \`d\`\: \.\. raw\:\: html"
