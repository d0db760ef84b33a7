"""The profiles and the style of the workflow."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import planned_submissions
import pytest
import yaml
from planned_submissions import PREFIX
from small_project import TUNE
from synthetic_files import synthetic


@pytest.fixture
def bare(fresh, tmp_path, monkeypatch):
    """The small project before any run, with no program of a cluster on the PATH.

    Its profiles have the example's lines for a site.
    """
    (tmp_path / "bin").mkdir()
    path = os.environ["PATH"].split(os.pathsep)
    for folder in reversed(path):
        for program in Path(folder).glob("*"):
            if not re.match(r"s(info|queue|acct|batch|run|control|cancel)", program.name):
                link = tmp_path / "bin" / program.name
                link.unlink(missing_ok=True)
                link.symlink_to(program.absolute())
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return fresh


def add_slurm(folder):
    synthetic(folder, "scontrol", "AccountingStorageType = accounting_storage/none\n")
    synthetic(folder, "sinfo", "main* 8 16000\n")
    # without it the executor plugin is not to be imported
    synthetic(folder, "squeue")


SEARCH = {
    **{"model": "bert-en-mini", "recipe": "mirror-word", "corpus": "words-en"},
    **{"dataset": "simlex999", "axes": {"epochs": [1, 2]}},
}


def resources_of(rule, said):
    """Return the resources of the first job of a rule in what a dry run said."""
    block = re.search(rf"rule {rule}:\n.*?resources: ([^\n]*)", said, re.DOTALL)[1]
    return dict(pair.split("=") for pair in block.split(", "))


@pytest.mark.parametrize("profile", ["generic", "slurm"])
def test_memory_and_time_of_a_cluster_profile_grow_with_each_attempt(profile, bare, tmp_path):
    if profile == "slurm":
        add_slurm(tmp_path / "bin")
    folder = bare.folder / "profiles" / profile
    (folder / "site.yaml").write_text((folder / "site.example.yaml").read_text())
    with bare.edited_config() as config:
        config["tuning_grid"] = {"searches": {"words": SEARCH}}
    options = ("--workflow-profile", f"profiles/{profile}", "--dry-run", "--quiet", "host")
    said = bare.succeeds(*options, "--attempt", "2", "tuning_grid")
    own, default = resources_of("search_grid", said), resources_of("choose_settings", said)
    assert (own["mem_mb"], own["runtime"]) == ("16000", "480")
    assert (default["mem_mb"], default["runtime"]) == ("2000", "20")
    if profile == "slurm":
        assert (own["slurm_partition"], default["slurm_partition"]) == ("gpu", "cpu")


def submissions(small, *options):
    """Return what a run with profiles/slurm would submit."""
    script = Path(planned_submissions.__file__)
    words = [sys.executable, str(script), "--workflow-profile", "profiles/slurm", *options]
    result = subprocess.run(
        words, cwd=small.folder, env=small.environment(), capture_output=True, text=True
    )
    lines = [line.partition(PREFIX)[2] for line in result.stdout.splitlines() if PREFIX in line]
    assert lines, result.stderr
    return list(map(json.loads, lines))


def tasks_of(submitted):
    """Return the jobs of each rule that some submissions have together."""
    return sum((Counter(submission["rules"]) for submission in submitted), Counter())


def test_encoders_share_submissions_and_take_turns_on_its_gpu(bare, tmp_path):
    add_slurm(tmp_path / "bin")
    options = ("--configfile", "config/small.yaml", "--config", "device=cuda", "--", "all_tables")
    submitted = submissions(bare, *options)
    ours = [submission for submission in submitted if "embed_suite" in submission["rules"]]
    assert len(ours) == 2
    planned = Counter(job.split()[0] for job in bare.planned("all_tables"))
    for rule in (TUNE, "embed_suite"):
        assert tasks_of(ours)[rule] == tasks_of(submitted)[rule] == planned[rule]
    for submission in ours:
        jobs = submission["rules"]
        # those of the widest job, since no two run at a time, and the time of all together
        assert (submission["gpu"], submission["_cores"]) == (1, 1)
        assert submission["mem_mb"] == (8000 if TUNE in jobs else 6000)
        minutes = 20 * jobs.get(TUNE, 0) + 10 * jobs["embed_suite"]
        assert submission["runtime"] == minutes
        words = f" -t {minutes} --mem {submission['mem_mb']} --cpus-per-task=1 --gpus=1"
        assert submission["command"].endswith(words)


def test_without_gpus_as_many_encoders_run_side_by_side_as_fit_a_node(bare, tmp_path):
    """On 8 cores and 16,000 MB two tunings of 8,000 MB, or two of embedding of 6,000 MB."""
    add_slurm(tmp_path / "bin")
    submitted = submissions(bare, "--configfile", "config/small.yaml", "--", "all_tables")
    ours = [submission for submission in submitted if TUNE in submission["rules"]]
    assert max(submission["mem_mb"] for submission in ours) == 16000
    assert all("--gpus" not in submission["command"] for submission in ours)


@pytest.mark.slow
def test_the_papers_grid_is_about_a_hundred_submissions(bare, tmp_path):
    add_slurm(tmp_path / "bin")
    bare.variables["HF_HUB_OFFLINE"] = "0"
    options = ("--configfile", "config/paper.yaml", "--config", "device=cuda", "--", "all_tables")
    submitted = submissions(bare, *options)
    assert len(submitted) == 102
    assert sum(tasks_of(submitted).values()) == 827
    assert max(submission["runtime"] for submission in submitted) <= 6 * 60


def test_a_mistake_in_a_site_file_is_named_and_without_a_profile_a_run_is_planned(bare, tmp_path):
    add_slurm(tmp_path / "bin")
    site = bare.folder / "profiles" / "slurm" / "site.yaml"
    site.write_text("partitoin: gpu\n")
    said = bare.fails("--workflow-profile", "profiles/slurm", "--dry-run", "all_tables")
    assert "site.yaml: unknown key `partitoin`; did you mean 'partition'?" in said
    assert TUNE in bare.succeeds("--workflow-profile", "none", "--dry-run", "all_tables")


def test_lint_is_clean(fresh):
    fresh.succeeds("--lint")


def test_the_dry_run_of_the_tutorial_shows_jobs_by_rule(fresh, project):
    page = (project / "docs/tutorials/first-table.md").read_text()
    (command,) = re.findall(r"^snakemake (-n)$", page, re.MULTILINE)
    fresh.command = lambda *options: [sys.executable, "-m", "snakemake", *options]
    fresh.variables["HF_HUB_OFFLINE"] = "0"
    said = fresh.succeeds(*shlex.split(command))
    assert re.search(r"^embed_suite +\d\d+$", said, re.MULTILINE), said
    assert re.search(r"^total +\d\d\d+$", said, re.MULTILINE)


def rules_of(files):
    """Return the text of each rule that runs a command."""
    blocks = [
        block for file in files for block in re.split(r"\n(?:local)?rule ", file.read_text())[1:]
    ]
    return {block.split(":")[0]: block for block in blocks if "shell:" in block}


def test_every_rule_has_log_and_benchmark(rule_files):
    for name, block in rules_of(rule_files).items():
        assert "log:" in block and "<results>/benchmarks/" in block, name


@pytest.mark.parametrize("profile", ["generic", "slurm"])
def test_the_groups_of_a_profile_are_rules(profile, project, rule_files):
    settings = yaml.safe_load((project / "profiles" / profile / "config.yaml").read_text())
    grouped = {group.split("=")[0] for group in settings["groups"]}
    text = "\n".join(file.read_text() for file in rule_files)
    others = re.findall(r"^use rule \w+ as (\w+) with:", text, re.MULTILINE)
    assert grouped and grouped <= {*rules_of(rule_files), *others}
