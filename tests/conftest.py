"""Fixtures shared by all tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from same_everywhere import bounded, clean_environment, make_repeatable, seed_all

from workflow_scripts.configuration.layers import read_layers

PROJECT = Path(__file__).resolve().parent.parent

clean_environment()
make_repeatable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with bounded(item.nodeid):
        return (yield)


@pytest.fixture(autouse=True)
def seeded() -> None:
    seed_all()


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the project."""
    return PROJECT


@pytest.fixture(scope="session")
def rule_files(project) -> list[Path]:
    """The files with rules of the workflow and of the one that makes the bundled models."""
    return [*sorted((project / "rules").glob("*.smk")), project / "bundled_models" / "Snakefile"]


@pytest.fixture(scope="session")
def mirror_bert(tmp_path_factory) -> Path:
    """The command as pip writes it, for this checkout and this Python."""
    script = tmp_path_factory.mktemp("bin") / "mirror-bert"
    lines = (f"#!{sys.executable}", "import sys", f"sys.path.insert(0, {str(PROJECT)!r})")
    lines += ("from workflow_scripts.__main__ import main", "sys.exit(main())", "")
    script.write_text("\n".join(lines))
    script.chmod(0o755)
    return script


@pytest.fixture(scope="session")
def run_as_written(mirror_bert):
    """A function that runs lines of the shell in a folder, as in the environment and offline."""
    path = f"{mirror_bert.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    offline = {**os.environ, "PATH": path, "HF_HUB_OFFLINE": "1"}

    def run(lines: str, folder: Path) -> str:
        words = ["bash", "-euo", "pipefail", "-c", lines]
        done = subprocess.run(words, cwd=folder, env=offline, capture_output=True, text=True)
        assert done.returncode == 0, f"{lines}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def linked_checkout(tmp_path) -> Path:
    """A folder with what commands of the documents read of a checkout."""
    for name in ("config", "resources"):
        (tmp_path / name).symlink_to(PROJECT / name)
    return tmp_path


@pytest.fixture(scope="session")
def sample_data() -> Path:
    """The folder of the bundled sample data."""
    return PROJECT / "resources" / "sample_data"


def merge_config(name: str) -> dict:
    """Return config/{name}.yaml merged with the files that it overrides."""
    return read_layers([PROJECT / f"config/{name}.yaml"]).config


@pytest.fixture(scope="session")
def default_config() -> dict:
    """The default config; copy it before a change."""
    return merge_config("config")


@pytest.fixture(scope="session")
def paper_config() -> dict:
    """The config of the paper's models and corpora; copy it before a change."""
    return merge_config("paper")


@pytest.fixture
def scores_config() -> dict:
    """The config that scores the bundled models on the real files."""
    return merge_config("bundled_models")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real files next to the project; without them tests fail if CI=true, and else skip."""
    root = PROJECT.parent / "shared" / "data"
    if not root.is_dir():
        reason = f"needs the real files in {root.relative_to(PROJECT.parent)} beside the project"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return root
