import subprocess
import sys
from types import SimpleNamespace

import pytest

from workflow_scripts.runtime.run_lock import hold_run_lock, refuse_second_run
from workflow_scripts.runtime.snakemake_run import SnakemakeRun

HOLDER = """
import sys, time
from pathlib import Path
from workflow_scripts.runtime.run_lock import hold_run_lock
hold_run_lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_run_of_the_same_results_is_refused_and_a_killed_one_leaves_no_lock(
    tmp_path, project
):
    """Whatever clone it is of."""
    lock = tmp_path / "results" / ".workflow"
    workflow = SimpleNamespace(
        cores=2, nodes=None, dryrun=False, is_main_process=True, modifier=None
    )
    workflow.resource_settings = workflow.output_settings = workflow
    run = SnakemakeRun(workflow)
    command = [sys.executable, "-c", HOLDER, str(lock)]
    holder = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        for refused in (lambda: hold_run_lock(lock), lambda: refuse_second_run(run, lock)):
            with pytest.raises(SystemExit, match=r"^error: .*run.lock: another run"):
                refused()
        # a dry run, a graph, and a job of the run itself
        for name, value in (("dryrun", True), ("cores", None), ("is_main_process", False)):
            before = getattr(workflow, name)
            setattr(workflow, name, value)
            refuse_second_run(run, lock)
            setattr(workflow, name, before)
    finally:
        holder.kill()
        holder.wait()
    refuse_second_run(run, lock)
    hold_run_lock(lock)


def test_runs_of_other_results_go_on_beside_each_other(tmp_path):
    for name in ("one", "two"):
        hold_run_lock(tmp_path / name)


def test_results_that_cannot_be_written_are_named(tmp_path):
    (tmp_path / "results").touch()
    with pytest.raises(
        SystemExit, match=r"^error: .*results: cannot be written to \(.*\); make it"
    ):
        hold_run_lock(tmp_path / "results" / ".workflow")
