import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from workflow_scripts.sources import PACKAGES, import_statements, sources

PROJECT = Path(__file__).resolve().parents[1]
# every step that a rule runs; those of bundled_models by their whole name
STEPS = sorted(
    {
        step
        for file in [*(PROJECT / "rules").glob("*.smk"), PROJECT / "bundled_models" / "Snakefile"]
        for step in re.findall(r'sources\(\s*"([^"]+)"', file.read_text(encoding="utf-8"))
    }
)
# libraries that are slow to load, and the steps that need them whatever they are asked
HEAVY = {
    "torch": {*("tuning.tune_encoder", "embedding.embed_suite", "bundled_models.pretrain_model")},
    "faiss": {f"retrieval.{step}" for step in ("link_entities", "induce_lexicon", "link_shard")},
    "matplotlib": set(),
}

IMPORTED = """
import sys, runpy
sys.argv = ["step", "--help"]
try:
    runpy.run_module("{module}", run_name="__main__")
except SystemExit:
    pass
for module in list(sys.modules.values()):
    if getattr(module, "__name__", "").startswith({packages}):
        print("FILE", module.__file__)
for library in ("torch", "faiss", "matplotlib"):
    if library in sys.modules:
        print("LIBRARY", library)
"""


@cache
def run_step(step):
    """Return the files of the project, and the heavy libraries, that `step --help` imports."""
    module = step if step.startswith(PACKAGES) else f"workflow_scripts.{step}"
    script = IMPORTED.format(module=module, packages=PACKAGES)
    command = [sys.executable, "-c", script]
    text = subprocess.check_output(command, cwd=PROJECT, text=True)
    lines = [line.split(" ", 1) for line in text.splitlines() if " " in line]
    files = {what.removeprefix(f"{PROJECT}/") for kind, what in lines if kind == "FILE"}
    return files, {what for kind, what in lines if kind == "LIBRARY"}


def test_the_steps_of_all_stages_are_found():
    assert {step.split(".")[0] for step in STEPS} == {
        *("downloads", "corpora", "datasets", "tuning", "tuning_grid", "embedding"),
        *("retrieval", "scoring", "tables", "figures", "bundled_models"),
    }


@pytest.mark.parametrize("step", STEPS)
def test_every_project_module_that_python_imports_is_a_source(step):
    """The interpreter itself is the oracle: what a step has imported is among its sources.

    Except for what makes its command line, which is loaded by name: editing that reruns nothing.
    """
    imported, _ = run_step(step)
    assert len(imported) >= 3
    assert "workflow_scripts/command_line.py" not in sources(step)
    assert imported <= {*sources(step), *sources("command_line")}
    # and it is small, so that little is left out
    assert len(sources("command_line")) < 10


@pytest.mark.parametrize("step", STEPS)
def test_what_takes_seconds_to_load_is_loaded_by_those_that_need_it_only(step):
    _, libraries = run_step(step)
    assert libraries <= {library for library, steps in HEAVY.items() if step in steps}


def test_a_step_of_one_stage_does_not_depend_on_another_stage_s_modules():
    scoring = sources("scoring.score_suite")
    assert not [file for file in scoring if "/tuning/" in file]
    # except for the files that they exchange
    embedding = {file.rpartition("/")[2] for file in scoring if "/embedding/" in file}
    assert embedding == {"__init__.py", "suite_vectors.py"}
    tables = sources("tables.assemble_table")
    assert not [file for file in tables if "/retrieval/" in file]


def test_a_step_that_does_not_exist_is_an_error():
    with pytest.raises(ValueError, match="tuning/tune_nothing"):
        sources("tuning.tune_nothing")


UNUSUAL = {
    "two modules in a line": "import os, workflow_scripts.files",
    "two statements in a line": "import workflow_scripts.files; import workflow_scripts.canonical",
    "within a condition": "if True: from workflow_scripts import files",
    "with a comment": "from workflow_scripts import (  # (one\n    files,\n)",
    "of another package": "from bundled_models import plan",
    "in a string": '"""\nfrom workflow_scripts.files we import\n"""\nimport workflow_scripts.files',
}


def imports_by_parser(text):
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    return of_the_project(map(ast.unparse, nodes))


def imports_read(file):
    return of_the_project(map(ast.unparse, import_statements(file)))


def of_the_project(statements):
    return sorted({one for one in statements if any(package in one for package in PACKAGES)})


@pytest.mark.parametrize("text", UNUSUAL.values(), ids=UNUSUAL)
def test_imports_in_unusual_forms_are_read(text, tmp_path):
    file = tmp_path / "module.py"
    file.write_text(text)
    assert imports_read(file) == imports_by_parser(text)


def test_the_imports_of_every_file_are_those_of_python_s_parser():
    files = sorted(file for package in PACKAGES for file in (PROJECT / package).rglob("*.py"))
    assert len(files) > 300
    for file in files:
        assert imports_read(file) == imports_by_parser(file.read_text(encoding="utf-8")), file
