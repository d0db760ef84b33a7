"""The profiles and the style of the workflow."""

import subprocess
import sys

import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]


@pytest.mark.parametrize("profile", ["default", "slurm"])
def test_every_key_of_a_profile_has_its_reason(profile, project):
    """Each top-level key follows a comment line."""
    lines = (project / "profiles" / profile / "config.yaml").read_text().splitlines()
    keys = [i for i, line in enumerate(lines) if line and line[0].isalpha()]
    assert keys
    assert all(lines[i - 1].startswith("#") for i in keys)


def test_the_slurm_profile_passes_a_dry_run(fresh):
    result = fresh.run("--profile", "profiles/slurm", "--dry-run", "all_tables")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "tune_mirror" in result.stdout + result.stderr


def test_lint_is_clean(fresh):
    result = fresh.run("--lint")
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_rule_has_log_benchmark_threads_and_resources(project):
    listing = subprocess.run(
        [sys.executable, "-m", "snakefmt", "--check", "Snakefile", "rules"],
        cwd=project,
        capture_output=True,
        text=True,
    )
    assert listing.returncode == 0, listing.stdout + listing.stderr
    for file in sorted((project / "rules").glob("*.smk")):
        blocks = file.read_text().split("\nrule ")[1:]
        for block in blocks:
            if "shell:" not in block:
                continue  # a target
            for directive in ("log:", "benchmark:", "threads:", "resources:", "gpu="):
                assert directive in block, f"{file.name}: {block.split(':')[0]} lacks {directive}"


def test_the_profiles_are_yaml(project):
    for file in (project / "profiles").glob("*/config.yaml"):
        assert isinstance(yaml.safe_load(file.read_text()), dict)
