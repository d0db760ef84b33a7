"""A small copy of the project in a folder of its own, run once for real."""

import shutil

import pytest
from small_project import SmallProject, copy_project


@pytest.fixture(scope="session")
def finished(project, tmp_path_factory) -> SmallProject:
    """The small project after one undisturbed run. Do not change it: take a `workspace`."""
    small = copy_project(project, tmp_path_factory.mktemp("finished") / "project")
    result = small.run("all_tables")
    assert result.returncode == 0, result.stdout + result.stderr
    return small


@pytest.fixture
def workspace(finished, tmp_path) -> SmallProject:
    """A copy of the finished project, times of files included, to change at will."""
    folder = tmp_path / "project"
    shutil.copytree(finished.folder, folder, symlinks=True)
    return SmallProject(folder)


@pytest.fixture
def fresh(project, tmp_path) -> SmallProject:
    """The small project before any run."""
    return copy_project(project, tmp_path / "fresh")
