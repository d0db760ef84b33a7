"""What goes wrong on a cluster: the run completes, or says in one line what failed and why."""

import re

import pytest
from conftest import ClusterProject

pytestmark = pytest.mark.cluster

# what the faults below befall: one tuning job, a minute before the tables
ENCODER = "results/encoders/bert-en-mini/mirror-word/words-en/seed33/encoder.json"


def test_a_cancelled_job_is_run_again(on_cluster: ClusterProject):
    run = on_cluster.start(ENCODER)
    on_cluster.cluster.command("scancel", run.running_job("tune_mirror"))
    assert run.end() == 0, run.output
    assert (on_cluster.folder / ENCODER).is_file()
