"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest

from workflow_scripts.configuration.layers import read_layers

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the project."""
    return PROJECT


@pytest.fixture(scope="session")
def sampler() -> Path:
    """The embedded data root."""
    return PROJECT / "resources" / "sampler"


def merge_config(name: str) -> dict:
    """Return config/{name}.yaml over the files that it lies over."""
    return read_layers([PROJECT / f"config/{name}.yaml"]).config


@pytest.fixture(scope="session")
def embedded_config() -> dict:
    """The config of the embedded default; copy it before a change."""
    return merge_config("config")


@pytest.fixture(scope="session")
def paper_config() -> dict:
    """The config of the paper's models and corpora; copy it before a change."""
    return merge_config("paper")


@pytest.fixture
def scores_config() -> dict:
    """The config that scores the embedded models on the real files."""
    return merge_config("embedded_models")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real files beside the project: absent ones fail where CI=true and skip elsewhere."""
    root = PROJECT.parent / "shared" / "data"
    if not root.is_dir():
        reason = f"needs the real files in {root.relative_to(PROJECT.parent)} beside the project"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return root
