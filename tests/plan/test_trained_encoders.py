"""Encoders that were trained before a run: which rows they stand for, and what pages say of it."""

import json
import shutil

import pytest
from plans import plan_of

from workflow_scripts.configuration.layers import read_layers
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.typed import read_typed

CMLM = Encoder("bert-en", "cmlm", "text-en", 33)
AFTER = Encoder("bert-en", "cmlm-mirror", "sentences-en", 33)
COLUMNS = [{"id": "sts12", "label": "STS12", "dataset": "sts12"}]
TEXT = {"kind": "text", "language": "en", "size": "all"}
TEXT["texts"] = [{"reader": "blank-line-documents", "files": ["running-text/en.txt"]}]


def row(encoder, **more):
    ids = {"model": encoder.model, "recipe": encoder.recipe, "corpus": encoder.corpus}
    return {"id": encoder.recipe, "label": encoder.recipe.upper(), **ids, **more}


@pytest.fixture
def config(small_config, default_config):
    """CMLM and Mirror after it in a table of CMLM; the encoder that ships stands for the first."""
    shipped = {"cmlm", "cmlm-max", "cmlm-mirror", "mlm"}
    for name in shipped:
        small_config["recipes"][name] = default_config["recipes"][name]
    small_config["corpora"]["text-en"] = TEXT
    rows = [row(CMLM), row(AFTER, against="cmlm")]
    table = {"title": "Table", "rows": rows, "columns": COLUMNS, "paper": "cmlm"}
    small_config["tables"] = {"table": table}
    small_config["papers"] = {"cmlm": {"title": "CMLM"}}
    entry = {"model": "bert-en", "recipe": "cmlm", "corpus": "text-en"}
    small_config["trained_encoders"] = [{**entry, "path": "resources/models/cmlm-en-mini"}]
    return small_config


def test_an_encoder_trained_before_is_read_and_not_tuned(config):
    plan = plan_of(config)
    jobs = plan.outputs._index()["jobs"]
    assert [job for job in jobs if job.startswith("tune_encoder")] == [f"tune_encoder/{AFTER}"]
    # of its corpus nothing is sampled
    assert [job for job in jobs if job.startswith("sample")] == ["sample_corpus/sentences-en"]
    assert f"embed_suite/{CMLM}/similarity" in jobs
    assert plan.rule_inputs.location(CMLM) == "resources/models/cmlm-en-mini"
    assert "resources/models/cmlm-en-mini/model.safetensors" in plan.rule_inputs.files(CMLM)


def test_a_training_that_starts_from_it_starts_from_its_folder(config):
    plan = plan_of(config)
    assert plan.typed.start_of(AFTER) == CMLM
    assert plan.typed.start_of(CMLM) is None
    assert plan.typed.corpora_of(AFTER) == ["sentences-en"]
    config["trained_encoders"] = []
    plan = plan_of(config)
    assert plan.typed.corpora_of(AFTER) == ["text-en", "sentences-en"]
    assert plan.rule_inputs.location(CMLM) == f"results/encoders/{CMLM}"


def test_pages_say_what_was_trained_before_and_what_is_a_smoke_test(config):
    text = "cmlm-en-mini, cmlm of bert-en-mini, 4,000 steps, seed 33"
    plan = plan_of(config)
    block = plan.outputs.resolved("tables", "table")
    before = "Trained before this run, or on from an encoder that was: CMLM, CMLM-MIRROR"
    assert block["notes"][0] == f"{before} ({text})."
    (cell, _) = plan.cells.declared("tables", "table")
    assert f"trained before this run: {text}" in cell.block["differences_from_paper"]
    assert plan.outputs._index()["trained"] == {str(CMLM): text}
    (headline,) = plan.outputs._overview()["cmlm"]
    (shown,) = headline["rows"]
    assert (shown["trained_before"], shown["smoke_test"]) == (text, None)

    config["trained_encoders"] = []
    config["recipes"]["cmlm"]["steps"] = 24
    plan = plan_of(config)
    (shown,) = plan.outputs._overview()["cmlm"][0]["rows"]
    assert shown["smoke_test"] == "24 steps, 1,000,000 in the paper"
    note, *_ = plan.outputs.resolved("tables", "table")["notes"]
    assert note.startswith("Smoke test: CMLM, CMLM-MIRROR (24 steps, 1,000,000 in the paper).")
    labels = [shown["label"] for shown in plan.outputs.resolved("tables", "table")["rows"]]
    assert labels == ["CMLM (smoke test)", "CMLM-MIRROR (smoke test)"]
    # also in a table of no paper
    del config["tables"]["table"]["paper"]
    (shown,) = next(iter(plan_of(config).outputs._overview().values()))[0]["rows"]
    assert shown["smoke_test"] == "24 steps, 1,000,000 in the paper"
    config["tables"]["table"]["paper"] = "cmlm"
    # a hundredth of the paper's steps is not a smoke test
    config["recipes"]["cmlm"]["steps"] = 10_000
    notes = plan_of(config).outputs.resolved("tables", "table")["notes"]
    assert not any("Smoke test" in note for note in notes)


def test_the_overview_has_rows_compared_with_one_that_is_not_run(config):
    rows = config["tables"]["table"]["rows"]
    rows[0] = {"id": "cmlm", "label": "CMLM", "not_run": "no such model"}
    (shown,) = plan_of(config).outputs._overview()["cmlm"][0]["rows"]
    text = "cmlm-en-mini, cmlm of bert-en-mini, 4,000 steps, seed 33"
    assert (shown["trained_before"], shown["smoke_test"]) == (text, None)


def test_notes_name_rows_of_one_label_once_and_buckets_by_their_corpus(config, default_config):
    rows = config["tables"]["table"]["rows"]
    rows[1]["label"] = rows[0]["label"]
    figure = {**default_config["figures"]["figure08"], "paper": "cmlm", "recipe": "cmlm"}
    config["figures"]["buckets"] = figure | {"dataset": "sts12", "corpora": ["text-en"]}
    outputs = plan_of(config).outputs
    for section, name, label in (("tables", "table", "CMLM"), ("figures", "buckets", "text-en")):
        note, *_ = outputs.resolved(section, name)["notes"]
        assert f"encoder that was: {label} (cmlm-en-mini" in note


def test_a_recipe_that_is_like_the_papers_has_its_steps(config):
    config["trained_encoders"] = []
    config["recipes"]["brief"] = {"like": "cmlm", "steps": 24}
    config["tables"]["table"]["rows"][0]["recipe"] = "brief"
    notes = plan_of(config).outputs.resolved("tables", "table")["notes"]
    assert any("CMLM (24 steps, 1,000,000 in the paper)" in note for note in notes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": "bert-eng"}, "`trained_encoders.0.model` is `bert-eng`.*'bert-en'"),
        ({"recipe": "cmln"}, "`trained_encoders.0.recipe` is `cmln`.*'cmlm'"),
        ({"corpus": "text-eng"}, "`trained_encoders.0.corpus` is `text-eng`.*'text-en'"),
        (
            {"path": "resources/models/bert-en-mini"},
            "bert-en-mini, which has no encoder.json; give",
        ),
        ({"path": "no/such"}, "no/such, which has no encoder.json"),
        ({"recipe": "mlm"}, "of method cmlm, and recipe `mlm` of mlm; give an encoder of that"),
        ({"recipe": "cmlm-max"}, "of pooling mean, and recipe `cmlm-max` of max"),
    ],
)
def test_what_does_not_fit_is_one_line(config, changes, message):
    config["trained_encoders"][0] |= changes
    with pytest.raises(UserError, match=message):
        plan_of(config)


def test_rows_of_more_seeds_need_an_encoder_of_each(config, tmp_path):
    config["seeds"] = [33, 44]
    message = "has seed 33 of recipe `cmlm`, and `tables.table.rows.cmlm` needs seed 44, too; add"
    with pytest.raises(UserError, match=message):
        plan_of(config)
    folder = shutil.copytree(config["trained_encoders"][0]["path"], tmp_path / "second")
    record = read_json(folder / "encoder.json") | {"seed": 44}
    (folder / "encoder.json").write_text(json.dumps(record))
    config["trained_encoders"].append(config["trained_encoders"][0] | {"path": str(folder)})
    plan = plan_of(config)
    assert plan.rule_inputs.location(CMLM._replace(seed=44)) == str(folder)


def test_a_record_of_something_else_is_one_line(config, tmp_path):
    folder = shutil.copytree(config["trained_encoders"][0]["path"], tmp_path / "other")
    config["trained_encoders"][0]["path"] = str(folder)
    (folder / "encoder.json").write_text('{"recipe": {"method": "cmlm"}}')
    with pytest.raises(UserError, match=r"encoder.json: is no record of a tuned encoder; tune it"):
        plan_of(config)


def test_an_encoder_of_other_weights_is_one_line(config, tmp_path):
    folder = shutil.copytree("resources/models/bert-en-mini", tmp_path / "bert")
    (folder / "model.safetensors").write_bytes(b"others")
    config["models"]["bert-en"] = {"path": str(folder)}
    with pytest.raises(UserError, match=r"cmlm-en-mini, trained from other weights than those of"):
        plan_of(config)


@pytest.mark.parametrize(
    "own",
    [
        "recipes: {cmlm: {batch_size: 16}}",
        "models: {bert-en: {label: mine}}",
        "corpora: {text-en: {size: 50}}",
        "data: {root: resources/../resources/sample_data}",
        "seeds: [33, 44]",
        "trained_encoders: []",
    ],
)
def test_a_config_that_changes_what_it_is_trained_of_trains_it(tmp_path, project, monkeypatch, own):
    monkeypatch.chdir(project)
    assert CMLM in read_typed(read_layers([])).trained
    (tmp_path / "own.yaml").write_text("threads: {tuning: 2}\n")
    assert CMLM in read_typed(read_layers([tmp_path / "own.yaml"])).trained
    (tmp_path / "own.yaml").write_text(own)
    assert CMLM not in read_typed(read_layers([tmp_path / "own.yaml"])).trained
