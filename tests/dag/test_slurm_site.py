"""The lines of a SLURM site, and what SLURM says of itself, by stand-ins for its commands."""

import os

import pytest

from workflow_scripts.dag.slurm_site import SlurmSite, read_site, smallest_node, status_command
from workflow_scripts.errors import UserError


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Return a function that puts a command on the path that prints a text, or fails."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")

    def make(name, text="", status=0):
        (folder / f"{name}.txt").write_text(text)
        program = folder / name
        stream = "" if status == 0 else " >&2"
        program.write_text(f"#!/bin/sh\ncat {folder}/{name}.txt{stream}\nexit {status}\n")
        program.chmod(0o755)

    return make


@pytest.mark.parametrize(
    ("storage", "command"),
    [
        ("accounting_storage/slurmdbd", "sacct"),
        ("accounting_storage/none", "squeue"),
        ("(null)", "squeue"),
    ],
)
def test_jobs_are_followed_by_what_answers(storage, command, stand_in):
    stand_in("scontrol", f"AccountingStorageHost   = there\nAccountingStorageType   = {storage}\n")
    assert status_command() == command


def test_a_controller_that_does_not_answer_is_named(stand_in):
    stand_in("scontrol", "slurm_load_ctl_conf error: Unable to contact slurm controller\n", 1)
    with pytest.raises(UserError, match=r"scontrol: .*Unable to contact.*is SLURM's controller up"):
        status_command()


def test_the_largest_job_is_the_smallest_node_of_the_default_partition(stand_in):
    stand_in("sinfo", "gpu 64 512000\nmain* 32 128000\nmain* 16 256000\n")
    assert smallest_node(None) == (16, 128000)
    assert SlurmSite().largest_job() == (16, 128000)
    assert SlurmSite(node_cpus=4, node_mem_mb=8000).largest_job() == (4, 8000)


def test_a_partition_without_nodes_is_named(stand_in):
    stand_in("sinfo")
    with pytest.raises(UserError, match="no node of partition gpus; correct `partition`"):
        smallest_node("gpus")


def test_without_a_site_file_the_cluster_chooses(tmp_path):
    site = read_site(tmp_path / "site.yaml")
    assert site.default_resources(mem_mb=2000) == ["mem_mb=2000"]
    assert site.gpu_resources() is None


def test_the_example_is_a_site_file(project):
    site = read_site(project / "profiles" / "slurm" / "site.example.yaml")
    resources = site.default_resources(runtime=30)
    assert resources == [
        "runtime=30",
        "slurm_partition='cpu'",
        "slurm_account='my-group'",
        "qos='normal'",
    ]
    assert site.gpu_resources()["tune_mirror"] == {"slurm_partition": "'gpu'"}


def test_the_rules_on_a_gpu_are_those_that_ask_for_one(project):
    from workflow_scripts.dag.slurm_site import GPU_RULES

    asking = {
        block.split(":")[0]
        for file in (project / "rules").glob("*.smk")
        for block in file.read_text().split("\nrule ")[1:]
        if "gpu=plan.gpus" in block
    }
    assert set(GPU_RULES) == asking


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("partiton: gpu", "unknown key `partiton`; did you mean 'partition'"),
        ("jobs: many", "`jobs` is 'many'; give a whole number"),
        ("- gpu", "give lines of the form"),
        ("partition: [", "not valid YAML"),
    ],
)
def test_a_mistake_in_the_site_file_is_named(text, message, tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"site\.yaml: .*" + message.replace("[", r"\[")):
        read_site(file)


def test_names_that_look_like_numbers_stay_names(tmp_path):
    file = tmp_path / "site.yaml"
    file.write_text("partition: 2024\n")
    assert read_site(file).default_resources() == ["slurm_partition='2024'"]
