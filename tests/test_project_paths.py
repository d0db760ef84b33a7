"""Files of the project as rules name them, in the project's folder and in another one."""

import os
import subprocess

import pytest

from workflow_scripts import project_files
from workflow_scripts.configuration.config import Data, Model
from workflow_scripts.sources import digest_of, sources

SAMPLE = "resources/sample_data"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def test_within_the_project_names_are_relative_and_nothing_is_set(project, monkeypatch):
    monkeypatch.chdir(project)
    assert project_files.project_file("config/registry.yaml") == "config/registry.yaml"
    assert project_files.shipped_file(SAMPLE) == SAMPLE
    assert project_files.step_variables() == {}
    assert sources("tables.assemble_scores")[0].startswith("workflow_scripts/")


def test_in_another_folder_they_are_those_of_the_project(project, elsewhere):
    assert project_files.project_file("a/b") == f"{project}/a/b"
    files = sources("tables.assemble_scores")
    assert files and all(file.startswith(f"{project}/workflow_scripts/") for file in files)
    within = project_files.within_project
    assert [within(file) for file in files] == [file.removeprefix(f"{project}/") for file in files]
    assert within("own/file") == "own/file" and within(f"{project}x/file") == f"{project}x/file"


def test_what_results_depend_on_is_the_same_in_both(project, elsewhere, monkeypatch):
    there = digest_of("tables.assemble_scores", 1)
    monkeypatch.chdir(project)
    assert digest_of("tables.assemble_scores", 1) == there


def test_a_path_in_resources_is_the_project_s_unless_the_folder_has_it(project, elsewhere):
    data = {"missing": "error"}
    assert Data(root=SAMPLE, **data).root == f"{project}/{SAMPLE}"
    assert Model(path="resources/models/bert-en-mini").path.startswith(f"{project}/")
    for own in ("data", "resources/none", "config", f"{elsewhere}/{SAMPLE}"):
        assert Data(root=own, **data).root == own
    (elsewhere / SAMPLE).mkdir(parents=True)
    assert Data(root=SAMPLE, **data).root == SAMPLE


def test_commands_import_the_project_and_nothing_of_the_folder(project, elsewhere):
    (elsewhere / "workflow_scripts").mkdir()
    (elsewhere / "workflow_scripts" / "__init__.py").write_text("raise SystemExit('not this one')")
    code = "import workflow_scripts; print(workflow_scripts.__file__)"
    command = f'logged log none python -c "{code}"; cat log; echo ${{PYTHONPATH-unset}}'
    line = (
        f"{project_files.shell_functions()} echo ${{PYTHONPATH-unset}}; type -t python; {command}"
    )
    environment = {name: text for name, text in os.environ.items() if name != "FORK_SERVER"}
    words = ["/bin/bash", "-c", line]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    before, kind, command, module, after = done.stdout.splitlines()
    # commands of another workflow, before any of ours, see nothing of it
    assert (before, kind) == ("unset", "file")
    assert (module, after) == (f"{project}/workflow_scripts/__init__.py", str(project))
