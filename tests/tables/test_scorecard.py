"""The scorecard: every published cell counted once, by what became of it, with reasons."""

import csv
import json
import re
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from html_reading import Page
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.tables.assemble_scorecard import NUMBERS, count_cells, main
from workflow_scripts.tables.cells import Cell, write_cells

STATUSES = ("inside", "outside", "not-comparable", "not-run", "no-published")


def cell(name, status, *reasons, table="table01", ours=None, paper="0.500", assumed=()):
    """Return a cell of row `r` and a column of its own, with what its status implies."""
    ours = ours or (0.52 if status == "outside" else 0.5)
    published = None if paper is None else Decimal(paper)
    known: dict[str, Any] = {"reasons": reasons, "published": published, "assumptions": assumed}
    if status != "not-run":
        known |= {"mean": ours, "sd": 0.004, "low": ours - 0.05, "high": ours + 0.05, "seeds": 3}
        known["tolerance"] = Decimal("0.01")
    if status in ("inside", "outside") and published:
        known["difference"] = Decimal(f"{ours:.3f}") - published
    made = Cell(table, "r", name, **known)
    assert made.status == status
    return made


CELLS = [
    cell("a", "inside", ours=0.505),
    cell("b", "outside", ours=0.52, assumed=("which layer", "how long")),
    cell("c", "not-comparable", "a small model", "the sample data"),
    cell("d", "not-comparable", "the sample data", assumed=("which layer",)),
    cell("e", "not-run", "no vectors"),
    cell("f", "no-published", paper=None),
    cell("g", "not-run", "no vectors", paper=None),
    cell("h", "not-comparable", "a small model"),
]
OTHERS = [
    cell("a", "outside", table="table03", ours=0.25),
    cell("b", "not-run", "no data | really", table="table03"),
    cell("c", "not-run", "no vectors", table="table03"),
]


def forms(tmp_path, **papers):
    """Return the forms for the tables of papers, each with its cells by id; figures start so."""
    listed = {}
    for paper, tables in papers.items():
        listed[paper] = {"tables": [], "figures": []}
        for name, cells in tables.items():
            write_cells(tmp_path / f"{name}.tsv", cells)
            one = {"id": name, "title": f"The {name}", "cells": str(tmp_path / f"{name}.tsv")}
            listed[paper]["figures" if name.startswith("figure") else "tables"].append(one)
    block, prefix = tmp_path / "block.json", tmp_path / "out" / "scorecard"
    block.write_text(json.dumps({"papers": listed, "data": "the sample data"}))
    main(["--block", str(block), "--output-prefix", str(prefix)])
    lines = Path(f"{prefix}.tsv").read_text("utf-8").splitlines()
    rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    page = Path(f"{prefix}.html").read_text("utf-8").replace("&#39;", "'")
    return rows, Path(f"{prefix}.md").read_text("utf-8"), page


def test_counts_and_reasons_of_each_table_and_in_total(tmp_path):
    rows, text, page = forms(tmp_path, one={"table01": CELLS, "table03": OTHERS})
    assert {row["table"]: [int(row[name]) for name in NUMBERS] for row in rows} == {
        "table01": [6, 2, 1, 1, 1, 3, 1],
        "table03": [3, 1, 0, 0, 1, 0, 2],
        "total": [9, 3, 1, 1, 2, 3, 3],
    }
    kinds = ("not_comparable_reasons", "not_run_reasons", "assumptions")
    assert [json.loads(rows[2][kind]) for kind in kinds] == [
        {"a small model": 2, "the sample data": 2},
        {"no vectors": 2, "no data | really": 1},
        # those of cells that are compared alone
        {"how long": 1, "which layer": 1},
    ]
    counts, *others = Page(page).tables
    assert [row[0] for row in counts[1:]] == ["The table01", "The table03", "Total"]
    head = "Table or figure;Published;Compared;Assumed;Inside;Outside;Not comparable;Not run"
    assert counts[0] == head.split(";")
    reasons = ["Reason", "Cells", "Where"]
    assert others == [
        [
            ["Table", "Row", "Column", "Ours", "95% interval", "Paper", "Difference", "Tol."],
            # by falling difference
            ["table03", "r", "a", ".250 ±.004", "[.200, .300]", ".500", "-.250", ".01"],
            ["table01", "r", "b", ".520 ±.004", "[.470, .570]", ".500", "+.020", ".01"],
        ],
        [reasons, *([what, "1", "table01 (1)"] for what in ("which layer", "how long"))],
        # most frequent first
        [reasons, *([what, "2", "table01 (2)"] for what in ("a small model", "the sample data"))],
        [
            reasons,
            ["no vectors", "2", "table01 (1), table03 (1)"],
            ["no data | really", "1", "table03 (1)"],
        ],
    ]
    assert text.index("| table03 | r | a |") < text.index("| table01 | r | b |")
    assert r"| no data \| really | 1 | table03 (1) |" in text
    for sentence in (
        "3 cells ran with the paper's model, data and recipe and are compared",
        "3 cells ran with others and are not comparable; 3 cells did not run.",
        "Of the 3 cells compared, 1 lie inside their tolerance and 2 outside; 1 assume",
        "Data: the sample data.",
    ):
        assert sentence in text and sentence in page
    assert not re.search("reproduc", text + page, flags=re.IGNORECASE)
    assert {"index.html", "scorecard.tsv", "scorecard.md"} <= set(Page(page).links)
    # words are aligned left and numbers right
    assert f"\n|---|{'--:|' * 7}\n" in text and "\n|---|--:|---|\n" in text
    assert '<td class="text">table01 (1), table03 (1)</td>' in page


def test_one_cell_is_spoken_of_alone_and_shown_with_its_own_digits(tmp_path):
    # as in a table in per cent without decimals
    whole = cell("a", "outside", ours=47.2, paper="50")
    whole = replace(whole, difference=Decimal("-3"), sd=None, low=None, high=None)
    cells = [whole, cell("b", "not-comparable", "the sample data"), cell("c", "not-run", "no data")]
    _, text, page = forms(tmp_path, one={"table01": cells})
    assert Page(page).tables[1][1] == ["table01", "r", "a", "47", "–", "50", "-3", ".01"]
    assert "1 cell ran with the paper's model, data and recipe and is compared" in text
    assert "1 cell ran with others and is not comparable; 1 cell did not run." in text
    assert "Of the 1 cell compared, 0 lie inside their tolerance and 1 outside; 0 assume" in text


def test_each_paper_has_a_section_and_a_total_of_its_own(tmp_path):
    mine = [cell("a", "no-published", table="mine", paper=None)]
    papers = {"one": {"table01": CELLS}, "two": {"table03": OTHERS}, "own": {"mine": mine}}
    rows, text, page = forms(tmp_path, **papers)
    counts = {row["table"]: [row[name] for name in NUMBERS] for row in rows}
    assert [*counts] == ["table01", "table03", "total one", "total two", "total"]
    assert counts["total one"] == counts["table01"]
    assert counts["total two"] == counts["table03"]
    assert re.findall("^## (.*)$", text, flags=re.MULTILINE) == ["Paper one", "Paper two"]
    one, two = page[page.index("Paper one") : page.index("</main>")].split("Paper two")
    assert "table03" not in one
    assert "table01" not in two
    assert "Not counted: 2 cells" in text


def test_what_is_not_compared_or_not_there_is_told_of(tmp_path):
    figure = [cell("a", "not-run", "no model", table="figure04")]
    _, text, page = forms(tmp_path, one={"table01": CELLS[2:], "figure04": figure})
    assert {"table01.html", "../figures/figure04.html"} <= set(Page(page).links)
    assert "| [The table01](table01.html) |" in text
    for form in (text, page):
        assert "No cell is compared" in form
        assert "outside their tolerance, largest" not in form
    rows, text, page = forms(tmp_path)
    assert [row["table"] for row in rows] == ["total"]
    assert "there is nothing to count" in text
    assert Page(page).tables == []


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.booleans(), st.sampled_from("tu"))))
def test_every_published_cell_is_counted_once(drawn):
    cells = []
    for number, (status, has_paper, table) in enumerate(drawn):
        has_paper |= status in ("inside", "outside", "not-comparable")
        paper = "0.5" if has_paper and status != "no-published" else None
        cells.append(cell(str(number), status, "why", table=table, paper=paper))
    card = count_cells(cells)
    published = [counts.numbers["published"] for counts in card.tables.values()]
    expected = sum(one.published is not None for one in cells)
    assert card.total.numbers["published"] == sum(published) == expected
    assert card.total.numbers["outside"] == len(card.outside)
    assert card.unpublished == sum(one.status == "no-published" for one in cells)
