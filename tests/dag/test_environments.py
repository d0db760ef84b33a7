import re

import pytest
import yaml


def normalised(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def locked(project):
    lines = (project / "requirements.lock").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    return {normalised(name): version for name, version in pins.items()}


def test_the_lock_file_pins_what_the_project_names(project, locked):
    lines = (project / "requirements.in").read_text().splitlines()
    named = [line for line in lines if line and not line.startswith("#")]
    assert len(named) > 15
    for line in named:
        name, _, version = line.partition("==")
        name = normalised(re.split("[<>=]", name)[0])
        assert name in locked
        assert not version or locked[name] == version


@pytest.mark.parametrize("name", ["torch", "plain"])
def test_conda_environments_have_the_locked_versions(name, project, locked):
    environment = yaml.safe_load((project / "envs" / f"{name}.yaml").read_text())
    pins = environment["dependencies"][-1]["pip"]
    assert pins
    for pin in pins:
        package, version = pin.split("==")
        assert locked[normalised(package)] == version


def test_every_dependency_has_its_reason_in_the_docs(project):
    text = (project / "docs" / "dependencies.md").read_text()
    lines = (project / "requirements.in").read_text().splitlines()
    for line in lines:
        if line and not line.startswith("#"):
            assert re.search(rf"\b{re.escape(re.split('[<>=]', line)[0])}\b", text), line
