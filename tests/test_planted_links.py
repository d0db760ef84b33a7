"""Links that somebody put at a name that a program is known to use: what they lead to stays."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.embedding.vector_shards import ShardedJob, embed_in_shards
from workflow_scripts.files import append_to
from workflow_scripts.runtime import batch_systems, output_integrity, run_lock
from workflow_scripts.tuning_grid.cells import CellScore
from workflow_scripts.tuning_grid.progress import Progress

JOB_SH = Path(run_lock.__file__).with_name("job.sh")


@pytest.fixture
def victim(tmp_path, monkeypatch):
    """A file that nothing may touch, next to the folder that the test runs in."""
    victim = tmp_path / "victim"
    victim.mkdir()
    file = victim / "kept.txt"
    file.write_text("kept\n")
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    yield file
    assert file.read_text() == "kept\n"
    assert [*victim.iterdir()] == [file]


def plant(name: str, target: Path) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def test_a_log_is_not_added_to_through_a_link(victim):
    with pytest.raises(OSError, match="symbolic links"):
        append_to(plant("steps.jsonl", victim))


def test_shards_are_not_written_into_a_linked_folder(victim):
    for name, target in ((".a.npy.shards", victim.parent), (".b.npy.shards", Path("nowhere"))):
        plant(name, target)
    for name in ("a.npy", "b.npy"):
        job = ShardedJob(Path(name), ["one", "two"], 3, {})
        embed_in_shards(job, lambda strings, _: np.ones((len(strings), 3), np.float32))
        assert np.load(name).shape == (2, 3)


def test_joined_vectors_do_not_go_through_a_link(victim):
    job = ShardedJob(Path("a.npy"), ["one", "two"], 3, {})

    def encode(strings, _):
        (job.folder / "joined.npy").symlink_to(victim)
        return np.ones((len(strings), 3), np.float32)

    embed_in_shards(job, encode)
    assert np.load("a.npy").shape == (2, 3)


def test_the_progress_of_a_search_replaces_a_link(victim):
    progress = Progress(plant("progress.jsonl", victim), "digest")
    progress.add("a cell", CellScore(1, 33, 0.5))
    assert len(Path("progress.jsonl").read_text().splitlines()) == 2


def test_a_run_whose_lock_is_a_link_is_one_line(victim):
    plant("results/.workflow/run.lock", victim)
    with pytest.raises(SystemExit) as ended:
        run_lock.hold_run_lock(Path("results/.workflow"))
    assert str(ended.value).startswith(
        "error: results/.workflow/run.lock: cannot be used (Too many"
    )


def test_what_jobs_made_is_not_noted_through_a_link(victim):
    plant("results/.workflow/made.jsonl", victim)
    Path("results/output").write_text("four")
    records = Path("results/.workflow")
    notes = output_integrity.OutputIntegrity("results", records, ContentHashes(records / "hashes"))
    with pytest.raises(OSError, match="symbolic links"):
        notes.note(["results/output"])


def test_a_job_in_a_queue_is_not_noted_through_a_link(victim, monkeypatch):
    monkeypatch.setenv("RUN_RECORDS", ".")
    plant("cluster_jobs/7", victim)
    job = {"name": "a rule", "log": Path("log")}
    monkeypatch.setattr(batch_systems, "read_job", lambda _: job)
    monkeypatch.setattr(batch_systems, "words_of", lambda *_: ["echo", "Job <7> is submitted"])
    with pytest.raises(OSError, match="symbolic links"):
        batch_systems.submit(SimpleNamespace(system="lsf"), "script")


def test_a_job_writes_its_log_and_its_lock_anew(victim):
    """The name of the lock has the shell's number, which is here known before it is used."""
    Path(".snakemake/running").mkdir(parents=True)
    planted = f'ln -s {victim} .snakemake/running/"$HOSTNAME.$$"; ln -s {victim} a.log'
    script = f"{planted}; source {JOB_SH}; logged a.log usage.tsv echo words"
    subprocess.run(["bash", "-euc", script], check=True)
    assert Path("a.log").read_text() == "echo words\nwords\n"
    assert not [*Path(".snakemake/running").iterdir()]
