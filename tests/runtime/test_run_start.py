"""What a run is checked for as it starts: one line for folders and targets that will not do."""

import os
import shutil
import sys
from types import SimpleNamespace

import pytest

from workflow_scripts.runtime.run_start import (
    refuse_braces,
    refuse_other_folder,
    refuse_other_paths,
    refuse_targets_elsewhere,
    use_own_python,
)

HERE = os.getcwd()


def test_steps_take_the_python_of_this_snakemake(tmp_path, monkeypatch):
    (tmp_path / "python").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin")
    use_own_python()
    assert shutil.which("python") == os.path.join(os.path.dirname(sys.executable), "python")
    path = os.environ["PATH"]
    assert path.endswith(f":{tmp_path}:/usr/bin")
    use_own_python()
    assert os.environ["PATH"] == path


def test_a_workflow_that_names_its_files_in_the_project_is_started_there(project, tmp_path):
    (tmp_path / "link").symlink_to(project)
    for folder in (project, tmp_path / "link"):
        refuse_other_folder(folder, project)
    (tmp_path / "workflow_scripts").mkdir()
    with pytest.raises(SystemExit, match=rf"^error: {tmp_path}: not the folder of the project; st"):
        refuse_other_folder(tmp_path, project)


@pytest.mark.parametrize("name", ["a{x}b", "{", "}"])
def test_braces_in_the_path_of_the_project_or_of_the_run_are_one_line(tmp_path, name, monkeypatch):
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(SystemExit) as ended:
        refuse_braces(folder)
    assert str(ended.value).startswith(f"error: {folder}: Snakemake takes braces")
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit, match="rename the folder or start it elsewhere"):
        refuse_braces()


def run_of(target, is_module=False):
    return SimpleNamespace(targets={target}, is_module=is_module)


@pytest.mark.parametrize(
    ("results", "target", "own"),
    [
        ("other", "results/tables/a.html", "other/tables/a.html"),
        ("other", f"{HERE}/results/tables/a.html", "other/tables/a.html"),
        ("results", f"{HERE}/results/tables/a.html", "results/tables/a.html"),
        ("/there/out", "results/tables/a.html", "/there/out/tables/a.html"),
        (f"{HERE}/results", "results/a", f"{HERE}/results/a"),
        (f"{HERE}/out", "out/a", f"{HERE}/out/a"),
    ],
)
def test_a_target_by_another_path_is_one_line_with_the_right_one(results, target, own):
    with pytest.raises(SystemExit) as ended:
        refuse_targets_elsewhere(run_of(target), results)
    where = f"`results` in the config is {results}"
    assert str(ended.value) == f"error: {target}: {where}; ask for {own}"
    # results of a workflow that imports this one may be anywhere
    refuse_targets_elsewhere(run_of(target, is_module=True), results)


@pytest.mark.parametrize(
    ("results", "target"),
    [
        ("results", "results/tables/a.html"),
        ("other", "./other/tables/a.html"),
        ("other", "all_tables"),
        ("other", "summary.txt"),
        ("/there/out", "/there/out/tables/a.html"),
        ("results/second", "results/second/tables/a.html"),
    ],
)
def test_other_targets_are_left_to_snakemake(results, target):
    refuse_targets_elsewhere(run_of(target), results)


def test_the_results_of_config_and_snakemake_are_one_folder():
    refuse_other_paths(SimpleNamespace(path_of=lambda path: "results"), "results")
    with pytest.raises(SystemExit, match="results in the config, x/results for Snakemake; write"):
        refuse_other_paths(SimpleNamespace(path_of=lambda path: "x/results"), "results")
