"""The README: its length, where its links lead, its numbers, and its commands as written."""

import json
import re
from itertools import pairwise

import pytest

# of each row: the table of the run, its column, and what it multiplies fractions by
SHOWN = {
    ("STS Benchmark", "Mirror"): ("table03", "STS-b", 1),
    ("Multi-SimLex English", "Mirror"): ("table01", "en", 1),
    ("NCBI disease names", "Mirror, biomedical BERT"): ("table02", "NCBI @1", 1),
    ("Lexicon English-French", "Mirror"): ("table06", "en-fr", 1),
    ("STS Benchmark", "CMLM"): ("cmlm-table02", "STSB", 100),
    ("Tatoeba", "CMLM with bitext"): ("cmlm-table05", "avg.", 100),
}
DOOR = "## Your own encoder\n"


@pytest.fixture(scope="module")
def readme(project):
    """Its text without the marks of recorded numbers."""
    return re.sub(r"<!--.*?-->", "", (project / "README.md").read_text())


def commands_of(text):
    """Return the blocks of commands: lines that are indented by four."""
    blocks = re.findall(r"(?:^    .*\n)+", text, re.M)
    return [re.sub(r"^    ", "", block, flags=re.M) for block in blocks]


def test_it_is_short_and_its_links_lead_to_files(readme, project):
    assert len(readme.splitlines()) <= 90
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", readme)
    assert len(links) > 20
    assert [link for link in links if not (project / link).exists()] == []
    pages = {page.name for page in (project / "docs").glob("*.md")} - {"config-keys.md", "index.md"}
    assert {page for page in pages if f"docs/{page}" not in readme} == set()


def test_its_numbers_are_those_of_the_tables_of_the_run(readme, project):
    """Untuned, tuned and difference stand in one column of the table that they are taken from."""
    tables = project / "docs" / "example-run" / "tables"
    row = r"^\| (.+?) \| ([.\d]+) \| ([.\d]+) \| ([-+.\d]+)(\\\*)? \| (.+?) \|$"
    rows = re.findall(row, readme, re.M)
    assert len(rows) == len(SHOWN)
    for name, untuned, tuned, difference, mark, published in rows:
        file, column, factor = SHOWN[name.split(",")[0], name.split(": ")[1]]
        lines = [line.split("|")[1:-1] for line in (tables / f"{file}.md").read_text().split("\n")]
        head = next(line for line in lines if len(line) > 2 and line[0] == "  ")
        place = [cell.strip() for cell in head].index(column)
        cells = [line[place] for line in lines if len(line) == len(head)]
        (found,) = [
            (before, after)
            for before, after in pairwise(cells)
            if number(before, factor) == float(untuned) and number(after, factor) == float(tuned)
        ]
        change = re.search(r"([↑↓])([.\d]+)(\\\*)?", found[1])
        sign = 1 if change[1] == "↑" else -1
        assert float(difference) == pytest.approx(sign * float(change[2]) / factor, abs=6e-4)
        assert bool(mark) == bool(change[3])
        papers = [re.search(r"paper ([.\d]+)", cell) for cell in found]
        told = [round(float(paper[1]) / factor, 3) for paper in papers if paper]
        assert [float(value) for value in re.findall(r"[.]\d+", published)] == told


def number(cell, factor):
    """Return the score of a cell of a table as a fraction with three digits, None without."""
    found = re.match(r"[^.\d]*([.\d]+)", cell)
    return round(float(found[1]) / factor, 3) if found and found[1] != "." else None


@pytest.mark.slow
def test_the_commands_to_one_s_own_encoder_run_as_written(readme, linked_checkout, run_as_written):
    section = readme.split(DOOR)[1].split("\n## ")[0]
    commands, shown = commands_of(section)
    printed = run_as_written(commands, linked_checkout)
    # what it shows is printed, and it is better: digits may differ on another machine
    for line in shown.splitlines()[1:]:
        name, value, against, difference, p = re.fullmatch(
            r"(.*?\S) +[\d ]* +([.\d]+) +([.\d]+) +([-+.\d]+) .* ([.\d]+)(?: \*)?", line
        ).groups()
        found = re.search(rf"^{re.sub(' +', ' +', name)} .*$", printed, re.M)[0]
        numbers = [float(one) for one in re.findall(r"[-+]?\d+\.\d+", found)]
        wanted = [float(one) for one in (value, against, difference)]
        assert numbers[:3] == pytest.approx(wanted, abs=0.02)
        assert numbers[-1] == pytest.approx(float(p), abs=0.03)
    means = json.loads((linked_checkout / "scores.record.json").read_text())["against"]["means"]
    assert all(mean["difference"] > 0 and mean["p_value"] < 0.05 for mean in means)
    assert re.search(r"^cardiac infarction\t1\tD1\t", printed, re.M)
