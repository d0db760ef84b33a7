"""The recipes of docs/use.md, run as they are written."""

import re

import pytest

RECIPES = {
    "An ontology of one's own": ("link/links.tsv", 7),
    "Near-duplicate questions and nearest sentences": ("search/nearest.tsv", 5),
    "A lexicon for a language pair": ("lexicon/found.tsv", 16),
}


def commands_of(text, heading):
    section = text.split(f"## {heading}\n")[1]
    return re.search(r"(?:^    .*\n)+", section, flags=re.MULTILINE)[0]


@pytest.mark.slow
@pytest.mark.parametrize("heading", RECIPES)
def test_it_runs_as_written(heading, project, linked_checkout, run_as_written):
    commands = commands_of((project / "docs" / "use.md").read_text(), heading)
    assert len(commands.splitlines()) <= 15
    run_as_written(commands.replace("\n    ", "\n"), linked_checkout)
    output, lines = RECIPES[heading]
    assert len((linked_checkout / "results" / output).read_text().splitlines()) == lines
