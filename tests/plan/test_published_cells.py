"""Every value that a paper prints has a cell in config/papers/<paper>.yaml."""

import copy
import json
from pathlib import Path

import pytest
from plans import plan_of

from tools.rehearsal import never_released
from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.plan.raw_data import RawData
from workflow_scripts.tables.kinds.grid import HYPER_PARAMETERS


def published_cells(project, paper="mirror-bert"):
    """Return (table, row, column) of all lines of config/reference, read apart from the project."""
    cells = []
    for file in sorted((project / "config" / "reference" / paper).glob("*.tsv")):
        header, *lines = file.read_text(encoding="utf-8").splitlines()
        assert header == "table\trow\tcolumn\tvalue"
        cells += [tuple(line.split("\t")[:3]) for line in lines]
        assert {line.split("\t")[0] for line in lines} == {file.stem}
    return cells


@pytest.fixture(autouse=True)
def all_there(project, monkeypatch):
    """All data are as if there, and models could be fetched."""
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.chdir(project)
    monkeypatch.setattr(RawData, "missing", lambda self, files: [])


def shown_cells(config, paper="mirror-bert"):
    """Return {(reference, row, column): cell} of a paper's tables of scores and figures with rows.

    A row's difference to another, printed by the paper as `change`, is a cell of its own.
    """
    outputs, cells = plan_of(copy.deepcopy(config)).outputs, {}
    for table, block in config["tables"].items():
        if block.get("kind", "scores") != "scores" or block.get("paper") != paper:
            continue
        resolved = outputs.resolved("tables", table)
        reference = resolved["reference"] and Path(resolved["reference"]).stem
        for row in resolved["rows"]:
            # a row of what was never released has no cells
            whole = {"not_run": row.get("not_run")}
            ids = [column["id"] for column in resolved["columns"]]
            found = {one: row["cells"][one] if "cells" in row else whole for one in ids}
            if resolved["average"]:
                found["avg"] = {"mean of": list(found.values())}
            if resolved["change_of"] and "against" in row:
                found["change"] = found[resolved["change_of"]]
            cells |= {(reference, row["id"], column): cell for column, cell in found.items()}
    for figure, block in config["figures"].items():
        if block.get("paper") != paper:
            continue
        resolved = outputs.resolved("figures", figure)
        if block["kind"] == "roc":
            reference = resolved["reference"] and Path(resolved["reference"]).stem
            cells |= {(reference, row["id"], "auc"): row for row in resolved["curves"]}
    return cells


def reasons_not_run(cell):
    return [one["not_run"] for one in cell.get("mean of", [cell]) if "not_run" in one]


@pytest.fixture(params=["default_config", "paper_config"])
def config(request):
    """The default config, and the paper's own models and corpora."""
    return request.getfixturevalue(request.param)


def test_every_published_value_has_a_cell_in_the_table_of_its_name(config, project):
    shown = shown_cells(config)
    published = published_cells(project)
    assert len(published) > 500
    grid = [cell for cell in published if cell[0] == "table21"]
    assert {row for _, row, _ in grid} == set(HYPER_PARAMETERS)
    assert config["tables"]["table21"]["kind"] == "grid"
    assert config["tables"]["table21"]["reference"] == "table21"
    assert [cell for cell in published if cell not in shown and cell not in grid] == []
    # a reference stands with the table or figure of the same name only
    blocks = {**config["tables"], **config["figures"]}
    blocks = {name: block for name, block in blocks.items() if block.get("paper") == "mirror-bert"}
    named = {name: block["reference"] for name, block in blocks.items() if "reference" in block}
    assert named == {table: table for table, _, _ in published}


def test_with_the_paper_s_config_every_published_value_is_measured(paper_config, project):
    shown = shown_cells(paper_config)
    measured = [cell for cell in published_cells(project) if cell[0] != "table21"]
    assert [cell for cell in measured if reasons_not_run(shown[cell])] == []


def test_the_default_leaves_out_only_models_that_do_not_ship(default_config):
    shown = shown_cells(default_config)
    reasons = {reason for cell in shown.values() for reason in reasons_not_run(cell)}
    reasons |= {
        reason
        for cell in shown_cells(default_config, "cmlm").values()
        for reason in reasons_not_run(cell)
    }
    # what no config has
    never = {
        "the encoder was never released",
        default_config["datasets"]["xeval-mr-de"]["absent"],
    }
    assert reasons == {block["reason"] for block in default_config["absent_models"]} | never


def test_every_published_value_of_cmlm_has_a_cell(paper_config, default_config, project):
    published, shown = published_cells(project, "cmlm"), shown_cells(paper_config, "cmlm")
    assert len(published) == 965 and {cell[0] for cell in published} <= {cell[0] for cell in shown}
    assert [cell for cell in published if cell not in shown] == []
    named = {
        block.get("reference")
        for block in paper_config["tables"].values()
        if block.get("paper") == "cmlm"
    }
    # those of open sets have no published values
    assert named - {None} == {table for table, _, _ in published}
    # of the default config the languages that the sample data has
    few = shown_cells(default_config, "cmlm")
    lacking = {column for table, row, column in published if (table, row, column) not in few}
    assert "avg" not in lacking and not lacking & {"es", "fr", "ru", "sts12", "sickr"}


def test_without_the_text_of_cmlm_its_own_rows_say_so_and_those_of_others_run(paper_config):
    shown = shown_cells(paper_config, "cmlm")
    run = {cell[:2] for cell, found in shown.items() if not reasons_not_run(found)}
    # of XEVAL there are no files, whatever the row; of open sets and reviews all
    assert not {table for table, _ in run} & {"table03", "table04"}
    assert {row for table, row in run if table is None} == {"mbert"}
    assert {row for table, row in run if table == "table06"} == {"mbert", "xlm-r", "mbert-trained"}
    models = ("bert-base", "bert-large", "roberta-large", "sbert-base", "sbert-large")
    rows = {
        "table01": {*models, "xlnet"},
        "table02": {"glove", "bert-mean", "bert-cls", "mirror"},
        "table05": {"mbert", "xlm-r", "labse"},
        "table08": {"mbert", "mbert-pcr"},
        "table09": {"bert-max", "bert-mean", "bert-cls"},
    }
    assert {cell for cell in run if cell[0] not in (None, "table06")} == {
        (table, row) for table in rows for row in rows[table]
    }
    (reason,) = set(reasons_not_run(shown["table05", "cmlm-br", "sw"]))
    assert "Common Crawl" in reason
    # BERT's rows are compared; which layer of mBERT is the paper's is not known
    assert shown["table02", "bert-mean", "sts12"]["differences_from_paper"] == []
    rows = [cell for (table, row, _), cell in shown.items() if table == "table01" and row in models]
    cells = [one for cell in rows for one in cell.get("mean of", [cell])]
    assert len(cells) == 90 and all(cell["differences_from_paper"] == [] for cell in cells)
    for cell in (shown["table01", "xlnet", "mr"], shown["table02", "glove", "sts12"]):
        assert cell["differences_from_paper"] == []
        assert "is not stated" in cell["assumptions"][0]
    assert shown["table08", "mbert", "fr"]["differences_from_paper"] == []
    (why,) = shown["table08", "mbert", "fr"]["assumptions"]
    assert why.startswith("recipe base-mp-128: which layer")


def test_recipes_of_the_default_fit_its_models(default_config, project):
    plan, seen = plan_of(copy.deepcopy(default_config)), set()
    for wanted in plan.cells.run:
        for encoder in wanted.encoders[0]:
            path = plan.typed.models[encoder.model].path
            if path is not None and (encoder.model, encoder.recipe) not in seen:
                seen.add((encoder.model, encoder.recipe))
                model = json.loads((project / path / "config.json").read_text())
                recipe = plan.typed.recipes[encoder.recipe]
                assert recipe.embed_max_length <= model["max_position_embeddings"], encoder
                assert (getattr(recipe, "layer", None) or 1) <= model["num_hidden_layers"], encoder
    assert ("bert-multi", "xtreme") in seen


@pytest.mark.parametrize("paper", ["mirror-bert", "cmlm"])
def test_with_a_paper_s_models_and_data_all_that_it_prints_is_compared(paper, project):
    """But where the data are known to be others; what was never released is as if it had been."""
    path = project / "config" / "paper.yaml"
    block = never_released(path)
    # shorter ones
    del block["recipes"]
    for section in ("models", "corpora"):
        block[section] = {name: one | {"paper": paper} for name, one in block[section].items()}
    shown = shown_cells(read_layers([path], block).config, paper)
    cells = [shown[cell] for cell in published_cells(project, paper) if cell in shown]
    cells = [one for cell in cells for one in cell.get("mean of", [cell])]
    said = [
        tuple(cell["differences_from_paper"]) for cell in cells if "differences_from_paper" in cell
    ]
    assert len(said) > 400
    others = ("the release of CTD", "the paper's translations were never published")
    assert {one for one in said if one and not any(why in one[0] for why in others)} == set()


def test_classifiers_by_another_protocol_are_not_compared(paper_config):
    config = copy.deepcopy(paper_config)
    config["classification"] = {"protocol": "prototyping"}
    shown = shown_cells(config, "cmlm")
    (why,) = shown["table01", "bert-base", "trec"]["differences_from_paper"]
    assert why == "classification: protocol prototyping, in the paper notebook"
    # SICK's layer is trained in one way
    assert shown["table01", "bert-base", "sickr"]["differences_from_paper"] == []


def test_tables_of_several_runs_have_seeds_of_their_own(paper_config, default_config):
    for config, seeds in ((paper_config, 5), (default_config, 1)):
        config = copy.deepcopy(config)
        config["corpora"]["text-en"] = copy.deepcopy(default_config["corpora"]["text-en"])
        shown = shown_cells(config, "cmlm")
        for table, column in (("table01", "mr"), ("table11", "mr"), ("table11", "mr-sd")):
            (part,) = shown[table, "cmlm-base", column]["parts"]
            assert len(set(part["scores"])) == seeds
        # untuned, there is one
        (part,) = shown["table01", "bert-base", "mr"]["parts"]
        assert len(part["scores"]) == 1
        (part,) = shown["table07", "n1", "mr"]["parts"]
        assert len(part["scores"]) == len(config["seeds"])
