"""Models and data are fetched where there is a network, and all that follows runs without one."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml
from small_project import TUNE

from tests.support.fake_hub import COMMIT, Repository, fake_hub

pytestmark = pytest.mark.slow

MODEL = f"owner/mini@{COMMIT}"
FOLDER = f"fetched/owner--mini@{COMMIT}"
OPEN = {
    "sts": "semeval-sts-original/STS12-en-test/*",
    "sick": "sick/semeval2014/SICK_test_annotated.txt",
    "sentences": "sts-benchmark/sts-train.csv",
}
GATED = "cometa/**/*.*"


@pytest.fixture
def without_network():
    """The words that start a command without any network."""
    words = ["unshare", "-n"] if os.geteuid() == 0 else ["unshare", "-rn"]
    if not shutil.which("unshare") or subprocess.run([*words, "true"]).returncode:
        reason = f"`{' '.join(words)}` is not permitted here: no process can be cut off"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return words


@pytest.fixture
def hub(project):
    """A hub with one of the bundled models."""
    source = project / "resources" / "models" / "bert-en-mini"
    files = {file.name: file.read_bytes() for file in source.iterdir() if file.is_file()}
    with fake_hub() as hub:
        hub.repositories["owner/mini"] = Repository(files)
        yield hub


def registry_of(sample_data):
    """Entries of the open files, which only the mirror has, and one of a gated set."""
    common = {"task": "similarity", "languages": ["en"], "licence": "CC0", "citation": "Nobody"}
    common["homepage"] = "https://example.org"
    entries = {}
    for name, pattern in OPEN.items():
        files = [
            {
                "path": str(file.relative_to(sample_data)),
                # nobody answers there
                "url": f"http://127.0.0.1:9/{file.name}",
                "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
                "size": file.stat().st_size,
            }
            for file in sorted(sample_data.glob(pattern))
        ]
        entries[name] = {**common, "title": name, "gated": False, "files": files}
    paths = [str(file.relative_to(sample_data)) for file in sorted(sample_data.glob(GATED))]
    gated = {"title": "gated", "gated": True, "files": [{"path": path} for path in paths]}
    entries["gated"] = {**common, **gated, "obtain": "ask for it at https://example.org/form"}
    return entries


def write_config(small, downloads):
    """One table over a model of the hub and fetched data, one column of it gated."""
    config = small.read_config()
    config["data"] |= {"root": "raw", "missing": "skip", "fetch": True}
    config["models"] = {"mini": {"hub": "owner/mini", "revision": COMMIT}}
    columns = {"sts12": "STS12", "sickr": "SICK-R", "cometa": "COMETA"}
    recipes = {"bert-mp": {"recipe": "base-mp"}}
    recipes["bert-mirror"] = {"recipe": "mirror-sentence", "corpus": "sentences-en"}
    sentences = {
        "title": "Sentences",
        "columns": [{"id": i, "label": label, "dataset": i} for i, label in columns.items()],
        "rows": [{"id": i, "label": i, "model": "mini", **block} for i, block in recipes.items()],
    }
    config["tables"] = {"sentences": sentences, "models": {"kind": "models", "title": "Models"}}
    config |= {"figures": {}, "downloads": downloads}
    small.write_config(config)


def refused(small):
    """Return the message of a run that is refused before any job."""
    output = small.fails("all_tables")
    assert "Select jobs" not in output
    assert "Job stats" not in output
    return output[output.index("error: ") :]


def test_fetched_with_a_network_and_run_without(fresh, sample_data, hub, without_network, tmp_path):
    registry = fresh.folder / "config" / "registry.yaml"
    registry.write_text(yaml.safe_dump(registry_of(sample_data)), encoding="utf-8")
    fresh.variables = hub.environment(str(tmp_path / "home"))

    # nothing is there: all of it is named at once
    write_config(fresh, {"models": "fetched", "offline": True})
    said = refused(fresh)
    assert "`snakemake fetch_all` on a machine with internet access" in said
    assert f"{FOLDER}: no such folder, of model mini" in said
    for pattern in OPEN.values():
        for file in sample_data.glob(pattern):
            assert f"raw/{file.relative_to(sample_data)}: no such file" in said
    assert hub.requests == []

    # the login node, first without downloading: the model is there, the sources of data are not
    write_config(fresh, {"models": "fetched", "mirror": f"{sample_data.as_uri()}/"})
    output = fresh.fails("check_fetch")
    files = sum(len(list(sample_data.glob(pattern))) for pattern in OPEN.values())
    assert f"1 of {files + 1} addresses are reachable" in output
    assert re.search(rf"^owner/mini +\S+ MB +nothing +ok +{MODEL}$", output, re.MULTILINE)
    assert f"{files} of {files + 1} addresses are wrong" in output
    report = (fresh.folder / "results" / "check_fetch.txt").read_text()
    assert MODEL in report and "are reachable" in report
    assert not (fresh.folder / "fetched").exists()
    output = fresh.succeeds("fetch_all")
    assert "by hand:" in output
    assert "- gated: ask for it at https://example.org/form. Missing: raw/cometa/" in output
    assert (fresh.folder / FOLDER / "files.json").is_file()
    assert not (fresh.folder / "results" / "tables").exists()

    # the nodes
    fresh.inside = without_network
    hub.requests.clear()
    reach = f"import urllib.request; urllib.request.urlopen({hub.endpoint!r})"
    cut_off = subprocess.run([*without_network, sys.executable, "-c", reach], capture_output=True)
    assert cut_off.returncode != 0
    assert hub.requests == []
    write_config(fresh, {"models": "fetched", "offline": True})
    planned = fresh.planned("all_tables")
    assert any(job.startswith(TUNE) for job in planned)
    # a change of where to fetch from is not a reason to fetch again
    assert not [job for job in planned if job.startswith("fetch_")]
    fresh.succeeds("all_tables")
    assert hub.requests == []
    tables = fresh.folder / "results" / "tables"
    lines = (tables / "sentences.tsv").read_text().splitlines()
    header, *rows = (line.split("\t") for line in lines)
    assert len(rows) == 2
    for row in rows:
        values = dict(zip(header, row, strict=True))
        assert values["STS12"] and values["SICK-R"] and not values["COMETA"]
    assert f"mini: {MODEL}" in (tables / "sentences.md").read_text()
    assert MODEL in (tables / "models.md").read_text()

    # an edit of the registry reruns what reads the entry that was edited
    for name, again in (("gated", []), ("sick", ["fetch_dataset"])):
        entries = yaml.safe_load(registry.read_text())
        entries[name]["title"] += " (renamed)"
        registry.write_text(yaml.safe_dump(entries), encoding="utf-8")
        planned = {job.split()[0] for job in fresh.planned("all_tables")}
        assert [rule for rule in planned if rule.startswith("fetch_")] == again
        assert bool(planned) == bool(again)
    fresh.succeeds("all_tables")

    # carried over without results: the records are made from the existing files
    for record in (fresh.folder / "results" / "downloads").rglob("*.json"):
        record.unlink()
    fresh.succeeds("fetch_all")

    # and with one file less
    for file in (f"{FOLDER}/tokenizer.json", f"raw/{OPEN['sick']}"):
        path = fresh.folder / file
        body = path.read_bytes()
        path.unlink()
        said = refused(fresh)
        assert f"{file}: no such file" in said
        assert len(said.strip().splitlines()) == 2
        path.write_bytes(body)
    fresh.succeeds("--dry-run")
