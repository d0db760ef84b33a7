"""What goes wrong on a cluster: the run completes, or says in one line what failed and why."""

import json
import re

import pytest
from conftest import ClusterProject
from small_project import TUNE

pytestmark = pytest.mark.cluster

# what the faults below befall: one job of tuning or of embedding
ENCODER = "results/encoders/bert-en-mini/mirror-word/words-en/seed33/encoder.json"
VECTORS = "results/embeddings/bert-en-mini/base-mp/none/seed0/similarity.npy"
LOG = f"results/logs/{TUNE}/bert-en-mini/mirror-word/words-en/seed33.log"
# SLURM says it of the step and of the job, whichever it looks at first
MEMORY = re.compile(r"exceeded (job )?memory limit", re.IGNORECASE)


def failure_lines(output: str) -> list[str]:
    """Return the lines that name failed jobs at the end of a run."""
    _, found, lines = output.partition("These jobs failed")
    assert found, output
    return [line.strip() for line in lines.splitlines() if line.startswith("  ")]


def test_a_cancelled_job_is_run_again(on_cluster: ClusterProject):
    run = on_cluster.start(ENCODER)
    on_cluster.cluster.command("scancel", run.running_job(TUNE))
    assert run.end() == 0, run.output
    assert (on_cluster.folder / ENCODER).is_file()


def test_a_job_killed_for_memory_gets_more(on_cluster: ClusterProject):
    memory = f"{TUNE}:mem_mb=300 if attempt == 1 else 3000"
    run = on_cluster.start(ENCODER, "--set-resources", memory)
    assert run.end() == 0, run.output
    assert MEMORY.search(run.output)
    assert (on_cluster.folder / ENCODER).is_file()


def test_jobs_that_fail_for_good_are_named(on_cluster: ClusterProject):
    """One cancelled, one without the memory that it needs, side by side."""
    options = ("--retries", "0", "--set-resources", "embed_suite:mem_mb=300")
    options += ("--group-components", "encoders=1")
    run = on_cluster.start(ENCODER, VECTORS, *options)
    job = run.running_job(TUNE)
    on_cluster.cluster.command("scancel", job)
    assert run.end() == 1, run.output
    embedding, tuning = sorted(failure_lines(run.output))
    assert TUNE in tuning and "CANCELLED" in tuning and job in tuning and LOG in tuning
    assert "embed_suite" in embedding and MEMORY.search(embedding)
    assert "results/logs/embed_suite/" in embedding


# SLURM counts limits in minutes; tests/tuning/test_tune_encoder.py has a killed run taken up again
@pytest.mark.nightly
def test_a_job_past_its_time_goes_on_from_where_it_was(on_cluster: ClusterProject):
    """A minute's limit for a minute and a half of work: the state outlives the first attempt."""
    with on_cluster.edited_config() as config:
        config["recipes"]["mirror-word"]["epochs"] = 700
    limit = f"{TUNE}:runtime=1 if attempt == 1 else 10"
    run = on_cluster.start(ENCODER, "--set-resources", limit)
    assert run.end() == 0, run.output
    assert "TIME LIMIT" in run.output
    assert "continuing after step" in (on_cluster.folder / LOG).read_text()
    assert (on_cluster.folder / ENCODER).is_file()
    # of both attempts
    lines = (on_cluster.folder / LOG).with_suffix(".jsonl").read_text().splitlines()
    steps = json.loads((on_cluster.folder / ENCODER).read_text())["tuning"]["steps"]
    assert [json.loads(line)["step"] for line in lines] == list(range(1, steps + 1))


def test_the_node_daemon_can_be_started_anew(on_cluster: ClusterProject):
    run = on_cluster.start(ENCODER)
    job = run.running_job(TUNE)
    on_cluster.cluster.stop_node()
    on_cluster.cluster.start_node()
    assert run.end() == 0, run.output
    assert [job] == run.submissions(TUNE), "the job was run twice"


def test_a_killed_head_leaves_nothing_to_be_done_twice(on_cluster: ClusterProject):
    """Its jobs continue; the next run waits for them and then uses their outputs."""
    first = on_cluster.start(ENCODER)
    job = first.running_job(TUNE)
    first.kill()
    second = on_cluster.start(ENCODER)
    assert second.end() == 0, second.output
    assert f"an earlier run in this folder have not ended ({job}" in second.output
    assert (on_cluster.folder / ENCODER).is_file()
    assert second.submissions(TUNE) == []
