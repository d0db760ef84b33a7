"""Targets that mean a result by another path than the rules make it at."""

import os
from types import SimpleNamespace

import pytest

from workflow_scripts.runtime.targets import refuse_other_paths, refuse_targets_elsewhere

HERE = os.getcwd()


def run_of(*targets, is_module=False):
    return SimpleNamespace(targets=set(targets), is_module=is_module)


@pytest.mark.parametrize(
    ("results", "target", "own"),
    [
        ("other", "results/tables/a.html", "other/tables/a.html"),
        ("other", f"{HERE}/results/tables/a.html", "other/tables/a.html"),
        ("results", f"{HERE}/results/tables/a.html", "results/tables/a.html"),
        ("/there/out", "results/tables/a.html", "/there/out/tables/a.html"),
        (f"{HERE}/results", "results/a", f"{HERE}/results/a"),
        (f"{HERE}/out", "out/a", f"{HERE}/out/a"),
    ],
)
def test_a_target_by_another_path_is_one_line_with_the_right_one(results, target, own):
    with pytest.raises(SystemExit) as ended:
        refuse_targets_elsewhere(run_of(target), results)
    where = f"`results` in the config is {results}"
    assert str(ended.value) == f"error: {target}: {where}; ask for {own}"


@pytest.mark.parametrize(
    ("results", "target"),
    [
        ("results", "results/tables/a.html"),
        ("other", "other/tables/a.html"),
        ("other", "./other/tables/a.html"),
        ("other", "all_tables"),
        ("other", "summary.txt"),
        ("/there/out", "/there/out/tables/a.html"),
        ("results/second", "results/second/tables/a.html"),
    ],
)
def test_other_targets_are_left_to_snakemake(results, target):
    refuse_targets_elsewhere(run_of(target), results)


def test_results_of_a_workflow_that_imports_this_one_may_be_anywhere():
    refuse_targets_elsewhere(run_of("results/own.txt", is_module=True), "other")


def test_the_results_of_config_and_snakemake_are_one_folder():
    refuse_other_paths(SimpleNamespace(path_of=lambda path: "results"), "results")
    with pytest.raises(SystemExit, match="results in the config, x/results for Snakemake; write"):
        refuse_other_paths(SimpleNamespace(path_of=lambda path: "x/results"), "results")
