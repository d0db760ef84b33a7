"""Jobs of an earlier run: of a cluster by a fake squeue, of this machine by their locks."""

import inspect
import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from same_everywhere import wait_for

from workflow_scripts.runtime import earlier_jobs
from workflow_scripts.runtime.earlier_jobs import (
    jobs_left_behind,
    note_slurm_run,
    wait_for_earlier_jobs,
)
from workflow_scripts.runtime.snakemake_run import SnakemakeRun


@pytest.fixture(autouse=True)
def records_of_results(tmp_path, monkeypatch):
    monkeypatch.setenv("RUN_RECORDS", str(tmp_path))


def queue(tmp_path, monkeypatch, *lines):
    """Let squeue print the lines once, and nothing from then on."""
    listing = tmp_path / "queue.txt"
    listing.write_text("".join(f"{line}\n" for line in lines))
    make_program(tmp_path, monkeypatch, "squeue", f"cat {listing}\n: > {listing}")


def make_program(tmp_path, monkeypatch, name, body):
    program = tmp_path / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")


def submitting(executor):
    """Return a run of Snakemake with an executor."""
    return SnakemakeRun(
        SimpleNamespace(scheduler=SimpleNamespace(_executor=executor), modifier=None)
    )


def note_run(tmp_path, name):
    """Note a run as one that submits its jobs to SLURM by a name of its own."""
    executor = SimpleNamespace(run_uuid=name)
    note_slurm_run(submitting(executor), tmp_path)


def test_a_run_for_slurm_ends_at_once_where_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^error: executor slurm: no program sbatch on this mach"):
        note_run(tmp_path, "run-a")
    assert not (tmp_path / "slurm_runs").exists()


def test_only_jobs_of_runs_of_these_results_count(tmp_path, monkeypatch):
    """From whatever clone they were submitted."""
    make_program(tmp_path, monkeypatch, "sbatch", "exit 1")
    note_run(tmp_path, "run-a")
    note_run(tmp_path, "run-b")
    queue(tmp_path, monkeypatch, "7|run-a", "8_[2-4]|run-b", "9|run-c", "10|my own job")
    assert jobs_left_behind(tmp_path) == ["7", "8_[2-4]"]
    # and none without SLURM
    (tmp_path / "squeue").unlink()
    assert jobs_left_behind(tmp_path) == []
    # nor of a run whose jobs are not SLURM jobs
    note_slurm_run(submitting(object()), tmp_path)
    assert (tmp_path / "slurm_runs").read_text().split() == ["run-a", "run-b"]
    wait_for_earlier_jobs(tmp_path)
    assert not (tmp_path / "slurm_runs").exists()


def test_the_plugin_calls_the_jobs_of_a_run_by_one_name():
    plugin = pytest.importorskip("snakemake_executor_plugin_slurm")
    assert "self.run_uuid = " in inspect.getsource(plugin.Executor)
    submission = inspect.getsource(plugin.get_submit_command)
    assert "--job-name {safe_quote(params.run_uuid)}" in submission


def test_jobs_of_other_batch_systems_count_until_they_have_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "profiles" / "generic").mkdir(parents=True)
    (tmp_path / "profiles" / "generic" / "site.yaml").write_text("system: lsf\n")
    notes = tmp_path / "cluster_jobs"
    notes.mkdir()
    for job in ("11", "12", "13"):
        (notes / job).touch()
    # the fourth word is the job's id
    make_program(tmp_path, monkeypatch, "bjobs", "[ $4 = 12 ] && echo RUN || echo DONE")
    assert jobs_left_behind(tmp_path) == ["12"]
    assert [file.name for file in notes.iterdir()] == ["12"]


def test_a_run_waits_for_them_and_starts_anew(tmp_path, monkeypatch, capsys):
    make_program(tmp_path, monkeypatch, "sbatch", "exit 1")
    note_run(tmp_path, "run-a")
    queue(tmp_path, monkeypatch, "7|run-a")
    started = []
    monkeypatch.setattr(earlier_jobs.os, "execv", lambda *words: started.append(words[1][1:]))
    monkeypatch.setattr(earlier_jobs.sys, "argv", ["snakemake", "--cores", "1", "all_tables"])
    wait_for_earlier_jobs(tmp_path)
    again = [["-m", "snakemake", "--cores", "1", "all_tables"]]
    assert started == again
    said = capsys.readouterr().err
    assert "jobs of an earlier run" in said and "(7)" in said
    # a run without them continues
    wait_for_earlier_jobs(tmp_path)
    assert started == again


JOB_SH = Path(earlier_jobs.__file__).with_name("job.sh")


@pytest.fixture
def job(tmp_path):
    """A job that waits, in a process group of its own: its shell, and what the shell began."""
    script = f"source {JOB_SH}; logged a.log usage.tsv sh -c 'echo $$ > child; sleep 60'"
    shell = subprocess.Popen(["bash", "-c", script], cwd=tmp_path, start_new_session=True)
    child = tmp_path / "child"
    wait_for(lambda: child.exists() and child.read_text(), shell)
    yield shell
    with suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGKILL)
    shell.wait()


def test_a_job_counts_as_long_as_a_process_of_it_lives(job, tmp_path):
    (left,) = jobs_left_behind(tmp_path)
    assert left.startswith(f"a.log, process {job.pid} on ")
    # its shell alone is killed, as by a system that is out of memory
    job.kill()
    job.wait()
    assert jobs_left_behind(tmp_path) == [left]
    os.killpg(job.pid, signal.SIGKILL)
    wait_for(lambda: not jobs_left_behind(tmp_path))
    assert not list((tmp_path / "running").iterdir())


@pytest.mark.parametrize(("command", "status"), [("true", 0), ("false", 1)])
def test_a_job_that_has_ended_leaves_nothing(tmp_path, command, status):
    script = f"source {JOB_SH}; logged a.log usage.tsv {command}"
    assert subprocess.run(["bash", "-c", script], cwd=tmp_path).returncode == status
    assert not list((tmp_path / "running").iterdir())
