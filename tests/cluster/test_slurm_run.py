"""Tables of the small config through profiles/slurm: byte for byte those of a local run."""

from pathlib import Path

import pytest
from conftest import ONE_TABLE, SOME_TABLES, ClusterProject
from small_project import copy_project

from workflow_scripts.runtime.slurm_site import status_command

pytestmark = pytest.mark.cluster


def run_tables(small, targets):
    """Make the targets on a cluster; return the files of tables and figures."""
    run = small.start(*targets)
    assert run.end() == 0, run.output
    assert "These jobs failed" not in run.output
    # short jobs went in groups
    assert all(f"group_{name}" in run.output for name in ("datasets", "corpora", "encoders"))
    return small.tables()


def has_tables(made, tables):
    return all(str(Path(table).relative_to("results")) in made for table in tables)


def used_status_command(monkeypatch, cluster):
    for name in ("SLURM_CONF", "PATH"):
        monkeypatch.setenv(name, cluster.environment[name])
    return status_command()


ALL = pytest.param(["all_tables"], marks=pytest.mark.nightly, id="all")


@pytest.mark.parametrize("targets", [SOME_TABLES, ALL])
def test_the_tables_are_of_a_local_run(
    cluster, local_tables, project, tmp_path, monkeypatch, targets
):
    on_cluster = ClusterProject(copy_project(project, tmp_path / "project").folder, cluster)
    with on_cluster.edited_config() as config:
        config["keep_encoders"] = "none"
    made = run_tables(on_cluster, targets)
    assert made == local_tables(*targets)
    assert has_tables(made, SOME_TABLES)
    encoders = on_cluster.folder / "results/encoders/bert-en-mini"
    assert list(encoders.rglob("encoder.json")) and not list(
        encoders.glob("*/*/*/model.safetensors")
    )
    assert used_status_command(monkeypatch, cluster) == "sacct"


@pytest.mark.parametrize("targets", [ONE_TABLE, ALL])
def test_without_accounts_jobs_are_watched_by_squeue(
    cluster_without_accounts, local_tables, project, tmp_path, monkeypatch, targets
):
    cluster = cluster_without_accounts
    on_cluster = ClusterProject(copy_project(project, tmp_path / "project").folder, cluster)
    made = run_tables(on_cluster, targets)
    assert made == local_tables(*targets)
    assert has_tables(made, ONE_TABLE)
    assert used_status_command(monkeypatch, cluster) == "squeue"
