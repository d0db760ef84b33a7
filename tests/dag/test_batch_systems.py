"""Submit and status of PBS, LSF and SGE, with stand-ins that print what the real ones print."""

import json
import os

import pytest

from workflow_scripts.dag import batch_systems
from workflow_scripts.dag.batch_systems import SYSTEMS, Site, read_job, read_site
from workflow_scripts.errors import UserError


@pytest.fixture
def script(tmp_path):
    """A job script as Snakemake writes it, of a rule on a GPU."""
    properties = {
        "type": "single",
        "rule": "tune_mirror",
        "threads": 4,
        "resources": {"mem_mb": 8000, "runtime": 90, "gpu": 1, "tmpdir": "/tmp"},
        "jobid": 17,
    }
    file = tmp_path / "snakejob.sh"
    file.write_text(f"#!/bin/sh\n# properties = {json.dumps(properties)}\ntrue\n")
    return file


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    """Return a function that puts a command on the path: notes its words, prints a text."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    def make(name, text="", status=0):
        (folder / f"{name}.txt").write_text(text)
        program = folder / name
        program.write_text(
            f'#!/bin/sh\nfor word in "$@"; do echo "$word"; done > {tmp_path}/{name}.words\n'
            f"cat {folder}/{name}.txt\nexit {status}\n"
        )
        program.chmod(0o755)

    return make


def site_file(tmp_path, text):
    file = tmp_path / "site.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("system", "command", "printed", "job", "asked"),
    [
        (
            "pbs",
            "qsub",
            "1234.server\n",
            "1234.server",
            ["select=1:ncpus=4:mem=8000mb:ngpus=1", "walltime=01:30:00", "gpus", "-A"],
        ),
        (
            "lsf",
            "bsub",
            "Job <987> is submitted to queue <gpus>.\n",
            "987",
            ["span[hosts=1] rusage[mem=8000]", "90", "num=1", "gpus", "-P"],
        ),
        (
            "sge",
            "qsub",
            'Your job 55 ("tune_mirror") has been submitted\n',
            "55",
            ["h_vmem=2000M,h_rt=5400", "gpu=1", "gpus", "-P", "4"],
        ),
    ],
)
def test_a_job_is_submitted(
    system, command, printed, job, asked, script, stand_in, tmp_path, capsys
):
    stand_in(command, printed)
    lines = f"system: {system}\nqueue: all\ngpu_queue: gpus\naccount: ours\nextra: [-z]\n"
    batch_systems.main(["submit", "--site", str(site_file(tmp_path, lines)), str(script)])
    assert capsys.readouterr().out == f"{job}\n"
    words = (tmp_path / f"{command}.words").read_text().splitlines()
    assert set(asked) <= set(words)
    assert "ours" in words and "-z" in words and "all" not in words
    assert words[-1] == str(script)
    assert any(word.endswith("tune_mirror.17.log") for word in words)


@pytest.mark.parametrize(
    ("system", "command", "printed", "status"),
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
    ],
)
def test_the_state_of_a_job(system, command, printed, status, stand_in, tmp_path, capsys):
    stand_in(command, printed)
    batch_systems.main(["status", "--site", str(site_file(tmp_path, f"system: {system}")), "7"])
    assert capsys.readouterr().out == f"{status}\n"


@pytest.mark.parametrize(
    ("in_queue", "accounts", "status"),
    [
        (0, "", "running"),
        (1, "failed       0\nexit_status  0\n", "success"),
        (1, "failed       0\nexit_status  1\n", "failed"),
        (1, "failed       100 : assumedly after job\nexit_status  0\n", "failed"),
        (1, "error: job id 7 not found\n", "running"),
    ],
)
def test_the_state_of_a_job_of_grid_engine(in_queue, accounts, status, stand_in):
    stand_in("qstat", status=in_queue)
    stand_in("qacct", accounts)
    assert SYSTEMS["sge"](Site(system="sge")).status("7") == status


def test_a_job_without_a_gpu_asks_for_none(script, tmp_path):
    text = script.read_text().replace('"gpu": 1', '"gpu": 0')
    script.write_text(text)
    for name in ("pbs", "lsf", "sge"):
        site = Site(system=name, queue="all", gpu_queue="gpus")
        words = SYSTEMS[name](site).submit(read_job(script))
        assert not any("gpu" in word for word in words[:-1])
        assert "all" in words


def test_own_commands_are_given_script_and_id(script, stand_in, tmp_path, capsys):
    stand_in("put", "queued as\njob-9\n")
    stand_in("look", "failed\n")
    site = site_file(tmp_path, "system: own\nsubmit: put -v\nstatus: look\ncancel: drop\n")
    batch_systems.main(["submit", "--site", str(site), str(script)])
    assert capsys.readouterr().out == "job-9\n"
    assert (tmp_path / "put.words").read_text().splitlines() == ["-v", str(script)]
    assert (tmp_path / ".snakemake" / "cluster_jobs" / "job-9").is_file()
    batch_systems.main(["status", "--site", str(site), "job-9"])
    assert capsys.readouterr().out == "failed\n"
    assert not (tmp_path / ".snakemake" / "cluster_jobs" / "job-9").exists()


def test_a_submission_that_is_refused_says_why(script, stand_in, tmp_path):
    stand_in("qsub", status=1)
    (tmp_path / "bin" / "qsub").write_text("#!/bin/sh\necho 'no such queue' >&2\nexit 1\n")
    with pytest.raises(UserError, match="tune_mirror: not submitted: no such queue"):
        batch_systems.main(
            ["submit", "--site", str(site_file(tmp_path, "system: pbs")), str(script)]
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system: slurm", "`system` is `slurm`"),
        ("sistem: pbs", "unknown key `sistem`; did you mean 'system'"),
        ("system: own\nsubmit: a\nstatus: b", "`system: own` needs `cancel`"),
        ("extra: -q", "`extra` is '-q'; give a list"),
        ("node_cpus: 0", "`node_cpus` is 0"),
    ],
)
def test_a_mistake_in_the_site_file_is_named(text, message, tmp_path):
    with pytest.raises(UserError, match=r"site\.yaml: .*" + message):
        read_site(site_file(tmp_path, text))


def test_a_missing_site_file_says_what_to_copy(tmp_path):
    with pytest.raises(UserError, match=r"no such file; copy .*site\.example\.yaml"):
        read_site(tmp_path / "site.yaml")


def test_the_example_is_a_site_file(project):
    assert read_site(project / "profiles" / "generic" / "site.example.yaml").gpu_queue == "gpu"
