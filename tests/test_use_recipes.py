"""The recipes of docs/howto/embed-and-search.md, run as they are written."""

import csv
import json
import random
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


def misspelt(name, draw):
    """A name with two of its neighbouring letters exchanged."""
    place = draw.randrange(len(name) - 1)
    return name[:place] + name[place + 1] + name[place] + name[place + 2 :]


@pytest.mark.slow
def test_a_user_s_own_tables_run_as_written(project, linked_checkout, run_as_written):
    """The sample's names, 200 scored pairs and 50 misspelt mentions."""
    draw, folder = random.Random(5), linked_checkout / "data"
    folder.mkdir()
    sample = project / "resources" / "sample_data" / "names" / "biomedical_names.txt"
    names = [name for name in dict.fromkeys(sample.read_text().splitlines()) if len(name) > 4]
    pairs = [(name, misspelt(name, draw), 1) for name in draw.sample(names, 100)]
    pairs += [(*draw.sample(names, 2), 0) for _ in range(100)]
    draw.shuffle(pairs)
    mentions = [(misspelt(names[n], draw), f"N{n}") for n in draw.sample(range(len(names)), 50)]
    for name, header, rows in (
        ("names", ("id", "name"), [(f"N{n}", name) for n, name in enumerate(names)]),
        ("pairs-1", ("left", "right", "score"), pairs[:100]),
        ("pairs-2", ("left", "right", "score"), pairs[100:]),
        ("mentions", ("mention", "id"), mentions),
    ):
        with (folder / f"{name}.csv").open("w", newline="") as stream:
            csv.writer(stream).writerows([header, *rows])
    commands = commands_of((project / "docs" / "use.md").read_text(), "Your own tables")
    printed = run_as_written(
        f"({commands.replace(chr(10) + '    ', chr(10))}) 2>&1", linked_checkout
    )
    record = json.loads((linked_checkout / "encoder" / "encoder.json").read_text())
    assert record["corpus"]["name"] == "names.csv[name]" and record["corpus"]["strings"] == len(
        names
    )
    assert re.search(r"pairs-2, spearman: (higher|lower) by 0\.\d+, which 100 items ", printed)
    threshold = re.search(r"--threshold (\S+): precision (\S+) of the links", printed)
    assert float(threshold[2]) >= 0.9
    assert len((linked_checkout / "links.tsv").read_text().splitlines()) > 50
    assert len((linked_checkout / "nearest.tsv").read_text().splitlines()) == 1 + 3 * len(names)
