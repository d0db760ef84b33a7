"""The README: its numbers are those of the tables that they come from."""

import re
from itertools import pairwise

import pytest

# of each row: the table of the run, its column, and what it multiplies fractions by
SHOWN = {
    ("STS Benchmark", "Mirror"): ("table03", "STS-b", 1),
    ("STS Benchmark", "CMLM"): ("cmlm-table02", "STSB", 100),
    ("Tatoeba", "CMLM with bitext"): ("cmlm-table05", "avg.", 100),
}


@pytest.fixture(scope="module")
def readme(project):
    """Its text without the marks of recorded numbers."""
    return re.sub(r"<!--.*?-->", "", (project / "README.md").read_text())


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
        (pair,) = [
            (before, after)
            for before, after in pairwise(cells)
            if number(before, factor) == float(untuned) and number(after, factor) == float(tuned)
        ]
        change = re.search(r"([↑↓])([.\d]+)(\\\*)?", pair[1])
        sign = 1 if change[1] == "↑" else -1
        assert float(difference) == pytest.approx(sign * float(change[2]) / factor, abs=6e-4)
        assert bool(mark) == bool(change[3])
        papers = [re.search(r"paper ([.\d]+)", cell) for cell in pair]
        values = [round(float(paper[1]) / factor, 3) for paper in papers if paper]
        assert [float(value) for value in re.findall(r"[.]\d+", published)] == values


def number(cell, factor):
    """Return the score of a cell of a table as a fraction with three digits, None without."""
    score = re.match(r"[^.\d]*([.\d]+)", cell)
    return round(float(score[1]) / factor, 3) if score and score[1] != "." else None
