"""The two configs of CMLM with the bundled models on real files."""

import pytest

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.plan.plan import Plan


@pytest.fixture(params=["cmlm_models", "bundled_encoders"])
def cells(request, project, tmp_path, monkeypatch):
    """The cells of its tables over an empty data root, by table and row."""
    monkeypatch.chdir(project)
    layers = read_layers([project / "config" / f"{request.param}.yaml"])
    layers.config["data"]["root"] = str(tmp_path)
    plan = Plan(layers)
    return {
        (table, row["id"]): row.get("cells", {})
        for table, block in plan.typed.tables.items()
        if block.kind == "scores"
        for row in plan.outputs.resolved("tables", table)["rows"]
    }


def test_without_data_every_cell_says_what_is_missing(cells):
    reasons = {cell.get("not_run") for row in cells.values() for cell in row.values()}
    assert len(cells) > 20 and None not in reasons
    assert any("is not in the data root" in reason for reason in reasons)


def test_every_row_of_the_shipped_encoders_has_a_model_that_ships(cells):
    """Only files of data are missing in them: what they start from is in the project."""
    rows = {place: row for place, row in cells.items() if place[1] in ("start", "mbert", "cmlm-br")}
    reasons = {cell["not_run"] for row in rows.values() for cell in row.values()}
    assert rows and not {reason for reason in reasons if "does not ship" in reason}
