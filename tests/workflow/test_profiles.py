"""The profiles and the style of the workflow."""

import os
import subprocess
import sys

import pytest
import yaml

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]


@pytest.mark.parametrize("profile", ["default", "generic", "slurm"])
def test_every_key_of_a_profile_has_its_reason(profile, project):
    """Each top-level key follows a comment line."""
    lines = (project / "profiles" / profile / "config.yaml").read_text().splitlines()
    keys = [i for i, line in enumerate(lines) if line and line[0].isalpha()]
    assert keys
    assert all(lines[i - 1].startswith("#") for i in keys)


@pytest.fixture
def slurm_answers(tmp_path, monkeypatch):
    """Stand-ins for the two commands that profiles/slurm asks."""
    answers = {
        "scontrol": "AccountingStorageType = accounting_storage/none",
        "sinfo": "main* 8 16000",
    }
    for name, answer in answers.items():
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\necho '{answer}'\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize("profile", ["generic", "slurm"])
def test_a_cluster_profile_passes_a_dry_run(profile, fresh, slurm_answers):
    folder = fresh.folder / "profiles" / profile
    (folder / "site.yaml").write_text((folder / "site.example.yaml").read_text())
    chosen = ("--workflow-profile", f"profiles/{profile}", "--dry-run", "all_tables")
    result = fresh.run(*chosen)
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


def test_a_mistake_in_a_site_file_is_named(fresh):
    site = fresh.folder / "profiles" / "slurm" / "site.yaml"
    site.write_text("partitoin: gpu\n")
    result = fresh.run("--workflow-profile", "profiles/slurm", "--dry-run", "all_tables")
    assert result.returncode != 0
    assert "site.yaml: unknown key `partitoin`; did you mean 'partition'?" in result.stderr


@pytest.mark.parametrize("profile", ["generic", "slurm"])
def test_the_groups_of_a_profile_are_rules(profile, project):
    rules = {
        block.split(":")[0]
        for file in (project / "rules").glob("*.smk")
        for block in file.read_text().split("\nrule ")[1:]
    }
    settings = yaml.safe_load((project / "profiles" / profile / "config.yaml").read_text())
    grouped = {group.split("=")[0] for group in settings["groups"]}
    arrays = set(settings.get("slurm-array-jobs", "tune_mirror").split(","))
    assert grouped and grouped <= rules
    assert arrays <= rules and not arrays & grouped
