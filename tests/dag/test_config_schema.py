import copy
import re

import jsonschema
import pytest

from workflow_scripts.dag.config_schema import load_schema
from workflow_scripts.dag.plan import Plan
from workflow_scripts.errors import UserError


@pytest.fixture
def config(embedded_config, project, monkeypatch):
    monkeypatch.chdir(project)
    return copy.deepcopy(embedded_config)


def set_key(config, path, value):
    *parents, last = path.split("/")
    for key in parents:
        config = config[int(key) if key.isdigit() else key]
    config[int(last) if last.isdigit() else last] = value


def test_the_schema_is_a_valid_and_closed_schema():
    schema = load_schema()
    jsonschema.Draft202012Validator.check_schema(schema)

    def closed(node, path):
        if isinstance(node, dict):
            if "properties" in node and "additionalProperties" in node:
                assert node["additionalProperties"] is False, path
            for key, inner in node.items():
                closed(inner, f"{path}/{key}")

    closed(schema, "")


def test_every_key_of_the_schema_is_documented(project):
    text = (project / "docs" / "config.md").read_text()

    def keys(node):
        if isinstance(node, dict):
            for key, inner in node.items():
                if key == "properties":
                    yield from inner
                yield from keys(inner)

    missing = {key for key in keys(load_schema()) if not re.search(rf"[`.]{key}[`.\[]", text)}
    assert not missing


def test_the_embedded_default_is_valid(config):
    plan = Plan(config)
    assert plan.tables == ["table01", "table02", "table03", "table06"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tabels", {}, "unknown key `tabels`; did you mean 'tables'?"),
        ("data/rooot", "x", "unknown key `data.rooot`; did you mean 'root'?"),
        (
            "models/bert-en-mini/pth",
            "x",
            "unknown key `models.bert-en-mini.pth`; did you mean 'path'",
        ),
        ("recipes/mirror-word/temprature", 0.1, "temprature.*did you mean 'temperature'"),
        ("corpora/words-en/sise", 5, "sise.*did you mean 'size'"),
        ("datasets/sts12/langauge", "en", "langauge.*did you mean 'language'"),
        ("tables/table01/rows/1/recpie", "x", "recpie.*did you mean 'recipe'"),
        ("data/missing", "ignore", "`data.missing` is 'ignore'; use one of: error, skip"),
        ("seeds", [], "seeds"),
        ("recipes/mirror-word/learning_rate", "3e-4", "write 3.0e-4"),
        ("recipes/mirror-word/dropout", 1.5, "recipes.mirror-word.dropout"),
        ("recipes/mirror-word/dropout", {"atention": 0.1}, "atention.*did you mean 'attention'"),
        (
            "recipes/mirror-word/development",
            {"suite": "words-dev", "dataset": "simlex999"},
            "recipes.mirror-word.development.every: missing",
        ),
        (
            "recipes/mirror-word/development",
            {"suite": "words-dev", "dataset": "simlex", "every": 5},
            "`recipes.mirror-word.development.dataset` is `simlex`.*did you mean 'simlex999'",
        ),
        (
            "recipes/mirror-word/development",
            {"suite": "sts-dev", "dataset": "simlex999", "every": 5},
            "`suites.sts-dev` lacks dataset `simlex999`",
        ),
        (
            "recipes/mirror-word/development",
            {"suite": "words-fr", "dataset": "bli-en-fr", "every": 5},
            "of task lexicon; a development set is one of task similarity or entity-linking",
        ),
        ("recipes/mirror-word/temperature", 0, "recipes.mirror-word.temperature"),
        ("threads/tuning", "two", "`threads.tuning` is 'two'; it must be of type integer"),
        ("tables/table01/rows/2/recipe", "base-mpp", "`base-mpp`, which is not in `recipes`"),
        ("tables/table01/rows/4/model", "bert-multi", "did you mean 'bert-multi-mini'"),
        ("tables/table01/columns/0/dataset", "multisimlex-eng", "did you mean 'multisimlex-en'"),
        ("tables/table02/rows/2/corpus", "nams", "`nams`, .* did you mean 'names'"),
        ("tables/table01/rows/1/corpus", "words-en", "does not tune; remove the key"),
        ("models/bert-en-mini/path", "no/such/folder", "no/such/folder has no config.json"),
        ("models/Bert", {"path": "x"}, "ids: small letters and digits"),
        ("models/a--b", {"path": "x"}, "ids: small letters and digits"),
        ("data/root", "no/such/root", "no such file"),
        ("tuning_grid/axis", {}, "unknown key `tuning_grid.axis`; did you mean 'axes'"),
        ("tuning_grid/searches/words-bert/modle", "x", "modle.*did you mean 'model'"),
        ("tuning_grid/searches/words-bert/axes", {"epochs": 1}, "it must be of type array"),
        ("tuning_grid/cells_per_job", 0, "tuning_grid.cells_per_job"),
        ("tuning_grid/searches/Words", {}, "ids: small letters and digits"),
    ],
)
def test_a_mistake_is_one_error_that_names_the_key_and_the_remedy(config, path, value, message):
    set_key(config, path, value)
    with pytest.raises(UserError, match=message) as caught:
        Plan(config)
    assert "\n" not in str(caught.value)


def test_a_missing_data_set_can_leave_out_its_own_cells_only(config, tmp_path, sampler):
    root = tmp_path / "root"
    root.mkdir()
    for folder in sampler.iterdir():
        if folder.name != "cometa":
            (root / folder.name).symlink_to(folder)
    config["data"]["root"] = str(root)
    with pytest.raises(UserError, match=r"cometa.*missing: skip"):
        Plan(config)
    config["data"]["missing"] = "skip"
    plan = Plan(config)
    rows = {row["id"]: row for row in plan.table_block("table02")["rows"]}
    cells = rows["bert-mp"]["cells"]
    assert "cometa" in cells["cometa@1"]["not_run"]
    assert "scores" in cells["askapatient@1"]
    assert "cometa" not in plan.suite_datasets("bel")


def test_cells_resolve_to_one_score_file_a_seed(config):
    plan = Plan(config)
    rows = {row["id"]: row for row in plan.table_block("table01")["rows"]}
    base = "results/scores/bert-multi-mini"
    # the row's own suite: one untuned model is one encoder for all languages
    for language in ("en", "fr"):
        assert rows["mbert-mp"]["cells"][language]["scores"] == [
            f"{base}/base-mp/none/seed0/multisimlex.tsv"
        ]
    assert rows["mbert-mirror"]["cells"]["fr"]["scores"] == [
        f"{base}/mirror-word/words-fr/seed{seed}/words-fr.tsv" for seed in config["seeds"]
    ]
    assert "no model for this language" in rows["bert-mirror"]["cells"]["fr"]["not_run"]
    pairs = {row["id"]: row for row in plan.table_block("table06")["rows"]}
    assert pairs["bert-mirror"]["cells"]["en-fr"]["scores"][0] == (
        "results/scores/bert-multi-mini--bert-multi-mini/mirror-word/words-en--words-fr/"
        "seed33/bli-en-fr.tsv"
    )


def test_only_rows_whose_models_and_data_are_the_paper_s_are_compared(config):
    assert not any(row["comparable"] for row in Plan(config).table_block("table03")["rows"])
    config["data"]["paper"] = True
    assert not any(row["comparable"] for row in Plan(config).table_block("table03")["rows"])
    config["models"]["bert-en-mini"]["paper"] = True
    rows = {row["id"]: row["comparable"] for row in Plan(config).table_block("table03")["rows"]}
    assert rows["bert-mp"]
    assert not rows["roberta-mp"]
    assert not rows["sbert"]


@pytest.mark.parametrize("config_text", ["tables: [", "just text"])
def test_a_config_that_is_no_yaml_mapping_stops_without_traceback(config_text, tmp_path, project):
    import subprocess
    import sys

    bad = tmp_path / "bad.yaml"
    bad.write_text(config_text)
    result = subprocess.run(
        [sys.executable, "-m", "snakemake", "-n", "--configfile", str(bad)],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert result.returncode != 0
    assert "Traceback" not in result.stdout + result.stderr
