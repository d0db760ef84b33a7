"""What a run does as jobs start, end and fail, by the records that Snakemake logs."""

import logging
from types import SimpleNamespace

import pytest
from snakemake.common import NOTHING_TO_BE_DONE_MSG
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from workflow_scripts.runtime import fork_server
from workflow_scripts.runtime.failed_jobs import FailedJobs
from workflow_scripts.runtime.progress import print_starts
from workflow_scripts.runtime.snakemake_run import SnakemakeRun

STARTED = {"jobid": 7, "rule_name": "tune_encoder", "wildcards": {}, "output": ["a", "b"]}
LOGGER = logging.getLogger("snakemake.logging")


@pytest.fixture
def log(monkeypatch):
    """Log an event as Snakemake does; handlers that the test adds are taken away again."""
    monkeypatch.setattr(LOGGER, "handlers", [])

    def log(event, msg="", **values):
        record = logging.makeLogRecord({"msg": msg, "event": event, **values})
        for handler in LOGGER.handlers:
            handler.emit(record)

    return log


def a_run(**settings):
    quiet = SimpleNamespace(quiet=settings.pop("quiet", None), dryrun=False)
    return SnakemakeRun(SimpleNamespace(output_settings=quiet, modifier=None, **settings))


def test_a_line_names_the_rule_of_a_job_and_what_it_is_of(log, capsys):
    print_starts(a_run(quiet={Quietness.RULES, Quietness.HOST}))
    of = {"model": "bert-en", "recipe": "mirror-word", "corpus": "words-en", "seed": "33"}
    log(LogEvent.JOB_INFO, **STARTED | {"wildcards": of})
    log(LogEvent.JOB_INFO, **STARTED)
    log(None, "Select jobs to execute...")
    assert capsys.readouterr().err.splitlines() == [
        "job 7, tune_encoder: model bert-en, recipe mirror-word, corpus words-en, seed 33",
        "job 7, tune_encoder",
    ]


# in the first case Snakemake shows jobs itself; without the option it has None
@pytest.mark.parametrize("quiet", [{"HOST"}, {"ALL", "RULES"}, {"PROGRESS", "RULES"}, set(), None])
def test_who_asked_for_more_or_less_gets_no_such_lines(quiet, log, capsys):
    print_starts(a_run(quiet=quiet and {Quietness[name] for name in quiet}))
    log(LogEvent.JOB_INFO, **STARTED)
    assert capsys.readouterr().err == ""


def test_outputs_are_handed_on_when_their_job_has_ended(log):
    handed = []
    a_run().watch_outputs(handed.append, lambda: handed.append("nothing to do"))
    log(LogEvent.JOB_INFO, **STARTED)
    assert handed == []
    log(LogEvent.JOB_FINISHED, job_id=7)
    log(None, NOTHING_TO_BE_DONE_MSG)
    assert handed == [["a", "b"], "nothing to do"]


@pytest.mark.parametrize("group", ["local", "a group"])
def test_a_group_of_jobs_starts_its_fork_server_with_its_first_job(group, log, monkeypatch):
    started = []
    monkeypatch.setattr(fork_server, "start_fork_server", started.append)

    class Settings(SimpleNamespace):
        local_groupid = "local"

    run = a_run(group_settings=Settings(local_groupid=group))
    fork_server.serve_group(run)
    log(LogEvent.PROGRESS)
    assert started == []
    log(LogEvent.JOB_INFO, **STARTED)
    assert started == [run] * (group != "local")


# ---- failed jobs in one line each ----------------------------------------------------------------

ENCODER = "tune_encoder results/encoders/a/encoder.json"


@pytest.fixture
def failed(log):
    jobs = FailedJobs()
    a_run().watch(jobs.hear)
    return jobs


def job_error(job=3, message=None, logs=()):
    output = [f"results/encoders/a/{name}" for name in ("encoder.json", "model.safetensors")]
    values = {"jobid": job, "log": [str(file) for file in logs], "output": output}
    return {"rule_name": "tune_encoder", "rule_msg": message, **values}


def test_the_reason_is_the_last_line_of_the_jobs_log_if_it_has_one(failed, log, tmp_path):
    file = tmp_path / "a.log"
    file.write_text("python -m a.step\n# python 3\nwarning: b\nerror: the corpus is too small\n\n")
    log(LogEvent.JOB_ERROR, **job_error(3, logs=[file]))
    # one that was killed before it said anything
    head = tmp_path / "b.log"
    head.write_text("python -m a.step\n# python 3\n# seed 33\n")
    log(LogEvent.JOB_ERROR, **job_error(4, logs=[head]))
    lines = [f"{ENCODER}: error: the corpus is too small; log: {file}"]
    lines.append(f"{ENCODER}: its command failed; log: {head}")
    assert failed.lines == lines
    # one that finishes later did not fail
    log(LogEvent.JOB_FINISHED, job_id=3)
    assert failed.lines == lines[1:]


def test_what_the_cluster_says_comes_first_and_is_shown_at_once(failed, log, tmp_path, capsys):
    own, slurm = tmp_path / "a.log", tmp_path / "12.log"
    own.write_text("step 10 of 100\n")
    killed = "JOB 12 ON node7 CANCELLED AT 2026 DUE TO TIME LIMIT"
    slurm.write_text(f"srun: something\nslurmstepd-node7: error: *** {killed} ***\n")
    status = "SLURM-job '12' failed, SLURM status is: 'TIMEOUT'"
    message = f"{status}. Reason: Unknown.For further error details see the log files."
    log(LogEvent.JOB_ERROR, **job_error(message=message, logs=[own, slurm]))
    assert failed.lines == [f"{ENCODER}: {status} ({killed}); log: {own}, {slurm}"]
    assert capsys.readouterr().err == f"failed: {failed.lines[0]}\n"


def test_a_group_names_the_log_of_its_cluster_job(failed, log, tmp_path, capsys):
    slurm, killed = tmp_path / "5.log", "Detected 1 oom_kill event in StepId=5.0."
    slurm.write_text(f"slurmstepd: error: {killed}\n")
    group = {"groupid": "datasets", "aux_logs": [str(slurm)], "job_error_info": [{"jobid": 3}]}
    log(LogEvent.GROUP_ERROR, **group)
    log(LogEvent.JOB_ERROR, **job_error(logs=["none.log"]))
    assert failed.lines == [f"{ENCODER}: {killed}; log: none.log, {slurm}"]
    assert capsys.readouterr().err == f"failed: {failed.lines[0]}\n"
