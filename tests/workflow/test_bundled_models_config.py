"""config/bundled_models.yaml: a config of its own that must not drift from the default."""

from pathlib import Path

import pytest

from workflow_scripts.configuration.layers import Layers
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


def cells_of(plan):
    for table, block in plan.typed.tables.items():
        if block.kind == "scores":
            for row in plan.outputs.resolved("tables", table)["rows"]:
                yield from row["cells"].values()


def test_without_any_data_but_the_corpora_every_cell_says_what_is_missing(config):
    plan = Plan(Layers(config, {}))
    reasons = [cell.get("not_run", "") for cell in cells_of(plan)]
    ran = {part["dataset"] for cell in cells_of(plan) for part in cell.get("parts", [])}
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
    absent = [
        {model for group in one["absent_models"] for model in group["models"]}
        for one in (config, default_config)
    ]
    shown = {True: set(), False: set()}
    for name, one in default_config["tables"].items():
        models = (row.get("model") for row in one.get("rows", []))
        shown[name in tables].update(model for model in models if isinstance(model, str))
    assert absent[0] == {*absent[1], "fasttext-en"} - (shown[False] - shown[True])
    folders = [block["path"] for block in config["models"].values() if "path" in block]
    assert len(folders) == 4
    assert all((Path(folder) / "model.safetensors").is_file() for folder in folders)


def test_settings_chosen_on_real_development_sets_are_those_of_the_default(config, default_config):
    """The rate for names is the default's own: docs/bundled-models.md says why."""
    for recipe in ("mirror-word", "mirror-word-lr-5e-5", "mirror-sentence", "mirror-sentence-cls"):
        assert config["recipes"][recipe] == default_config["recipes"][recipe]
