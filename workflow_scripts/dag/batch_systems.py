"""PBS, LSF and SGE as snakemake-executor-plugin-cluster-generic wants them: submit, status, cancel.

    python -m workflow_scripts.dag.batch_systems submit --site FILE SCRIPT  # prints the job's id
    python -m workflow_scripts.dag.batch_systems status --site FILE JOB     # running, success, ...

profiles/generic calls these; the site's lines are in profiles/generic/site.yaml. Resources come
from the job script, into which Snakemake writes them as JSON.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path

from workflow_scripts.dag.site_file import read_site_file
from workflow_scripts.errors import UserError, nearest_name, run_command

LOGS = Path(".snakemake/cluster_logs")


@dataclass(frozen=True)
class Job:
    """What a job asks for: cores, memory (MB), time (minutes), GPUs; its script and log."""

    script: Path
    name: str
    threads: int
    mem_mb: int
    runtime: int
    gpus: int
    log: Path


@dataclass(frozen=True)
class Site:
    """The lines of a site file. `system` is pbs, lsf, sge or own; own names its three commands."""

    system: str = "pbs"
    queue: str | None = None
    gpu_queue: str | None = None
    account: str | None = None
    # words given to the submit command as they are
    extra: list[str] = field(default_factory=list)
    submit: str | None = None
    status: str | None = None
    cancel: str | None = None
    jobs: int = 100
    node_cpus: int = 4
    node_mem_mb: int = 16000


SITE_FILE = "profiles/generic/site.yaml"
# a file for each job that was submitted and not seen to end: what a killed head leaves behind
NOTES = Path(".snakemake/cluster_jobs")


def command(action: str) -> str:
    """Return what Snakemake runs to submit a job or to ask for its status."""
    module = "workflow_scripts.dag.batch_systems"
    return f"{shlex.quote(sys.executable)} -m {module} {action} --site {SITE_FILE}"


def read_site(path: str | Path = SITE_FILE) -> Site:
    """Return the lines of a site file.

    Raises `UserError` if it is missing, is no YAML mapping of the known keys, or lacks a command.
    """
    path = Path(path)
    if not path.is_file():
        raise UserError(
            f"{path}: no such file; copy {path.with_name('site.example.yaml')} there and say which "
            "batch system it is"
        )
    site = read_site_file(path, Site)
    if site.system not in SYSTEMS:
        raise UserError(
            f"{path}: `system` is `{site.system}`; {nearest_name(site.system, SYSTEMS)}"
        )
    for key in ("submit", "status", "cancel"):
        if site.system == "own" and getattr(site, key) is None:
            raise UserError(f"{path}: `system: own` needs `{key}`, the command of your system")
    return site


def read_job(script: Path) -> Job:
    """Return what a job script of Snakemake asks for; `UserError` for another file."""
    found = re.search(r"^# properties = (.*)$", script.read_text(), flags=re.MULTILINE)
    if found is None:
        raise UserError(f"{script}: no job script of Snakemake (no line `# properties = `)")
    properties = json.loads(found[1])
    resources = properties["resources"]
    name = properties.get("rule") or properties["groupid"]
    return Job(
        script=script,
        name=name,
        threads=properties["threads"],
        mem_mb=int(resources["mem_mb"]),
        runtime=int(resources["runtime"]),
        gpus=int(resources.get("gpu", 0)),
        log=LOGS / f"{name}.{properties['jobid']}.log",
    )


# ---- the systems --------------------------------------------------------------------------------


class System(ABC):
    """How the batch system of a site is spoken to."""

    # the program that takes ids, where the site file names none
    cancel = ""

    def __init__(self, site: Site) -> None:
        self.site = site

    @abstractmethod
    def submit(self, job: Job) -> list[str]:
        """Return the words of the submit command."""

    @abstractmethod
    def job_id(self, printed: str) -> str:
        """Return the id in what the submit command printed."""

    @abstractmethod
    def status(self, job: str) -> str:
        """Return running, success or failed."""

    def queue(self, job: Job) -> str | None:
        """Return the queue of a job; those on a GPU may have another."""
        return self.site.gpu_queue or self.site.queue if job.gpus else self.site.queue


class Pbs(System):
    """OpenPBS and PBS Pro."""

    cancel = "qdel"

    def submit(self, job: Job) -> list[str]:
        """Return the words of the submit command."""
        gpus = f":ngpus={job.gpus}" if job.gpus else ""
        return [
            *("qsub", "-V", "-j", "oe", "-o", str(job.log.absolute()), "-N", job.name[:15]),
            *("-l", f"select=1:ncpus={job.threads}:mem={job.mem_mb}mb{gpus}"),
            *("-l", f"walltime={_hours(job.runtime)}"),
            *_option("-q", self.queue(job)),
            *_option("-A", self.site.account),
            *self.site.extra,
            str(job.script),
        ]

    def job_id(self, printed: str) -> str:
        """Return the id in what the submit command printed."""
        return printed.strip().splitlines()[-1].strip()

    def status(self, job: str) -> str:
        """Return running, success or failed."""
        shown = _output(["qstat", "-x", "-f", job])
        if not re.search(r"job_state = [FCX]", shown):
            return "running"
        return "success" if re.search(r"[Ee]xit_status = 0\b", shown) else "failed"


class Lsf(System):
    """IBM Spectrum LSF."""

    cancel = "bkill"

    def submit(self, job: Job) -> list[str]:
        """Return the words of the submit command; memory is in MB, as LSF_UNIT_FOR_LIMITS=MB."""
        return [
            *("bsub", "-J", job.name, "-o", str(job.log.absolute()), "-n", str(job.threads)),
            *("-R", f"span[hosts=1] rusage[mem={job.mem_mb}]", "-M", str(job.mem_mb)),
            *("-W", str(job.runtime)),
            *_option("-gpu", f"num={job.gpus}" if job.gpus else None),
            *_option("-q", self.queue(job)),
            *_option("-P", self.site.account),
            *self.site.extra,
            *("sh", str(job.script)),
        ]

    def job_id(self, printed: str) -> str:
        """Return the id in what the submit command printed."""
        return _found(r"Job <(\d+)>", printed)

    def status(self, job: str) -> str:
        """Return running, success or failed."""
        state = _output(["bjobs", "-noheader", "-o", "stat", job]).strip()
        return {"DONE": "success", "EXIT": "failed"}.get(state, "running")


class Sge(System):
    """Grid Engine: SGE, UGE, Open Grid Scheduler."""

    cancel = "qdel"

    def submit(self, job: Job) -> list[str]:
        """Return the words of the submit command; `smp` is the usual name of that environment."""
        return [
            *("qsub", "-V", "-cwd", "-j", "y", "-o", str(job.log.absolute()), "-N", job.name),
            *("-pe", "smp", str(job.threads)),
            # a limit for each core
            *("-l", f"h_vmem={-(-job.mem_mb // job.threads)}M,h_rt={job.runtime * 60}"),
            *_option("-l", f"gpu={job.gpus}" if job.gpus else None),
            *_option("-q", self.queue(job)),
            *_option("-P", self.site.account),
            *self.site.extra,
            str(job.script),
        ]

    def job_id(self, printed: str) -> str:
        """Return the id in what the submit command printed."""
        return _found(r"Your job (\d+)", printed)

    def status(self, job: str) -> str:
        """Return running, success or failed; accounting may take a while to hear of an end."""
        if _succeeds(["qstat", "-j", job]):
            return "running"
        shown = _output(["qacct", "-j", job])
        if "exit_status" not in shown:
            return "running"
        ended = all(re.search(rf"^{key}\s+0\b", shown, re.M) for key in ("failed", "exit_status"))
        return "success" if ended else "failed"


class Own(System):
    """The commands of a site file."""

    def submit(self, job: Job) -> list[str]:
        """Return the words of the submit command."""
        return [*shlex.split(str(self.site.submit)), str(job.script)]

    def job_id(self, printed: str) -> str:
        """Return the id in what the submit command printed: its last line."""
        return _found(r"(\S+)\s*\Z", printed)

    def status(self, job: str) -> str:
        """Return running, success or failed, as the status command prints."""
        found = _output([*shlex.split(str(self.site.status)), job]).strip()
        return found if found in ("success", "failed") else "running"


SYSTEMS: dict[str, type[System]] = {"pbs": Pbs, "lsf": Lsf, "sge": Sge, "own": Own}


def system_of(site: Site) -> System:
    """Return how the batch system of a site is spoken to."""
    return SYSTEMS[site.system](site)


def cancel_command(site: Site) -> str:
    """Return the program that Snakemake runs with ids behind it."""
    return site.cancel or system_of(site).cancel


def submit(site: Site, script: Path) -> str:
    """Submit a job script and return the job's id; `UserError` where it is refused."""
    job = read_job(script)
    job.log.parent.mkdir(parents=True, exist_ok=True)
    system = system_of(site)
    result = subprocess.run(system.submit(job), capture_output=True, text=True)
    if result.returncode:
        raise UserError(f"{job.name}: not submitted: {result.stderr.strip() or 'no reason given'}")
    found = system.job_id(result.stdout)
    NOTES.mkdir(parents=True, exist_ok=True)
    (NOTES / found).write_text(f"{job.name}\n")
    return found


def status(site: Site, job: str) -> str:
    """Return running, success or failed."""
    found = system_of(site).status(job)
    if found != "running":
        (NOTES / job).unlink(missing_ok=True)
    return found


def jobs_in_queue(folder: Path) -> list[str]:
    """Return the ids of jobs that runs in `folder` submitted here and that have not ended."""
    notes = sorted(file.name for file in (folder / NOTES).glob("*"))
    if not notes:
        return []
    site = read_site(folder / SITE_FILE)
    return [job for job in notes if status(site, job) == "running"]


def _option(name: str, value: str | None) -> list[str]:
    return [] if value is None else [name, value]


def _hours(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}:00"


def _found(pattern: str, printed: str) -> str:
    found = re.search(pattern, printed)
    if found is None:
        raise UserError(f"the submit command printed no job id: {printed.strip() or 'nothing'}")
    return found[1]


def _output(command: list[str]) -> str:
    """Return what a command prints; nothing where the system does not answer, as it may later."""
    return subprocess.run(command, capture_output=True, text=True).stdout


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True).returncode == 0


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("submit", "status"))
    parser.add_argument("--site", default=SITE_FILE)
    parser.add_argument("job", help="job script, or id of a job")
    arguments = parser.parse_args(argv)
    site = read_site(arguments.site)
    if arguments.action == "status":
        print(status(site, arguments.job))
    else:
        print(submit(site, Path(arguments.job)))


if __name__ == "__main__":
    run_command(main)
