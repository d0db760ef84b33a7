"""A SLURM cluster of one node, and copies of the project that run on it."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml
from one_node_slurm import OneNodeSlurm
from small_project import PROJECT, SmallProject, copy_project

# Tables with jobs of every kind that is submitted, and the one used instead on further systems.
SOME_TABLES = [f"results/tables/{name}.md" for name in ("words", "sentences", "lexicon")]
ONE_TABLE = SOME_TABLES[:1]


def groups_of(rule: str) -> list[str]:
    """Return the group of a rule in profiles/slurm, none without one."""
    groups = yaml.safe_load((PROJECT / "profiles/slurm/config.yaml").read_text())["groups"]
    return [group for name, _, group in (line.partition("=") for line in groups) if name == rule]


class ClusterProject(SmallProject):
    """The small project, run through profiles/slurm."""

    def __init__(self, folder: Path, cluster: OneNodeSlurm) -> None:
        super().__init__(folder)
        self.cluster = cluster

    def command(self, *options: str) -> list[str]:
        return [
            *(sys.executable, "-m", "snakemake", "--configfile", "config/small.yaml"),
            *("--workflow-profile", "profiles/slurm"),
            # jobs of seconds on a file system of one machine: asked sooner, waited for less
            *("--slurm-init-seconds-before-status-checks", "3", "--latency-wait", "5"),
            *("--max-jobs-per-timespan", "1000/1s"),
            *options,
        ]

    def environment(self) -> dict[str, str]:
        ours = self.cluster.environment
        python = str(Path(sys.executable).parent)
        return super().environment() | ours | {"PATH": f"{python}{os.pathsep}{ours['PATH']}"}

    def start(self, *options: str) -> "Run":
        """Start a run in the background."""
        return Run(self, options)


class Run:
    """A run in the background of the test."""

    def __init__(self, project: SmallProject, options: tuple[str, ...]) -> None:
        self._project = project
        number = len(list(project.folder.glob("run-*.log")))
        self._log = project.folder / f"run-{number}.log"
        with self._log.open("w") as log:
            streams = {"stdout": log, "stderr": subprocess.STDOUT, "start_new_session": True}
            places = {"cwd": project.folder, "env": project.environment()}
            self._process = subprocess.Popen(project.command(*options), **places, **streams)

    @property
    def output(self) -> str:
        return self._log.read_text()

    def wait_for(self, condition: Callable[[], object], what: str, seconds: float = 120) -> None:
        """Wait until `condition` holds; fail with the run's output if it ends before."""
        end = time.monotonic() + seconds
        while not condition():
            ended = self._process.poll() is not None
            assert not ended, f"ended before {what}:\n{self.output}"
            assert time.monotonic() < end, f"waited for {what} in vain:\n{self.output}"
            time.sleep(0.2)

    def running_job(self, rule: str) -> str:
        """Return the id of a SLURM job of `rule` whose command has started."""
        found: list[str] = []

        def started() -> bool:
            jobs = self._project.cluster.jobs("RUNNING")
            # as the plugin comments jobs, and groups with their rules
            names = [f"rule_{rule}_", *(rf"rule_{group}_\S*{rule}" for group in groups_of(rule))]
            found[:] = [job for job, comment in jobs if re.match("|".join(names), comment)]
            logs = self._project.folder / "results" / "logs" / rule
            return bool(found) and any(logs.rglob("*.log"))

        self.wait_for(started, f"a job of {rule}")
        return found[0]

    def end(self, seconds: float = 900) -> int:
        """Wait for the end and return the exit status."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"still running after {seconds} s:\n{self.output}") from None

    def kill(self) -> None:
        """Kill the head process, which gets no chance to clean up."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def submissions(self, rule: str) -> list[str]:
        """Return the SLURM ids of the jobs that this run submitted of `rule`, or of its group."""
        names = [f"rule_{rule}", *(rf"group_{group}_\w*{rule}\w*" for group in groups_of(rule))]
        pattern = rf"submitted with SLURM jobid (\d+) \(log: \S*/(?:{'|'.join(names)})/"
        return re.findall(pattern, self.output)


@pytest.fixture(scope="module")
def cluster_without_accounts(tmp_path_factory) -> Iterator[OneNodeSlurm]:
    yield from _running(tmp_path_factory, accounting=False)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory) -> Iterator[OneNodeSlurm]:
    """A cluster with a database of accounts."""
    yield from _running(tmp_path_factory, accounting=True)


def _running(tmp_path_factory, accounting: bool) -> Iterator[OneNodeSlurm]:
    cluster = OneNodeSlurm(tmp_path_factory.mktemp("slurm"), accounting)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture(scope="session")
def prepared(project, tmp_path_factory) -> SmallProject:
    """The small project with the corpus and the data sets that the tests below need, made here."""
    small = copy_project(project, tmp_path_factory.mktemp("prepared") / "project")
    names = ("multisimlex-en", "sickr", "sts12")
    datasets = (f"results/datasets/{name}/strings.txt" for name in names)
    small.succeeds("results/corpora/words-en.txt", *datasets)
    return small


@pytest.fixture
def on_cluster(prepared, tmp_path, cluster) -> ClusterProject:
    """The small project before any job of tuning, on the cluster with accounts."""
    folder = tmp_path / "project"
    shutil.copytree(prepared.folder, folder, symlinks=True)
    return ClusterProject(folder, cluster)


@pytest.fixture(scope="session")
def local_tables(project, tmp_path_factory) -> Callable[..., dict[str, bytes]]:
    """A function of targets: the files of tables and figures of a run without a cluster."""

    @cache
    def made(*targets: str) -> dict[str, bytes]:
        local = copy_project(project, tmp_path_factory.mktemp("local") / "project")
        local.succeeds(*targets)
        return local.tables()

    return made
