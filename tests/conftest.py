"""Fixtures shared by all tests."""

import os
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

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
    """Return config/{name}.yaml over the files always read, merged as the Snakefile does."""
    config: dict = {}
    for part in ("datasets", "recipes", "pretraining", "tuning_grid", "tables", name):
        update_config(config, yaml.safe_load((PROJECT / f"config/{part}.yaml").read_text()))
    return config


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
        reason = (
            f"needs the real data files in {root.relative_to(PROJECT.parent)} beside the project"
        )
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return root
