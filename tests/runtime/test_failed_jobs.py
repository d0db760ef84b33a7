"""Failed jobs in one line each, from the records that Snakemake logs."""

import logging

from snakemake_interface_logger_plugins.common import LogEvent

from workflow_scripts.runtime.failed_jobs import FailedJobs


def record(**values):
    return logging.makeLogRecord({"msg": "", **values})


def job_error(job=3, message=None, logs=()):
    output = [f"results/encoders/a/{name}" for name in ("encoder.json", "model.safetensors")]
    rule = {"rule_name": "tune_encoder", "rule_msg": message, "output": output}
    return record(event=LogEvent.JOB_ERROR, jobid=job, log=list(logs), **rule)


def test_the_reason_is_the_last_line_of_the_jobs_log_if_it_has_one(tmp_path):
    log = tmp_path / "a.log"
    log.write_text("python -m a.step\n# python 3\nwarning: b\nerror: the corpus is too small\n\n")
    jobs = FailedJobs()
    jobs.emit(job_error(job=3, logs=[str(log)]))
    # one that was killed before it said anything
    head = tmp_path / "b.log"
    head.write_text("python -m a.step\n# python 3\n# seed 33\n")
    jobs.emit(job_error(job=4, logs=[str(head)]))
    jobs.emit(record())  # of nothing that it knows
    encoder = "tune_encoder results/encoders/a/encoder.json"
    failed = f"{encoder}: its command failed; log: {head}"
    assert jobs.lines == [f"{encoder}: error: the corpus is too small; log: {log}", failed]
    # one that finishes later did not fail
    jobs.emit(record(event=LogEvent.JOB_FINISHED, job_id=3))
    assert jobs.lines == [failed]


def test_what_the_cluster_says_comes_first_and_is_shown_at_once(tmp_path, capsys):
    own, slurm = tmp_path / "a.log", tmp_path / "12.log"
    own.write_text("step 10 of 100\n")
    killed = "error: *** JOB 12 ON node7 CANCELLED AT 2026 DUE TO TIME LIMIT ***"
    slurm.write_text(f"srun: something\nslurmstepd-node7: {killed}\n")
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


def test_a_group_names_the_log_of_its_cluster_job(tmp_path, capsys):
    slurm = tmp_path / "5.log"
    slurm.write_text("slurmstepd: error: Detected 1 oom_kill event in StepId=5.0.\n")
    jobs = FailedJobs()
    group = {"groupid": "datasets", "aux_logs": [str(slurm)], "job_error_info": [{"jobid": 3}]}
    jobs.emit(record(event=LogEvent.GROUP_ERROR, **group))
    jobs.emit(job_error(job=3, logs=["results/logs/none.log"]))
    (line,) = jobs.lines
    assert "Detected 1 oom_kill event" in line and str(slurm) in line
    assert capsys.readouterr().err == f"failed: {line}\n"
