"""Files for hosts, catalogues and contributors: they are valid, and say what the project says."""

import re
import runpy
import tomllib

import pytest
import setuptools
import yaml


def read(project, path):
    return yaml.safe_load((project / path).read_text())


@pytest.fixture(scope="module")
def metadata(project):
    return tomllib.loads((project / "pyproject.toml").read_text())["project"]


def test_one_version_everywhere(project, metadata):
    citation = read(project, "CITATION.cff")
    headings = re.findall(
        r"^## (\S+) \((\d{4}-\d\d-\d\d)\)$", (project / "CHANGELOG.md").read_text(), flags=re.M
    )
    assert headings[0] == (metadata["version"], str(citation["date-released"]))
    assert str(citation["version"]) == metadata["version"]
    dates = [date for _, date in headings]
    assert dates == sorted(dates, reverse=True)


def test_pip_installs_the_packages_of_the_workflow_and_its_api_and_no_other(project, monkeypatch):
    found = {}
    monkeypatch.chdir(project)
    monkeypatch.setattr(setuptools, "setup", found.update)
    runpy.run_path("setup.py")
    assert {name.split(".")[0] for name in found["packages"]} == {"mirror_bert", "workflow_scripts"}


def test_the_citation_has_what_its_format_needs_and_both_papers(project):
    citation = read(project, "CITATION.cff")
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["license"] == "MIT" and "MIT" in (project / "LICENSE").read_text()
    first_authors = [paper["authors"][0]["family-names"] for paper in citation["references"]]
    assert first_authors == ["Liu", "Yang"]
    for paper in citation["references"]:
        assert {"type", "title", "authors", "year", "doi"} <= paper.keys()
        assert paper["doi"].endswith(paper["url"].rpartition("/")[2])


def test_the_public_host_runs_what_ci_runs_with_pinned_versions(project):
    workflow = read(project, ".github/workflows/ci.yml")
    # YAML 1.1 takes the key `on` for true
    assert {"pull_request", "push"} == workflow[True].keys()
    [job] = workflow["jobs"].values()
    assert job["steps"][-1]["run"] == ".ci/run"
    assert (project / ".ci" / "run").stat().st_mode & 0o100
    for step in job["steps"]:
        assert "run" in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
    assert "latest" not in job["runs-on"]
    # the image of the container
    assert f"\nFrom: {job['container']}\n" in (project / "envs" / "container.def").read_text()
