"""All tables of the small config through profiles/slurm: byte for byte those of a local run."""

import os
import subprocess
import sys

import pytest
from conftest import ClusterProject
from small_project import copy_project

pytestmark = pytest.mark.cluster


def test_the_tables_are_those_of_a_local_run(any_cluster, local_tables, project, tmp_path):
    on_cluster = ClusterProject(copy_project(project, tmp_path / "project").folder, any_cluster)
    run = on_cluster.start("all_tables")
    assert run.end() == 0, run.output
    assert on_cluster.tables() == local_tables
    # the wide stages went as arrays, the small jobs in groups
    assert "Submitted array job" in run.output
    assert "group_suites" in run.output and "group_corpora" in run.output
    assert "These jobs failed" not in run.output
    # asked by the command that answers there
    command = "sacct" if any_cluster.accounting else "squeue"
    assert status_command_of(on_cluster) == command


def status_command_of(on_cluster: ClusterProject) -> str:
    """Return what the profile chooses on the cluster."""
    code = "from workflow_scripts.dag.slurm_site import status_command; print(status_command())"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=on_cluster.folder,
        env=os.environ | on_cluster.environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
