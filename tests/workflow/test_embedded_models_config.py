"""config/embedded_models.yaml: a config of its own that must not drift from the default."""

import pytest
import yaml
from snakemake.utils import update_config

from workflow_scripts.dag.plan import Plan


@pytest.fixture
def merged(project):
    """The config as the Snakefile merges it."""
    config = {}
    for name in ("datasets", "recipes", "pretraining", "tuning_grid", "embedded_models"):
        content = yaml.safe_load((project / f"config/{name}.yaml").read_text(encoding="utf-8"))
        update_config(config, content)
    return config


def test_the_config_is_sound_without_any_data_but_the_corpora(
    merged, project, tmp_path, monkeypatch
):
    monkeypatch.chdir(project)
    for corpus in merged["corpora"].values():
        path = tmp_path / corpus["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    merged["data"]["root"] = str(tmp_path)
    plan = Plan(merged)
    assert sorted(plan.tables) == [
        "embedded-linking",
        "embedded-multilingual",
        "embedded-sentences",
        "embedded-words",
    ]


def test_its_models_are_those_of_the_default(project):
    own, default = (
        yaml.safe_load((project / f"config/{name}.yaml").read_text(encoding="utf-8"))
        for name in ("embedded_models", "config")
    )
    assert own["models"] == default["models"]
    assert own["recipes"]["mirror-word"] == default["recipes"]["mirror-word"]
