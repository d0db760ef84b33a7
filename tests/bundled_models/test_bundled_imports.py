"""The workflow does not need bundled_models; make check proves it of imports alone."""

import re


def test_no_code_of_the_workflow_names_the_package(project):
    folders = ((project / name).rglob("*") for name in ("workflow_scripts", "rules", "profiles"))
    files = [project / "Snakefile", *(file for folder in folders for file in folder)]
    naming = {
        str(file.relative_to(project))
        for file in files
        if file.suffix in {"", ".py", ".smk", ".sh", ".yaml"} and file.is_file()
        if re.search(r"\bbundled_models\b", file.read_text(encoding="utf-8"))
    }
    # which lists the sources of a step, whichever package it is in
    assert naming == {"workflow_scripts/sources.py"}
