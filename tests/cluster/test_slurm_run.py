"""Tables of the small config through profiles/slurm: byte for byte those of a local run."""

from pathlib import Path

import pytest
from conftest import SOME_TABLES, ClusterProject
from small_project import copy_project

from workflow_scripts.runtime.slurm_site import status_command

pytestmark = pytest.mark.cluster


@pytest.mark.parametrize(
    "targets", [SOME_TABLES, pytest.param(["all_tables"], marks=pytest.mark.nightly, id="all")]
)
def test_the_tables_are_of_a_local_run(
    any_cluster, local_tables, project, tmp_path, monkeypatch, targets
):
    on_cluster = ClusterProject(copy_project(project, tmp_path / "project").folder, any_cluster)
    run = on_cluster.start(*targets)
    assert run.end() == 0, run.output
    made = on_cluster.tables()
    assert made == local_tables(*targets)
    assert all(str(Path(table).relative_to("results")) in made for table in SOME_TABLES)
    # the wide stages went as arrays, the small jobs in groups
    assert "Submitted array job" in run.output
    assert "group_datasets" in run.output and "group_corpora" in run.output
    assert "These jobs failed" not in run.output
    # asked by the command that answers there
    monkeypatch.setenv("SLURM_CONF", any_cluster.environment["SLURM_CONF"])
    monkeypatch.setenv("PATH", any_cluster.environment["PATH"])
    assert status_command() == ("sacct" if any_cluster.accounting else "squeue")
