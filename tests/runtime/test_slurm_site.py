"""What SLURM says of itself, by fakes of its commands."""

import re

import pytest
from synthetic_files import synthetic

from workflow_scripts.errors import UserError
from workflow_scripts.runtime.slurm_site import GPU_RULES, SlurmSite, smallest_node, status_command


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder for fakes on a PATH without SLURM's commands."""
    for program in ("cat", "sh"):
        (tmp_path / program).symlink_to(f"/bin/{program}")
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_jobs_are_followed_by_what_answers_and_a_silent_controller_is_named(programs):
    commands = {"accounting_storage/slurmdbd": "sacct", "accounting_storage/none": "squeue"}
    for storage, command in (commands | {"(null)": "squeue"}).items():
        text = f"AccountingStorageType   = {storage}\nAuthType = a\n"
        synthetic(programs, "scontrol", f"AccountingStorageHost   = there\n{text}")
        assert status_command() == command
    error = "slurm_load_ctl_conf error: Unable to contact slurm controller\n"
    synthetic(programs, "scontrol", error, 1)
    with pytest.raises(
        UserError, match=r"scontrol: .*Unable to contact.*check that SLURM's controller is running"
    ):
        status_command()


def test_the_largest_job_is_the_smallest_node_of_the_partition(programs):
    # without SLURM a node is small
    assert smallest_node("gpus") == (4, 16000)
    assert status_command() == "squeue"
    synthetic(programs, "sinfo", "gpu 8 64000\nmain* 32 128000\nmain* 16 256000\n")
    assert SlurmSite().largest_job() == smallest_node(None) == (16, 128000)
    assert SlurmSite(node_cpus=4, node_mem_mb=8000).largest_job() == (4, 8000)
    synthetic(programs, "sinfo")
    with pytest.raises(UserError, match="no node of partition gpus; correct `partition`"):
        smallest_node("gpus")


def test_the_rules_on_a_gpu_are_those_that_ask_for_one(rule_files):
    asking = {
        block.split(":")[0]
        for file in rule_files
        for block in file.read_text().split("\nrule ")[1:]
        if re.search(r" gpu=(rule_inputs|plan)\.gpus", block)
    }
    assert set(GPU_RULES) == asking
