"""A run that is killed goes on where it was, to the same bytes."""

import os
import random
import signal
import subprocess
import time

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("workflow")]


def test_a_killed_run_started_again_ends_in_the_tables_of_an_undisturbed_one(fresh, finished):
    moments = random.Random(0)
    kills = 0
    for _ in range(3):
        run = subprocess.Popen(
            fresh.command("all_tables"),
            cwd=fresh.folder,
            env=fresh.environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(moments.uniform(4, 14))
        if run.poll() is None:
            kills += 1
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    assert kills >= 1, "the run was over before it could be killed"
    result = fresh.run("all_tables")
    assert result.returncode == 0, result.stdout + result.stderr
    assert fresh.tables() == finished.tables()
    left = [file for file in (fresh.folder / "results").rglob(".*.tmp")]
    # a killed step leaves its temporary file, which no reader ever sees
    assert all(file.name.startswith(".") for file in left)
