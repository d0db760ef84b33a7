"""The recipes of docs/use.md, run as they are written."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

RECIPES = {
    "An ontology of one's own": ("link/links.tsv", 7),
    "Near-duplicate questions and nearest sentences": ("search/nearest.tsv", 5),
    "A lexicon for a language pair": ("lexicon/found.tsv", 16),
}
LINKED = ("workflow_scripts", "config", "resources")


def commands_of(text, heading):
    section = text.split(f"## {heading}\n")[1]
    return re.search(r"(?:^    .*\n)+", section, flags=re.MULTILINE)[0]


@pytest.mark.slow
@pytest.mark.parametrize("heading", RECIPES)
def test_it_runs_as_written(heading, project, tmp_path):
    for name in LINKED:
        (tmp_path / name).symlink_to(project / name)
    commands = commands_of((project / "docs" / "use.md").read_text(), heading)
    assert len(commands.splitlines()) <= 15
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    found = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands.replace("\n    ", "\n")],
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    output, lines = RECIPES[heading]
    assert len((tmp_path / "results" / output).read_text().splitlines()) == lines
