"""Where a run is started: one line for a folder that is not the project's, or cannot be."""

import subprocess
import sys

import pytest

from workflow_scripts.runtime.run_folder import refuse_other_folder


def test_a_run_from_another_folder_is_one_line(project, linked_checkout):
    """With the project's config and data there, and without -d."""
    words = [sys.executable, "-m", "snakemake", "--dry-run"]
    words += ["--snakefile", str(project / "Snakefile")]
    done = subprocess.run(words, cwd=linked_checkout, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    *_, last = lines = done.stderr.splitlines()
    assert last.startswith(f"error: {linked_checkout}: not the folder of the project; start it in ")
    assert f" or add -d {project}" in last
    # the other one says which profile is read
    assert len(lines) <= 2 and not done.stdout


def test_the_folder_of_the_project_goes_by_its_package_and_not_by_its_name(project, tmp_path):
    refuse_other_folder(project, project)
    (tmp_path / "link").symlink_to(project)
    refuse_other_folder(tmp_path / "link", project)
    (tmp_path / "workflow_scripts").mkdir()
    with pytest.raises(SystemExit, match="not the folder of the project"):
        refuse_other_folder(tmp_path, project)


@pytest.mark.parametrize("name", ["a{x}b", "{", "}", "{}", "{0}", "{{x}}"])
def test_braces_in_the_path_of_the_project_are_one_line(tmp_path, name):
    project = tmp_path / name
    (project / "workflow_scripts").mkdir(parents=True)
    with pytest.raises(SystemExit) as ended:
        refuse_other_folder(project, project)
    assert str(ended.value).startswith(f"error: {project}: Snakemake takes braces")
