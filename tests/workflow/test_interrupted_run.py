"""A run that is killed continues where it was and yields the same bytes."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress

import pytest
from same_everywhere import wait_for

pytestmark = pytest.mark.slow

# what a branch of one tuned encoder leaves in results/
BRANCH = "bert-en-mini/mirror-word/words-en"
# rules: the run is killed as a job of each starts
KILLED = ("tune_*", "embed_suite", "score_suite")


@pytest.mark.nightly
def test_a_killed_run_started_again_ends_in_the_tables_of_an_undisturbed_one(workspace, finished):
    results = workspace.folder / "results"
    for folder in [results / "tables", *results.glob(f"**/{BRANCH}")]:
        shutil.rmtree(folder)
    # killed as soon as a job of these rules has begun
    for rule in KILLED:
        options = {"cwd": workspace.folder, "env": workspace.environment()}
        options |= dict.fromkeys(["stdout", "stderr"], subprocess.DEVNULL)
        command = workspace.command("all_tables")
        run = subprocess.Popen(command, **options, start_new_session=True)
        logs = f"{rule}/{BRANCH}/**/*.log"
        wait_for(lambda logs=logs: any((results / "logs").glob(logs)), run)
        time.sleep(0.3)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    workspace.succeeds("all_tables")
    assert workspace.tables() == finished.tables()
    # a killed step leaves its temporary file, which no reader ever sees
    assert all(file.name.startswith(".") for file in results.rglob("*.tmp"))


def text_of(file):
    # a job may end while its file is looked at
    with suppress(FileNotFoundError):
        return file.read_text()
    return ""


def test_a_run_waits_for_the_jobs_of_one_whose_head_alone_was_killed(workspace, finished):
    results = workspace.folder / "results"
    for folder in [results / "tables", *results.glob(f"**/{BRANCH}")]:
        shutil.rmtree(folder)
    options = {"cwd": workspace.folder, "env": workspace.environment(), "text": True}
    options |= {"stdout": subprocess.DEVNULL, "start_new_session": True}
    first = subprocess.Popen(workspace.command("all_tables"), **options, stderr=subprocess.DEVNULL)
    running = results / ".workflow" / "running"
    jobs = wait_for(lambda: [one for one in running.glob("*") if "tune" in text_of(one)], first)
    shell = int(jobs[0].name.rpartition(".")[2])
    # so that it is there when the next run looks
    os.kill(shell, signal.SIGSTOP)
    first.kill()
    first.wait()
    second = subprocess.Popen(workspace.command("all_tables"), **options, stderr=subprocess.PIPE)
    said = ""
    for line in second.stderr:
        said += line
        if f"process {shell} on" in line:
            os.kill(shell, signal.SIGCONT)
    assert second.wait() == 0, said
    assert "an earlier run in this folder have not ended (results/logs/tune_encoder/" in said
    assert "they have ended: starting" in said
    assert workspace.tables() == finished.tables()


# Snakemake that dies once its first job runs, and before it notes that the job has begun
DIES_AT_START = """
import os, sys, time
from pathlib import Path
from snakemake import cli, jobs

def die(job, *_, **__):
    end = time.monotonic() + 60
    while not any(Path("results/.workflow/running").glob("*")) and time.monotonic() < end:
        time.sleep(0.01)
    os._exit(9)

jobs.Job.register = die
cli.main()
"""


def test_a_job_whose_head_died_as_it_began_is_not_taken_for_a_changed_result(workspace):
    results, branch = workspace.folder / "results", f"{BRANCH}/seed33"
    weights = results / "encoders" / branch / "model.safetensors"
    before = weights.read_bytes()
    for folder in results.glob(f"**/{branch}"):
        shutil.rmtree(folder)
    target = f"results/encoders/{branch}/encoder.json"
    words = workspace.command(target)
    start = words.index("-m")
    words[start : start + 2] = ["-c", DIES_AT_START]
    options = {"cwd": workspace.folder, "env": workspace.environment()}
    assert subprocess.run(words, **options, stderr=subprocess.DEVNULL).returncode == 9
    workspace.succeeds(target)
    assert weights.read_bytes() == before
