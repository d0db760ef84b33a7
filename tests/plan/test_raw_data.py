"""Raw files that a download brings."""

import copy
from pathlib import Path

import pytest
from plans import plan_of

from workflow_scripts.errors import UserError
from workflow_scripts.plan.raw_data import RawData


def test_without_fetching_files_stand_for_themselves(tmp_path):
    there, absent = tmp_path / "sick" / "there.txt", tmp_path / "sick" / "absent.txt"
    there.parent.mkdir()
    there.touch()
    raw = RawData(tmp_path, fetch=False)
    assert raw.missing([there, absent]) == [absent]
    assert raw.inputs([there, absent]) == sorted([str(there), str(absent)])
    assert raw.downloads_of([there]) == []


def test_with_fetching_files_of_the_registry_are_their_download_there_or_not(tmp_path):
    known = tmp_path / "sick/semeval2014/SICK_test_annotated.txt"
    own, gated = tmp_path / "mine.txt", tmp_path / "umls/MRCONSO.RRF"
    raw = RawData(tmp_path, fetch=True)
    assert raw.missing([known, own, gated]) == [own, gated]
    record = "results/downloads/sick.json"
    assert raw.inputs([known, own]) == sorted([record, str(own)])
    known.parent.mkdir(parents=True)
    known.touch()
    # the same inputs before and after the download, so that it reruns nothing
    assert raw.inputs([known, own]) == sorted([record, str(own)])


def test_a_fetching_run_plans_its_cells_downloads(default_config, project, tmp_path, monkeypatch):
    monkeypatch.chdir(project)
    config = copy.deepcopy(default_config)
    config["data"] |= {"root": str(tmp_path)}
    with pytest.raises(UserError, match="no such file"):
        plan_of(config)
    config["data"] |= {"fetch": True, "missing": "skip"}
    plan = plan_of(config)
    assert "results/downloads/multi-simlex.json" in plan.rule_inputs.dataset_inputs(
        "multisimlex-fr"
    )
    assert plan.rule_inputs.corpus_inputs("sentences-en") == [
        "results/downloads/sts-benchmark.json"
    ]
    downloads = {Path(file).stem for file in plan.all_required.downloads()}
    assert {"multi-simlex", "sts-benchmark", "sick"} <= downloads
    # the sample data's own names and a licensed set are in no open entry: their cells are left out
    assert "cometa" not in {wanted.dataset for wanted in plan.cells.run}
    assert not any(encoder.corpus == "names" for encoder in plan.required.encoders)
