"""Jobs of an earlier run, by a stand-in for squeue."""

import os

from workflow_scripts.dag import earlier_jobs
from workflow_scripts.dag.earlier_jobs import jobs_left_behind, wait_for_earlier_jobs


def queue(tmp_path, monkeypatch, *lines):
    """Let squeue print the lines once, and nothing from then on."""
    listing = tmp_path / "queue.txt"
    listing.write_text("".join(f"{line}\n" for line in lines))
    program = tmp_path / "squeue"
    program.write_text(f"#!/bin/sh\ncat {listing}\n: > {listing}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")


def test_only_jobs_of_the_workflow_in_this_folder_count(tmp_path, monkeypatch):
    queue(
        tmp_path,
        monkeypatch,
        f"7|rule_tune_mirror_wildcards_a|{tmp_path}",
        f"8_[2-4]|group_suites|{tmp_path}",
        f"9|rule_tune_mirror_wildcards_a|{tmp_path}/other",
        f"10|my own job|{tmp_path}",
    )
    assert jobs_left_behind(tmp_path) == ["7", "8_[2-4]"]


def test_without_slurm_there_are_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert jobs_left_behind(tmp_path) == []


def test_jobs_of_other_batch_systems_count_until_they_have_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin")
    (tmp_path / "profiles" / "generic").mkdir(parents=True)
    (tmp_path / "profiles" / "generic" / "site.yaml").write_text("system: lsf\n")
    notes = tmp_path / ".snakemake" / "cluster_jobs"
    notes.mkdir(parents=True)
    for job in ("11", "12", "13"):
        (notes / job).touch()
    program = tmp_path / "bjobs"
    # the last word is the job's id
    program.write_text(
        '#!/bin/sh\nfor job in "$@"; do :; done\n[ $job = 12 ] && echo RUN || echo DONE\n'
    )
    program.chmod(0o755)
    assert jobs_left_behind(tmp_path) == ["12"]
    assert [file.name for file in notes.iterdir()] == ["12"]


def test_a_run_waits_for_them_and_starts_anew(tmp_path, monkeypatch, capsys):
    queue(tmp_path, monkeypatch, f"7|rule_tune_mirror_wildcards_a|{tmp_path}")
    started = []
    monkeypatch.setattr(earlier_jobs.os, "execv", lambda *words: started.append(words))
    monkeypatch.setattr(earlier_jobs.sys, "argv", ["snakemake", "--cores", "1", "all_tables"])
    wait_for_earlier_jobs(tmp_path)
    assert [words[1][1:] for words in started] == [
        ["-m", "snakemake", "--cores", "1", "all_tables"]
    ]
    said = capsys.readouterr().err
    assert "1 jobs of an earlier run" in said and "(7)" in said


def test_a_run_without_them_goes_on(tmp_path, monkeypatch):
    queue(tmp_path, monkeypatch)
    monkeypatch.setattr(earlier_jobs.os, "execv", lambda *_: 1 / 0)
    wait_for_earlier_jobs(tmp_path)
