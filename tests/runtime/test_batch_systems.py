"""Submit and status of PBS, LSF and SGE, with fakes that print what the real programs print."""

import json
import os

import pytest
from synthetic_files import synthetic

from workflow_scripts.errors import UserError
from workflow_scripts.runtime import batch_systems
from workflow_scripts.runtime.batch_systems import Site, read_job, words_of


@pytest.fixture
def script(tmp_path):
    """A job script as Snakemake writes it, of a rule on a GPU."""
    properties = {"type": "single", "rule": "tune_mirror", "threads": 4, "jobid": 17}
    properties["resources"] = {"mem_mb": 8000, "runtime": 90, "gpu": 1, "tmpdir": "/tmp"}
    file = tmp_path / "snakejob.sh"
    file.write_text(f"#!/bin/sh\n# properties = {json.dumps(properties)}\ntrue\n")
    return file


@pytest.fixture
def programs(tmp_path, monkeypatch):
    """A folder for fakes on the PATH; this one is the project's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return folder


def words_given(programs, name):
    return (programs / f"{name}.words").read_text().splitlines()


def site_file(tmp_path, text):
    file = tmp_path / "site.yaml"
    file.write_text(text)
    return file


PBS_WORDS = ["select=1:ncpus=4:mem=8000mb:ngpus=1", "walltime=01:30:00", "gpus", "-A"]
LSF_WORDS = ["span[hosts=1] rusage[mem=8000]", "90", "num=1", "gpus", "-P"]
SGE_WORDS = ["h_vmem=2000M,h_rt=5400", "gpu=1", "gpus", "-P", "4"]


@pytest.mark.parametrize(
    ("system", "command", "printed", "job", "asked"),
    [
        ("pbs", "qsub", "1234.server\n", "1234.server", PBS_WORDS),
        ("lsf", "bsub", "Job <987> is submitted to queue <gpus>.\n", "987", LSF_WORDS),
        ("sge", "qsub", 'Your job 55 ("tune_mirror") has been submitted\n', "55", SGE_WORDS),
    ],
)
def test_a_job_is_sent(system, command, printed, job, asked, script, programs, tmp_path, capsys):
    synthetic(programs, command, printed)
    lines = f"system: {system}\nqueue: all\ngpu_queue: gpus\naccount: ours\nextra: [-z]\n"
    batch_systems.main(["submit", "--site", str(site_file(tmp_path, lines)), str(script)])
    assert capsys.readouterr().out == f"{job}\n"
    words = words_given(programs, command)
    assert set(asked) <= set(words)
    assert "ours" in words and "-z" in words and "all" not in words
    assert words[-1] == str(script)
    assert any(word.endswith("tune_mirror.17.log") for word in words)
    # a job without a GPU requests none
    script.write_text(script.read_text().replace('"gpu": 1', '"gpu": 0'))
    words = words_of(Site(system=system, queue="all", gpu_queue="gpus"), read_job(script))
    assert "all" in words and not any("gpu" in word for word in words[:-1])


# the queue multiplies by the threads: memory of each of them, rounded up
@pytest.mark.parametrize(("memory", "each"), [(8000, 2000), (8001, 2001), (7999, 2000)])
def test_sge_is_asked_for_no_less_than_a_job_needs(memory, each, script):
    script.write_text(script.read_text().replace("8000", str(memory)))
    words = words_of(Site(system="sge"), read_job(script))
    assert f"h_vmem={each}M,h_rt=5400" in words


@pytest.mark.parametrize(
    ("system", "program", "printed", "status"),
    [
        ("pbs", "qstat", "    job_state = R\n", "running"),
        ("pbs", "qstat", "    job_state = F\n    Exit_status = 0\n", "success"),
        ("pbs", "qstat", "    job_state = F\n    Exit_status = 271\n", "failed"),
        ("pbs", "qstat", "    job_state = F\n", "failed"),
        ("lsf", "bjobs", "PEND\n", "running"),
        ("lsf", "bjobs", "DONE\n", "success"),
        ("lsf", "bjobs", "EXIT\n", "failed"),
        # a system that does not answer now may do so later
        ("lsf", "bjobs", "", "running"),
        ("sge", "qstat", "there", "running"),
        ("sge", "qacct", "failed       0\nexit_status  0\n", "success"),
        ("sge", "qacct", "failed       0\nexit_status  1\n", "failed"),
        ("sge", "qacct", "failed       100 : assumedly after job\nexit_status  0\n", "failed"),
        ("sge", "qacct", "error: job id 7 not found\n", "running"),
    ],
)
def test_the_state_of_a_job(system, program, printed, status, programs, tmp_path, capsys):
    # of a job that has left its queue
    synthetic(programs, "qstat", status=1)
    synthetic(programs, program, printed)
    batch_systems.main(["status", "--site", str(site_file(tmp_path, f"system: {system}")), "7"])
    assert capsys.readouterr().out == f"{status}\n"


def test_own_commands_are_given_script_and_id(script, programs, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RUN_RECORDS", str(tmp_path / "records"))
    synthetic(programs, "put", "queued as\njob-9\n")
    synthetic(programs, "look", "failed\n")
    site = site_file(tmp_path, "system: own\nsubmit: put -v\nstatus: look\ncancel: drop\n")
    batch_systems.main(["submit", "--site", str(site), str(script)])
    assert capsys.readouterr().out == "job-9\n"
    assert words_given(programs, "put") == ["-v", str(script)]
    note = tmp_path / "records" / "cluster_jobs" / "job-9"
    assert note.is_file()
    batch_systems.main(["status", "--site", str(site), "job-9"])
    assert capsys.readouterr().out == "failed\n"
    assert not note.exists()


def test_a_submission_that_is_refused_says_why(script, programs, tmp_path):
    synthetic(programs, "qsub", "no such queue\n", status=1)
    site = site_file(tmp_path, "system: pbs")
    with pytest.raises(UserError, match="tune_mirror: not submitted: no such queue"):
        batch_systems.main(["submit", "--site", str(site), str(script)])
