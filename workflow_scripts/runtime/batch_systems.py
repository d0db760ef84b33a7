"""PBS, LSF and SGE as snakemake-executor-plugin-cluster-generic wants them: submit, status, cancel.

profiles/generic calls `submit --site FILE SCRIPT`, which prints an id, and `status --site FILE ID`,
which prints running, success or failed. Resources stand in the job script as JSON.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field

from workflow_scripts.command_main import run_command
from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.errors import UserError
from workflow_scripts.files import no_link
from workflow_scripts.runtime.site_file import Name, SiteLines, Word, read_site_file

LOGS = Path(".snakemake/cluster_logs")
SITE_FILE = "profiles/generic/site.yaml"
# names the folder of the results' records, as the Snakefile sets it
RECORDS_SETTING = "RUN_RECORDS"


class Site(SiteLines):
    """The lines of profiles/generic/site.yaml."""

    system: Literal["pbs", "lsf", "sge", "own"] = Field(
        "pbs", description="the batch system; for `own`, give the three commands below"
    )
    queue: Name = Field(None, description="queue of all jobs")
    gpu_queue: Name = Field(None, description="queue of jobs on a GPU; default: `queue`")
    extra: list[Word] = Field([], description="more arguments of the submit command")
    submit: Name = Field(None, description="takes a job script, prints the job's id")
    status: Name = Field(None, description="takes an id, prints success, failed, ...")
    cancel: Name = Field(None, description="gets ids")
    node_cpus: WholeNumber = Field(4, description="cores of the largest job")
    node_mem_mb: WholeNumber = Field(16000, description="memory of the largest job, MB")


def command(action: str) -> str:
    """Return what Snakemake runs to submit a job or to ask for its status."""
    module = "workflow_scripts.runtime.batch_systems"
    return f"{shlex.quote(sys.executable)} -m {module} {action} --site {SITE_FILE}"


def read_site(path: str | Path = SITE_FILE) -> Site:
    """Return the lines of a site file; `UserError` without one, and for what is wrong there."""
    path = Path(path)
    if not path.is_file():
        example = path.with_name("site.example.yaml")
        remedy = f"copy {example} there and name the batch system"
        raise UserError(path, "no such file", remedy)
    site = read_site_file(path, Site)
    for key in ("submit", "status", "cancel"):
        if site.system == "own" and getattr(site, key) is None:
            problem = f"`system: own` needs `{key}`, the command of your system"
            raise UserError(path, problem, "add it")
    return site


def read_job(script: Path) -> dict[str, Any]:
    """Return what a job script of Snakemake asks for: cores, memory (MB), time (minutes), GPUs."""
    _, _, line = script.read_text().partition("\n# properties = ")
    properties = json.loads(line.partition("\n")[0])
    name = properties.get("rule") or properties["groupid"]
    asked = {key: int(properties["resources"].get(key, 0)) for key in ("mem_mb", "runtime", "gpu")}
    log = LOGS / f"{name}.{properties['jobid']}.log"
    return {"name": name, "threads": properties["threads"], "log": log, "script": script, **asked}


def _pbs_status(site: Site, job: str) -> str:
    shown = _output("qstat", "-x", "-f", job)
    if not re.search(r"job_state = [FCX]", shown):
        return "running"
    return "success" if re.search(r"[Ee]xit_status = 0\b", shown) else "failed"


def _lsf_status(site: Site, job: str) -> str:
    state = _output("bjobs", "-noheader", "-o", "stat", job).strip()
    return {"DONE": "success", "EXIT": "failed"}.get(state, "running")


def _sge_status(site: Site, job: str) -> str:
    if subprocess.run(["qstat", "-j", job], capture_output=True).returncode == 0:
        return "running"
    shown = _output("qacct", "-j", job)
    # accounting may take a while to hear of an end
    if "exit_status" not in shown:
        return "running"
    ended = all(re.search(rf"^{key}\s+0\b", shown, re.M) for key in ("failed", "exit_status"))
    return "success" if ended else "failed"


def _own_status(site: Site, job: str) -> str:
    status = _output(*shlex.split(str(site.status)), job).strip()
    return status if status in ("success", "failed") else "running"


class System(NamedTuple):
    """How a batch system is spoken to."""

    submit: str  # with the fields of `words_of`
    gpu: str  # {gpu} in it, for a job on GPUs
    account: str  # the option
    job_id: str  # finds the id in what the submit command printed
    cancel: str  # the program that takes ids
    status: Callable[[Site, str], str]  # running, success or failed, of a job


SYSTEMS = {
    # OpenPBS and PBS Pro
    "pbs": System(
        "qsub -V -j oe -o {log} -N {name:.15} -l select=1:ncpus={threads}:mem={mem_mb}mb{gpu}"
        " -l walltime={walltime} {place} {script}",
        *(":ngpus={}", "-A", r"(\S+)\s*\Z", "qdel", _pbs_status),
    ),
    # IBM Spectrum LSF; memory is in MB, as LSF_UNIT_FOR_LIMITS=MB
    "lsf": System(
        "bsub -J {name} -o {log} -n {threads} -R 'span[hosts=1] rusage[mem={mem_mb}]' -M {mem_mb}"
        " -W {runtime} {gpu} {place} sh {script}",
        *("-gpu num={}", "-P", r"Job <(\d+)>", "bkill", _lsf_status),
    ),
    # SGE, UGE, Open Grid Scheduler; `smp` is the usual name of that environment
    "sge": System(
        "qsub -V -cwd -j y -o {log} -N {name} -pe smp {threads}"
        " -l h_vmem={mem_mb_each}M,h_rt={seconds} {gpu} {place} {script}",
        *("-l gpu={}", "-P", r"Your job (\d+)", "qdel", _sge_status),
    ),
    "own": System("{own} {script}", "", "", r"(\S+)\s*\Z", "", _own_status),
}


def words_of(site: Site, job: dict[str, Any]) -> list[str]:
    """Return the words of the command that submits a job."""
    system, gpus, runtime = SYSTEMS[site.system], job["gpu"], job["runtime"]
    queue = site.gpu_queue or site.queue if gpus else site.queue
    options = {"-q": queue, system.account: site.account}
    chosen = [(option, value) for option, value in options.items() if value is not None]
    named = [word for pair in chosen for word in pair]
    paths = {key: shlex.quote(str(job[key].absolute())) for key in ("log", "script")}
    line = system.submit.format(
        **job | paths | {"gpu": system.gpu.format(gpus) if gpus else ""},
        mem_mb_each=-(-job["mem_mb"] // job["threads"]),
        walltime=f"{runtime // 60:02d}:{runtime % 60:02d}:00",
        seconds=runtime * 60,
        place=shlex.join([*named, *site.extra]),
        own=site.submit,
    )
    return shlex.split(line)


def cancel_command(site: Site) -> str:
    """Return the program that Snakemake runs, followed by ids."""
    return site.cancel or SYSTEMS[site.system].cancel


def submit(site: Site, script: str) -> str:
    """Submit a job script and return the job's id; `UserError` where it is refused."""
    job = read_job(Path(script))
    job["log"].parent.mkdir(parents=True, exist_ok=True)
    result = subprocess.run(words_of(site, job), capture_output=True, text=True)
    if result.returncode:
        why = result.stderr.strip() or "no reason given"
        remedy = "correct what the job asks for, or the site file"
        raise UserError(job["name"], f"not submitted: {why}", remedy)
    match = re.search(SYSTEMS[site.system].job_id, result.stdout)
    if match is None:
        printed = result.stdout.strip() or "nothing"
        problem = f"the submit command printed no job id: {printed}"
        raise UserError(job["name"], problem, "correct `submit` in the site file")
    _notes().mkdir(parents=True, exist_ok=True)
    with open(_notes() / match[1], "w", opener=no_link) as stream:
        stream.write(f"{job['name']}\n")
    return match[1]


def status(site: Site, job: str) -> str:
    status = SYSTEMS[site.system].status(site, job)
    if status != "running":
        (_notes() / job).unlink(missing_ok=True)
    return status


def jobs_in_queue() -> list[str]:
    """Return the ids of jobs that runs of the results folder submitted and that have not ended."""
    notes = sorted(file.name for file in _notes().glob("*"))
    site = read_site() if notes else Site()
    return [job for job in notes if status(site, job) == "running"]


def _notes() -> Path:
    """Return the folder with a file for each job that was submitted and not seen to end.

    That is what a killed head leaves behind.
    """
    return Path(os.environ.get(RECORDS_SETTING, ".snakemake")) / "cluster_jobs"


def _output(*command: str) -> str:
    # nothing where the system does not answer, as it may later
    return subprocess.run(command, capture_output=True, text=True).stdout


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=("submit", "status"))
    parser.add_argument("--site", default=SITE_FILE)
    parser.add_argument("job", help="job script, or id of a job")
    arguments = parser.parse_args(argv)
    action = submit if arguments.action == "submit" else status
    print(action(read_site(arguments.site), arguments.job))


if __name__ == "__main__":
    run_command(main)
