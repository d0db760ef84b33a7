"""Tables of the small config through profiles/generic and a queue of this machine."""

import shlex
import sys
from pathlib import Path

import pytest
import yaml
from conftest import ONE_TABLE, Run
from small_project import TUNE, SmallProject, copy_project

pytestmark = pytest.mark.cluster

QUEUE = Path(__file__).with_name("local_queue.py")


class QueueProject(SmallProject):
    """The small project, run through profiles/generic."""

    def command(self, *options: str) -> list[str]:
        return [
            *(sys.executable, "-m", "snakemake", "--configfile", "config/small.yaml"),
            *("--workflow-profile", "profiles/generic"),
            *("--seconds-between-status-checks", "1", "--latency-wait", "5"),
            *("--max-jobs-per-timespan", "1000/1s"),
            *options,
        ]


@pytest.fixture
def on_queue(project, tmp_path) -> QueueProject:
    """The small project before any run, with the queue's commands in its site file."""
    queued = QueueProject(copy_project(project, tmp_path / "project").folder)
    python, folder = shlex.quote(sys.executable), shlex.quote(str(tmp_path / "queue"))
    actions = ("submit", "status", "cancel")
    words = {action: f"{python} {QUEUE} {action} {folder}" for action in actions}
    # Snakemake runs the last without a shell: one program
    cancel = tmp_path / "cancel"
    cancel.write_text(f'#!/bin/sh\nexec {words["cancel"]} "$@"\n')
    cancel.chmod(0o755)
    site = {"system": "own", **words, "cancel": str(cancel), "node_cpus": 2}
    (queued.folder / "profiles" / "generic" / "site.yaml").write_text(yaml.safe_dump(site))
    return queued


def test_the_tables_are_of_a_local_run(on_queue, local_tables):
    run = Run(on_queue, tuple(ONE_TABLE))
    assert run.end() == 0, run.output
    made = on_queue.tables()
    assert made == local_tables(*ONE_TABLE)
    assert all(str(Path(table).relative_to("results")) in made for table in ONE_TABLE)
    assert "Submitted group job" in run.output and "Submitted job" in run.output


def test_a_run_started_again_takes_up_the_jobs_of_a_killed_one(on_queue, tmp_path):
    encoder = "results/encoders/bert-en-mini/mirror-word/words-en/seed33/encoder.json"
    first = Run(on_queue, (encoder,))
    log = on_queue.folder / f"results/logs/{TUNE}/bert-en-mini/mirror-word/words-en/seed33.log"
    first.wait_for(log.exists, "tuning")
    first.kill()
    submitted = sorted((tmp_path / "queue").glob("*.submitted"))
    second = Run(on_queue, (encoder,))
    assert second.end() == 0, second.output
    assert (on_queue.folder / encoder).is_file()
    assert sorted((tmp_path / "queue").glob("*.submitted")) == submitted, "a job was run twice"
