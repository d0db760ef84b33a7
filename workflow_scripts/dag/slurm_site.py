"""What a SLURM site asks for, as values of a Snakemake profile: partition, account, accounting.

profiles/slurm/config.yaml calls these; the user's few lines are in profiles/slurm/site.yaml.
"""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from workflow_scripts.dag.site_file import read_site_file
from workflow_scripts.errors import UserError

# the rules that ask for a GPU where the config says `device: cuda` or `auto`
GPU_RULES = ("tune_mirror", "tune_with_development", "search_grid", "embed_suite")


@dataclass(frozen=True)
class SlurmSite:
    """The lines of a site file; None leaves the choice to the cluster."""

    partition: str | None = None
    gpu_partition: str | None = None
    account: str | None = None
    qos: str | None = None
    gpu_qos: str | None = None
    constraint: str | None = None
    gpu_constraint: str | None = None
    # the largest job of `partition`; None takes the smallest node that it has
    node_cpus: int | None = None
    node_mem_mb: int | None = None
    # jobs in the queue at a time
    jobs: int = 100

    def largest_job(self) -> tuple[int, int]:
        """Return the cores and the memory (MB) that no job asks more than."""
        cpus, mem_mb = smallest_node(self.partition)
        return self.node_cpus or cpus, self.node_mem_mb or mem_mb

    def default_resources(self, **resources: int) -> list[str]:
        """Return `key=value` of what every job asks for, the given resources included."""
        chosen = {
            "slurm_partition": self.partition,
            "slurm_account": self.account,
            "qos": self.qos,
            "constraint": self.constraint,
        }
        given = [f"{key}={value}" for key, value in resources.items()]
        return given + [f"{key}={value!r}" for key, value in chosen.items() if value is not None]

    def gpu_resources(self) -> dict[str, dict[str, str]] | None:
        """Return what the jobs on a GPU ask for in its place, by rule; None for nothing."""
        chosen = {
            "slurm_partition": self.gpu_partition,
            "qos": self.gpu_qos,
            "constraint": self.gpu_constraint,
        }
        differing = {key: repr(value) for key, value in chosen.items() if value is not None}
        return {rule: differing for rule in GPU_RULES} if differing else None


def read_site(path: str | Path) -> SlurmSite:
    """Return the lines of a site file, the cluster's own choices without one.

    Raises `UserError` for a file that is no YAML mapping of the known keys.
    """
    path = Path(path)
    return read_site_file(path, SlurmSite) if path.is_file() else SlurmSite()


def smallest_node(partition: str | None) -> tuple[int, int]:
    """Return the cores and memory (MB) of the smallest node of a partition, by default the default.

    Without SLURM (a dry run elsewhere) those of a small node: 4 cores, 16,000 MB.
    """
    if shutil.which("sinfo") is None:
        return 4, 16000
    chosen = ["--partition", partition] if partition else []
    command = ["sinfo", "--noheader", "--exact", "--format", "%P %c %m", *chosen]
    nodes = [
        (name, int(cpus), int(mem_mb))
        for name, cpus, mem_mb in map(str.split, _output_of(command).splitlines())
    ]
    # a star marks the default partition
    ours = [node for node in nodes if partition or node[0].endswith("*")] or nodes
    if not ours:
        raise UserError(
            f"sinfo lists no node of partition {partition}; correct `partition` in the site file"
            if partition
            else "sinfo lists no node; is this a login node of the cluster?"
        )
    return min(cpus for _, cpus, _ in ours), min(mem_mb for *_, mem_mb in ours)


def status_command() -> str:
    """Return by which command jobs are followed: `sacct` where SLURM keeps accounts, or `squeue`.

    Where `sacct` is installed but no slurmdbd runs, it always fails, and a run that asks it waits
    for ever.
    """
    if shutil.which("scontrol") is None:
        return "squeue"
    for line in _output_of(["scontrol", "show", "config"]).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "AccountingStorageType":
            return "sacct" if value.strip() == "accounting_storage/slurmdbd" else "squeue"
    return "squeue"


def _output_of(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        why = (result.stderr.strip() or "no answer").splitlines()[-1]
        raise UserError(f"{command[0]}: {why}; is SLURM's controller up?")
    return result.stdout
