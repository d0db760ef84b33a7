"""What profiles/slurm/site.yaml asks for, as values of profiles/slurm/config.yaml."""

import re
import shutil
import subprocess
from pathlib import Path

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.errors import UserError
from workflow_scripts.runtime.site_file import Name, SiteLines, read_site_file

# the rules that ask for a GPU where the config says `device: cuda` or `auto`
GPU_RULES = (
    *("tune_encoder", "search_grid", "embed_suite", "embed_names", "embed_mentions"),
    "pretrain_model",
)


class SlurmSite(SiteLines):
    """The lines of profiles/slurm/site.yaml; None leaves the choice to the cluster."""

    partition: Name = Field(None, description="of all jobs")
    gpu_partition: Name = Field(None, description="of jobs on a GPU, if it differs")
    qos: Name = Field(None, description="of all jobs")
    gpu_qos: Name = Field(None, description="of jobs on a GPU, if it differs")
    constraint: Name = Field(None, description="of all jobs")
    gpu_constraint: Name = Field(None, description="of jobs on a GPU, if it differs")
    # by default the smallest node of `partition`
    node_cpus: WholeNumber | None = Field(None, description="cores of the largest job")
    node_mem_mb: WholeNumber | None = Field(None, description="memory of the largest job, MB")

    def largest_job(self) -> tuple[int, int]:
        """Return the cores and the memory (MB) that no job asks more than."""
        cpus, mem_mb = smallest_node(self.partition)
        return self.node_cpus or cpus, self.node_mem_mb or mem_mb

    def default_resources(self, *resources: str) -> list[str]:
        """Return `key=value` of what every job asks for, the given resources included."""
        chosen = self._chosen(self.partition, self.qos, self.constraint)
        if self.account is not None:
            chosen["slurm_account"] = repr(self.account)
        return [*resources, *(f"{key}={value}" for key, value in chosen.items())]

    def gpu_resources(self) -> dict[str, dict[str, str]] | None:
        """Return what the jobs on a GPU ask for in its place, by rule; None for nothing."""
        differing = self._chosen(self.gpu_partition, self.gpu_qos, self.gpu_constraint)
        return dict.fromkeys(GPU_RULES, differing) if differing else None

    @staticmethod
    def _chosen(partition: Name, qos: Name, constraint: Name) -> dict[str, str]:
        values = {"slurm_partition": partition, "qos": qos, "constraint": constraint}
        return {key: repr(value) for key, value in values.items() if value is not None}


def read_site(path: str | Path) -> SlurmSite:
    """Return the lines of a site file, without one the cluster's own choices."""
    path = Path(path)
    return read_site_file(path, SlurmSite) if path.is_file() else SlurmSite()


def smallest_node(partition: str | None) -> tuple[int, int]:
    """Return the cores and memory (MB) of the smallest node of a partition, by default the default.

    Without SLURM (a dry run elsewhere) those of a small node: 4 cores, 16,000 MB.
    """
    if shutil.which("sinfo") is None:
        return 4, 16000
    chosen = ["--partition", partition] if partition else []
    listing = _output_of("sinfo", "--noheader", "--exact", "--format", "%P %c %m", *chosen)
    nodes = [line.split() for line in listing.splitlines()]
    # a star marks the default partition
    ours = [node for node in nodes if partition or node[0].endswith("*")] or nodes
    if not ours:
        if partition:
            remedy = "correct `partition` in the site file"
            raise UserError("sinfo", f"lists no node of partition {partition}", remedy)
        raise UserError("sinfo", "lists no node at all", "check that SLURM's controller is running")
    return min(int(cpus) for _, cpus, _ in ours), min(int(mem_mb) for *_, mem_mb in ours)


def status_command() -> str:
    """Return by which command jobs are followed: `sacct` where SLURM keeps accounts, or `squeue`.

    Without slurmdbd `sacct` always fails, and a run that asks it waits for ever.
    """
    shown = _output_of("scontrol", "show", "config") if shutil.which("scontrol") else ""
    accounts = re.search(r"^AccountingStorageType\s*= accounting_storage/slurmdbd\s*$", shown, re.M)
    return "sacct" if accounts else "squeue"


def _output_of(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        why = (result.stderr.strip() or "no answer").splitlines()[-1]
        raise UserError(command[0], why, "check that SLURM's controller is running")
    return result.stdout
