import subprocess
import sys

import pytest

from workflow_scripts.dag.sources import sources

STEPS = [
    "corpora.sample_frequent_words",
    "corpora.make_random_strings",
    "datasets.read_suite",
    "tuning.tune_mirror",
    "tuning_grid.search_grid",
    "tuning_grid.choose_settings",
    "embedding.embed_suite",
    "retrieval.link_entities",
    "retrieval.induce_lexicon",
    "scoring.score_suite",
    "scoring.score_lexicon",
    "tables.assemble_table",
    "tables.assemble_index",
]

IMPORTED = """
import sys, runpy
sys.argv = ["step", "--help"]
try:
    runpy.run_module("workflow_scripts.{step}", run_name="__main__")
except SystemExit:
    pass
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith("workflow_scripts"):
        print("FILE", module.__file__)
print("TORCH", "torch" in sys.modules)
print("FAISS", "faiss" in sys.modules)
"""


def run_step(step, project):
    result = subprocess.run(
        [sys.executable, "-c", IMPORTED.format(step=step)],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.splitlines()


@pytest.mark.parametrize("step", STEPS)
def test_every_project_module_that_python_imports_is_a_source(step, project):
    """The interpreter itself is the oracle: what a step has imported is among its sources."""
    lines = run_step(step, project)
    imported = {
        line.removeprefix("FILE ").removeprefix(f"{project}/")
        for line in lines
        if line.startswith("FILE")
    }
    assert len(imported) >= 3
    assert imported <= set(sources(step))


@pytest.mark.parametrize("step", STEPS)
def test_only_tuning_and_embedding_import_torch_and_only_retrieval_faiss(step, project):
    lines = run_step(step, project)
    stage = step.split(".")[0]
    if stage not in ("tuning", "embedding"):
        assert "TORCH False" in lines
    if stage != "retrieval":
        assert "FAISS False" in lines


def test_a_step_of_one_stage_does_not_depend_on_another_stage_s_modules():
    scoring = sources("scoring.score_suite")
    assert not [file for file in scoring if "/tuning/" in file or "/embedding/" in file]
    tables = sources("tables.assemble_table")
    assert not [file for file in tables if "/retrieval/" in file]


def test_a_step_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="tuning/tune_nothing"):
        sources("tuning.tune_nothing")
