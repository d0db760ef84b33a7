"""The small project of the tests of wiring, made once; tests run in its folder."""

import os

import pytest
from all_sections import PACKED
from tiny_models import one_thread
from wiring_project import make_project

from workflow_scripts.figures import draw_figure

__all__ = ["one_thread"]


@pytest.fixture(scope="session")
def wiring_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wiring") / "project"
    make_project(folder, [section.files for section in PACKED.values()])
    return folder


@pytest.fixture(autouse=True)
def in_the_project(wiring_folder, monkeypatch):
    monkeypatch.chdir(wiring_folder)
    # a plan names models of the hub, and none is fetched
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    # the numbers of a figure are in its tsv
    monkeypatch.setattr(draw_figure, "save_figure", lambda figure, prefix: None)
    yield
    os.chdir(wiring_folder)
