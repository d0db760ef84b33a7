"""What no job of a run could get is named before the first one, all of it at once."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import yaml
from plans import plan_of

from workflow_scripts.downloads.fetching import fetch
from workflow_scripts.downloads.registry import read_registry
from workflow_scripts.errors import UserError
from workflow_scripts.plan.plan import make_plan

MODELS = "data/models"
COMMIT = "0123456789abcdef"
SMALL = {"repository": "owner/small", "revision": COMMIT}
FOLDER = f"owner--small@{COMMIT}"
SICK = "sick/semeval2014/SICK_test_annotated.txt"
SIZES = {"config.json": 2, "model.safetensors": 5, "tokenizer.json": 2}


def write_model(models):
    folder = models / FOLDER
    folder.mkdir(parents=True)
    for name, size in SIZES.items():
        (folder / name).write_bytes(b"x" * size)
    files = [
        {"name": name, "size": size, "sha256": hashlib.sha256(b"x" * size).hexdigest()}
        for name, size in SIZES.items()
    ]
    content = {**SMALL, "files": files}
    (folder / "files.json").write_text(json.dumps(content))
    return folder


def write_data(root, project, name="sick"):
    registry = read_registry(project / "config/registry.yaml")
    for file in registry[name].all_files:
        (root / file.path).parent.mkdir(parents=True, exist_ok=True)
        (root / file.path).touch()


@pytest.fixture
def config(small_config, default_config, tmp_path, monkeypatch):
    """One table of one data set with one model of the hub, nothing there; no results either."""
    monkeypatch.chdir(tmp_path)
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    config = small_config
    config["data"] |= {"root": "root", "missing": "skip", "fetch": True}
    for name in ("cometa", "simlex999"):
        config["datasets"][name] = default_config["datasets"][name]
    config["models"] = {
        "small": {"hub": "owner/small", "revision": COMMIT},
        "other": {"hub": "owner/other", "revision": COMMIT},
    }
    row = {"id": "r", "label": "R", "model": "small", "recipe": "base-mp"}
    column = {"id": "c", "label": "C", "dataset": "sickr"}
    config["tables"]["t"] = {"title": "T", "columns": [column], "rows": [row]}
    return config


def error_of(config):
    with pytest.raises(UserError) as error:
        plan_of(config)
    header, *lines = str(error.value).split("\n")
    return header, [line.strip() for line in lines]


def record(name, content=None):
    path = Path("results/downloads") / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content or {}))


def test_where_all_may_be_fetched_nothing_has_to_be_there(config):
    plan = plan_of(config)
    assert plan.all_required.hub_records() == ["results/downloads/models/small.json"]
    assert plan.all_required.downloads() == ["results/downloads/sick.json"]
    assert plan.models.location("small") == f"{MODELS}/{FOLDER}"
    assert plan.models.files("small") == ["results/downloads/models/small.json"]
    inputs, downloads = plan.rule_inputs, "results/downloads"
    assert inputs.dataset_inputs("sickr") == [f"{downloads}/sick.json"]
    assert inputs.corpus_inputs("sentences-en") == [f"{downloads}/sts-benchmark.json"]


def test_offline_models_and_data_are_named_together(config, project):
    config["downloads"] = {"offline": True, "models": "fetched"}
    header, lines = error_of(config)
    assert "`downloads.offline` is true" in header
    assert "`snakemake fetch_all` on a machine with internet access" in header
    assert "carry root and fetched over" in header
    # the model of no table is not asked for
    assert lines[0] == f"fetched/{FOLDER}: no such folder, of model small"
    assert f"root/{SICK}: no such file, of data set sick" in lines
    registry = read_registry(project / "config/registry.yaml")
    assert len(lines) == 1 + len(registry["sick"].all_files)


def test_offline_with_all_there_is_no_error(config, tmp_path, project):
    # the mirror that it was carried over with may be away
    config["downloads"] = {"offline": True, "models": "fetched", "mirror": "away"}
    write_model(tmp_path / "fetched")
    write_data(tmp_path / "root", project)
    assert plan_of(config).models.location("small") == f"fetched/{FOLDER}"


def test_offline_a_mirror_folder_counts(config, tmp_path, project):
    config["downloads"] = {"offline": True, "mirror": "mirror"}
    header, _ = error_of(config)
    assert header.startswith("config: `downloads.mirror` mirror: no such folder")
    folder = write_model(tmp_path / "mirror" / "models")
    write_data(tmp_path / "mirror", project)
    assert plan_of(config)
    (folder / "tokenizer.json").unlink()
    (tmp_path / "mirror" / SICK).unlink()
    _, lines = error_of(config)
    assert len(lines) == 2
    assert f"{FOLDER}/tokenizer.json: no such file" in lines[0]
    assert lines[1] == f"root/{SICK}: no such file, of data set sick"


@pytest.mark.parametrize("secret", ["http://me:secret@host/x", "https://host/x?token=secret"])
def test_a_password_does_not_come_into_the_commands_of_jobs(config, secret):
    config["downloads"] = {"mirror": secret}
    header, _ = error_of(config)
    assert header.startswith("config: `downloads.mirror` holds a user, password or query")
    assert "secret" not in header
    config["downloads"] = {"mirror": "a folder?"}
    assert plan_of(config).downloads.options == ["--mirror", "a folder?"]


def test_the_variable_of_the_hub_holds_for_models_only(config, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    header, lines = error_of(config)
    assert "HF_HUB_OFFLINE is set" in header and "with HF_HUB_OFFLINE=0" in header
    assert lines == [f"{MODELS}/{FOLDER}: no such folder, of model small"]
    # a mirror may have the model: its job asks; an address is no mirror offline
    config["downloads"] = {"mirror": "https://example.org/data"}
    assert plan_of(config)
    config["downloads"]["offline"] = True
    with pytest.raises(UserError, match=r"`downloads.offline` with `downloads.mirror` https://ex"):
        plan_of(config)


@pytest.mark.parametrize("offline", [True, False])
def test_a_file_of_a_model_that_is_gone_or_short_is_named(offline, config, tmp_path, project):
    config["downloads"] = {"offline": offline, "models": "fetched"}
    folder = write_model(tmp_path / "fetched")
    write_data(tmp_path / "root", project)
    record("models/small")
    (folder / "config.json").unlink()
    (folder / "model.safetensors").write_bytes(b"x")
    _, lines = error_of(config)
    delete = f"delete fetched/{FOLDER} and results/downloads/models/small.json"
    remedy = f"{delete} to fetch it again"
    assert lines == [
        f"fetched/{FOLDER}/config.json: no such file: {remedy}",
        f"fetched/{FOLDER}/model.safetensors: 1 bytes, files.json has 5: {remedy}",
    ]


def test_a_record_of_another_commit_is_of_another_model(config):
    record("models/small", {**SMALL, "revision": "b" * 40})
    # it is fetched by its rule, whose address changed
    assert plan_of(config)
    config["downloads"] = {"offline": True}
    _, lines = error_of(config)
    assert f"{MODELS}/{FOLDER}: no such folder, of model small" in lines


def test_what_is_gone_since_it_was_fetched_is_named_where_it_could_be_fetched_too(config):
    record("models/small", SMALL)
    record("sick", {"files": [{"path": SICK, "sha256": "a" * 64}]})
    header, lines = error_of(config)
    assert header == "changed since it was fetched:"
    assert lines == [
        f"{MODELS}/{FOLDER}: no such folder: delete results/downloads/models/small.json "
        "to fetch it again",
        f"root/{SICK}: no such file: delete results/downloads/sick.json to fetch it again",
    ]


def test_what_was_changed_since_it_was_fetched_is_named_though_size_and_date_are_the_same(
    config, tmp_path
):
    config["downloads"] = {"models": "fetched"}
    folder, data = write_model(tmp_path / "fetched"), tmp_path / "root" / SICK
    data.parent.mkdir(parents=True)
    data.write_bytes(b"before")
    record("models/small", json.loads((folder / "files.json").read_text()))
    sha256 = hashlib.sha256(b"before").hexdigest()
    record("sick", {"files": [{"path": SICK, "sha256": sha256}]})
    assert plan_of(config)
    for file in (data, folder / "tokenizer.json"):
        about = file.stat()
        file.write_bytes(b"y" * about.st_size)
        os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns))
    (folder / "added_tokens.json").touch()
    header, lines = error_of(config)
    assert header == "changed since it was fetched:"
    changed, added, raw = lines
    delete = f"delete fetched/{FOLDER} and results/downloads/models/small.json"
    assert changed.startswith(f"fetched/{FOLDER}/tokenizer.json: sha256 is ") and delete in changed
    assert added.startswith(f"fetched/{FOLDER}/added_tokens.json: is not in files.json")
    assert raw.startswith(f"root/{SICK}: sha256 is ")
    assert raw.endswith("delete it and results/downloads/sick.json to fetch it again")
    # a folder that is whole, and another than that of the record
    data.write_bytes(b"before")
    (folder / "added_tokens.json").unlink()
    listed = json.loads((folder / "files.json").read_text())
    listed["files"][2]["sha256"] = hashlib.sha256(b"yy").hexdigest()
    (folder / "files.json").write_text(json.dumps(listed))
    _, lines = error_of(config)
    other = "holds other files than were fetched: delete results/downloads/models/small.json"
    assert lines == [f"fetched/{FOLDER}: {other}, so that it is made again"]


def test_without_fetching_data_only_models_are_looked_for(config, tmp_path, project):
    config["data"]["fetch"] = False
    config["downloads"] = {"offline": True}
    # without its data the cell is not run, and needs no model
    assert plan_of(config).required.encoders == set()
    write_data(tmp_path / "root", project)
    _, lines = error_of(config)
    assert lines == [f"{MODELS}/{FOLDER}: no such folder, of model small"]


def test_all_is_fetched_also_for_cells_whose_gated_data_are_missing(config):
    column = {"id": "d", "label": "D", "dataset": "cometa"}
    config["tables"]["t"]["columns"].append(column)
    plan = plan_of(config)
    assert plan.required.datasets == {"sickr"}
    assert plan.all_required.hub_records() == ["results/downloads/models/small.json"]
    assert plan.all_required.downloads() == ["results/downloads/sick.json"]
    assert plan.all_required.gated() == ["cometa"]


def test_a_search_that_a_table_shows_needs_its_model_and_data(config):
    config["papers"] = {"mirror-bert": {"title": "The first"}}
    published = {"paper": "mirror-bert", "reference": "table21"}
    config["tables"]["g"] = {"kind": "grid", "title": "G", **published}
    config["tuning_grid"] = yaml.safe_load("""
        axes: {learning_rate: [1.0e-4]}
        cells_per_job: 1
        searches:
          s: {model: other, recipe: mirror-word, corpus: words-en, dataset: simlex999}
    """)
    plan = plan_of(config)
    records = [f"results/downloads/models/{name}.json" for name in ("other", "small")]
    assert plan.all_required.hub_records() == records
    assert "results/downloads/simlex-999.json" in plan.all_required.downloads()
    config["downloads"] = {"offline": True}
    _, lines = error_of(config)
    assert f"{MODELS}/owner--other@{COMMIT}: no such folder, of model other" in lines


def test_the_run_ends_with_a_line_for_each_and_no_traceback(config):
    config["downloads"] = {"offline": True}
    file = Path("own.yaml")
    file.write_text(yaml.safe_dump({"base": "none", **config}))
    with pytest.raises(SystemExit) as stopped:
        make_plan([file], {})
    first, *more = str(stopped.value).split("\n")
    assert first.startswith("error: `downloads.offline` is true")
    assert len(more) > 1
    assert all(line.startswith("  ") for line in more)


def test_a_file_that_is_kept_gzipped_is_compared_as_it_is_stored(config, tmp_path, project):
    """Its record has the hash of its content too, by which the registry knows it."""
    content, path = b"a\tb\n", "sick/SICK.txt.gz"
    block = {"title": "t", "task": "similarity", "languages": ["en"], "licence": "l"}
    block |= {"citation": "c", "homepage": "h", "gated": False}
    (tmp_path / "plain.txt").write_bytes(content)
    file = {"path": path, "url": (tmp_path / "plain.txt").as_uri(), "stored": "gzip"}
    file["sha256"] = hashlib.sha256(content).hexdigest()
    (tmp_path / "own.yaml").write_text(yaml.safe_dump({"sick": {**block, "files": [file]}}))
    files = fetch(read_registry(tmp_path / "own.yaml")["sick"], tmp_path / "root")
    record("sick", {"files": files})
    assert plan_of(config)
    (tmp_path / "root" / path).write_bytes(b"another")
    header, lines = error_of(config)
    assert "changed since it was fetched" in header
    assert len(lines) == 1 and path in lines[0]
