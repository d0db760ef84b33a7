"""config/embedded_models.yaml: a config of its own that must not drift from the default."""

from workflow_scripts.dag.plan import Plan


def test_the_config_is_sound_without_any_data_but_the_corpora(
    scores_config, project, tmp_path, monkeypatch
):
    monkeypatch.chdir(project)
    for corpus in scores_config["corpora"].values():
        path = tmp_path / corpus["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    scores_config["data"]["root"] = str(tmp_path)
    plan = Plan(scores_config)
    assert sorted(plan.tables) == [
        "embedded-linking",
        "embedded-multilingual",
        "embedded-sentences",
        "embedded-words",
    ]


def test_its_models_are_those_of_the_default(scores_config, embedded_config):
    assert scores_config["models"] == embedded_config["models"]
    words = "mirror-word"
    assert scores_config["recipes"][words] == embedded_config["recipes"][words]
