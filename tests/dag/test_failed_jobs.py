"""Failed jobs in one line each, from the records that Snakemake logs."""

import logging

from snakemake_interface_logger_plugins.common import LogEvent

from workflow_scripts.dag.failed_jobs import FailedJobs


def record(**values):
    found = logging.makeLogRecord({"msg": "", **values})
    return found


def job_error(job=3, message=None, logs=()):
    return record(
        event=LogEvent.JOB_ERROR,
        jobid=job,
        rule_name="tune_mirror",
        rule_msg=message,
        output=["results/encoders/a/encoder.json", "results/encoders/a/model.safetensors"],
        log=list(logs),
    )


def test_the_reason_is_the_last_line_of_the_jobs_log(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("warning: something\nerror: the corpus is too small\n\n")
    jobs = FailedJobs()
    jobs.emit(job_error(logs=[str(log)]))
    assert jobs.lines == [
        f"tune_mirror results/encoders/a/encoder.json: error: the corpus is too small; log: {log}"
    ]


def test_what_the_cluster_says_comes_first_and_is_shown_at_once(tmp_path, capsys):
    own, slurm = tmp_path / "a.log", tmp_path / "12.log"
    own.write_text("step 10 of 100\n")
    slurm.write_text(
        "srun: something\n"
        "slurmstepd-node7: error: *** JOB 12 ON node7 CANCELLED AT 2026 DUE TO TIME LIMIT ***\n"
    )
    message = (
        "SLURM-job '12' failed, SLURM status is: 'TIMEOUT'. Reason: Unknown."
        "For further error details see the cluster/cloud log and the log files."
    )
    jobs = FailedJobs()
    jobs.emit(job_error(message=message, logs=[str(own), str(slurm)]))
    (line,) = jobs.lines
    assert "SLURM status is: 'TIMEOUT' (JOB 12 ON node7 CANCELLED AT 2026 DUE TO TIME" in line
    assert "For further" not in line and "Unknown" not in line
    assert line.endswith(f"log: {own}, {slurm}")
    assert capsys.readouterr().err == f"failed: {line}\n"


def test_a_later_attempt_that_finishes_is_no_failure():
    jobs = FailedJobs()
    jobs.emit(job_error(job=3))
    jobs.emit(job_error(job=4))
    jobs.emit(record(event=LogEvent.JOB_FINISHED, job_id=3))
    assert len(jobs.lines) == 1


def test_a_group_names_the_log_of_its_cluster_job(tmp_path):
    slurm = tmp_path / "5.log"
    slurm.write_text("slurmstepd: error: Detected 1 oom_kill event in StepId=5.0.\n")
    jobs = FailedJobs()
    jobs.emit(
        record(
            event=LogEvent.GROUP_ERROR,
            groupid="suites",
            aux_logs=[str(slurm)],
            job_error_info=[{"jobid": 3}],
        )
    )
    jobs.emit(job_error(job=3, logs=["results/logs/none.log"]))
    (line,) = jobs.lines
    assert "Detected 1 oom_kill event" in line and str(slurm) in line


def test_a_job_without_any_log_is_named_too():
    jobs = FailedJobs()
    jobs.emit(job_error())
    assert jobs.lines == ["tune_mirror results/encoders/a/encoder.json: its command failed"]
    jobs.emit(record())  # of nothing that it knows
    assert len(jobs.lines) == 1
