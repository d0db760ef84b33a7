"""A small copy of the project in a folder of its own, run once for real."""

import fcntl
import os
import shutil

import pytest
from small_project import SmallProject, copy_project


@pytest.fixture(scope="session")
def finished(project, tmp_path_factory) -> SmallProject:
    """The small project after one undisturbed run. Do not change it: take a `workspace`.

    The processes of pytest-xdist share one: the first that asks makes it, the others wait.
    """
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    small = SmallProject(folder / "finished")
    with (folder / "finished.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not small.folder.exists():
            making = copy_project(project, folder / "unfinished")
            making.succeeds("all_tables")
            making.folder.rename(small.folder)
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
