"""Every value that the paper prints has a cell in config/papers/mirror-bert.yaml."""

import copy
from pathlib import Path

import pytest
from plans import plan_of

from workflow_scripts.dag.raw_data import RawData
from workflow_scripts.tables.grid_values import HYPER_PARAMETERS


def published_cells(project):
    """Return (table, row, column) of all lines of config/reference, read apart from the project."""
    cells = []
    for file in sorted((project / "config" / "reference" / "mirror-bert").glob("*.tsv")):
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


def shown_cells(config):
    """Return {(table, row, column): cell} of tables of scores and of figures with rows.

    A row's difference to another, printed by the paper as `change`, is a cell of its own.
    """
    outputs, cells = plan_of(copy.deepcopy(config)).outputs, {}
    for table, block in config["tables"].items():
        if block.get("kind", "scores") != "scores":
            continue
        resolved = outputs.resolved("tables", table)
        reference = resolved["reference"] and Path(resolved["reference"]).stem
        for row in resolved["rows"]:
            found = {column["id"]: row["cells"][column["id"]] for column in resolved["columns"]}
            if resolved["average"]:
                found["avg"] = {"mean of": list(found.values())}
            if resolved["change_of"] and "against" in row:
                found["change"] = found[resolved["change_of"]]
            cells |= {(reference, row["id"], column): cell for column, cell in found.items()}
    for figure, block in config["figures"].items():
        resolved = outputs.resolved("figures", figure)
        if block["kind"] == "roc":
            reference = resolved["reference"] and Path(resolved["reference"]).stem
            cells |= {(reference, row["id"], "auc"): row for row in resolved["curves"]}
    return cells


def reasons_not_run(cell):
    return [one["not_run"] for one in cell.get("mean of", [cell]) if "not_run" in one]


@pytest.fixture(params=["embedded_config", "paper_config"])
def config(request):
    """The embedded default, and the paper's own models and corpora."""
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
    named = {name: block["reference"] for name, block in blocks.items() if "reference" in block}
    assert named == {table: table for table, _, _ in published}


def test_with_the_paper_s_config_every_published_value_is_measured(paper_config, project):
    shown = shown_cells(paper_config)
    measured = [cell for cell in published_cells(project) if cell[0] != "table21"]
    assert [cell for cell in measured if reasons_not_run(shown[cell])] == []


def test_the_default_leaves_out_only_models_that_do_not_ship(embedded_config):
    shown = shown_cells(embedded_config)
    reasons = {reason for cell in shown.values() for reason in reasons_not_run(cell)}
    assert reasons == {block["reason"] for block in embedded_config["absent_models"]}
