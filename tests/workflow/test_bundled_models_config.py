"""Configs of the bundled models on real files: they say what is missing, and do not drift."""

from pathlib import Path

import pytest

from workflow_scripts.configuration.layers import Layers, read_layers
from workflow_scripts.plan.plan import Plan


@pytest.fixture
def config(scores_config, project, tmp_path, monkeypatch):
    """The config over a data root in which only the files of its corpora are."""
    monkeypatch.chdir(project)
    for block in scores_config["corpora"].values():
        if "path" in block:
            file = tmp_path / block["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
    scores_config["data"]["root"] = str(tmp_path)
    return scores_config


def cells_of(layers):
    """Return (id of its row, cell) of all cells of tables of scores."""
    plan = Plan(layers)
    return [
        (row["id"], cell)
        for table, block in plan.typed.tables.items()
        if block.kind == "scores"
        for row in plan.outputs.resolved("tables", table)["rows"]
        for cell in row.get("cells", {}).values()
    ]


def test_without_any_data_but_the_corpora_every_cell_says_what_is_missing(config):
    cells = [cell for _, cell in cells_of(Layers(config, {}))]
    reasons = [cell.get("not_run", "") for cell in cells]
    ran = {part["dataset"] for cell in cells for part in cell.get("parts", [])}
    assert ran == {"isotropy-word", "isotropy-phrase", "isotropy-sentence"}  # of the corpora
    assert any("sts12" in reason for reason in reasons)
    ends = ("is not in the data root", "with the project")
    assert all(reason.endswith(ends) for reason in reasons if reason)


def test_its_tables_figures_and_models_are_those_of_the_default(config, default_config):
    """Of Mirror-BERT; what differs is data, corpora, and that real fastText vectors do not ship."""
    papers = {name: one.get("paper") for name, one in default_config["tables"].items()}
    tables = [name for name, paper in papers.items() if paper == "mirror-bert"]
    assert list(config["tables"]) == tables
    drawn = {name: one.get("paper") for name, one in default_config["figures"].items()}
    assert list(config["figures"]) == [name for name in drawn if drawn[name] == "mirror-bert"]
    default = default_config["models"]
    assert set(config["models"]) == set(default) - {"fasttext-en", "mbert"}
    for name, block in config["models"].items():
        own = {key: block.get(key) for key in ("path", "same_as")}
        assert own == {key: default[name].get(key) for key in own}
    folders = [block["path"] for block in config["models"].values() if "path" in block]
    assert len(folders) == 4
    assert all((Path(folder) / "model.safetensors").is_file() for folder in folders)


def test_settings_chosen_on_real_development_sets_are_those_of_the_default(config, default_config):
    """The rate for names is the default's own: bundled_models/README.md says why."""
    for recipe in ("mirror-word", "mirror-word-lr-5e-5", "mirror-sentence", "mirror-sentence-cls"):
        assert config["recipes"][recipe] == default_config["recipes"][recipe]


@pytest.mark.parametrize("name", ["cmlm_models", "bundled_encoders"])
def test_without_data_cells_of_cmlm_say_what_is_missing(name, project, tmp_path, monkeypatch):
    """Files of data alone: what the shipped encoders start from is in the project."""
    monkeypatch.chdir(project)
    layers = read_layers([project / "config" / f"{name}.yaml"])
    layers.config["data"]["root"] = str(tmp_path)
    cells = cells_of(layers)
    assert len(cells) > 20 and all("not_run" in cell for _, cell in cells)
    assert any("is not in the data root" in cell["not_run"] for _, cell in cells)
    own = [cell["not_run"] for row, cell in cells if row in ("start", "mbert", "cmlm-br")]
    assert own and not [reason for reason in own if "does not ship" in reason]
