"""Snakemake's objects, which change with its version, are used in few places."""

import ast
import re

OWN = {"snakemake_run.py", "results_records.py", "slurm_patches.py"}


def test_snakemake_is_imported_in_its_adapters_alone(project):
    found = set()
    for file in sorted((project / "workflow_scripts").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            if any(re.match(r"snakemake(\W|_executor|_interface|$)", name) for name in names):
                found.add(file.name)
    assert found == OWN


def test_the_snakefile_hands_its_workflow_to_the_adapter_alone(project):
    for file in [project / "Snakefile", *(project / "rules").glob("*.smk")]:
        lines = file.read_text(encoding="utf-8").splitlines()
        uses = [line for line in lines if re.search(r"\bworkflow\b(?!_)[.,)]", line)]
        assert uses == (["run = SnakemakeRun(workflow)"] if file.name == "Snakefile" else [])
