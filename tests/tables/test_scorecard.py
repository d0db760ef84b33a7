"""The scorecard: every published cell counted once, by what became of it, with reasons."""

import csv
import json
import re
from decimal import Decimal
from pathlib import Path

import pytest
from html_reading import Page
from hypothesis import given, settings
from hypothesis import strategies as st

from workflow_scripts.errors import UserError
from workflow_scripts.tables.assemble_scorecard import main
from workflow_scripts.tables.scorecard import count_cells
from workflow_scripts.tables.tidy_cells import STATUSES, TidyCell, write_cells


def cell(
    name: str,
    status: str,
    reason: str = "",
    table: str = "table01",
    ours: float = 0.5,
    paper: str | None = "0.500",
) -> TidyCell:
    """Return a cell of row `r` and a column of its own, with what its status implies."""
    ran = status != "not-run"
    compared = status in ("inside", "outside")
    published = None if paper is None else Decimal(paper)
    return TidyCell(
        table=table,
        row="r",
        column=name,
        mean=ours if ran else None,
        sd=0.004 if ran else None,
        low=ours - 0.05 if ran else None,
        high=ours + 0.05 if ran else None,
        seeds=3 if ran else 0,
        published=published,
        difference=Decimal(f"{ours:.3f}") - published if compared and published else None,
        tolerance=Decimal("0.01") if ran else None,
        status=status,
        reason=reason,
        against="",
        against_difference=None,
        against_low=None,
        against_high=None,
        p_value=None,
    )


CELLS = [
    cell("a", "inside", ours=0.505),
    cell("b", "outside", ours=0.52),
    cell("c", "not-comparable", "a small model | the sampler"),
    cell("d", "not-comparable", "the sampler"),
    cell("e", "not-run", "no vectors"),
    cell("f", "no-published", paper=None),
    cell("g", "not-run", "no vectors", paper=None),
    cell("h", "not-comparable", "a small model | a small model"),
]
OTHERS = [
    cell("a", "outside", table="table03", ours=0.25),
    cell("b", "not-run", "no data | really", table="table03"),
    cell("c", "not-run", "no vectors", table="table03"),
]


def forms(tmp_path: Path, *files: list[TidyCell], block: str = "{}") -> tuple[list, str, str]:
    paths = [tmp_path / f"{number}.tsv" for number in range(len(files))]
    for path, cells in zip(paths, files, strict=True):
        write_cells(path, cells)
    prefix = tmp_path / "out" / "scorecard"
    arguments = ["--cells", *map(str, paths), "--block", block, "--data-note", "the sampler"]
    main([*arguments, "--output-prefix", str(prefix)])
    with open(f"{prefix}.tsv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return rows, Path(f"{prefix}.md").read_text("utf-8"), Path(f"{prefix}.html").read_text("utf-8")


def test_counts_and_reasons_of_each_table_and_in_total(tmp_path: Path) -> None:
    rows, _, _ = forms(tmp_path, CELLS, OTHERS)
    names = ("published", "compared", "inside", "outside", "not_comparable", "not_run")
    assert {row["table"]: [int(row[name]) for name in names] for row in rows} == {
        "table01": [6, 2, 1, 1, 3, 1],
        "table03": [3, 1, 0, 1, 0, 2],
        "total": [9, 3, 1, 2, 3, 3],
    }
    assert json.loads(rows[0]["not_comparable_reasons"]) == {"a small model": 2, "the sampler": 2}
    assert json.loads(rows[2]["not_run_reasons"]) == {"no vectors": 2, "no data | really": 1}


def test_outside_cells_are_listed_by_falling_difference(tmp_path: Path) -> None:
    _, text, page = forms(tmp_path, CELLS, OTHERS)
    listed = Page(page).tables[1]
    assert listed == [
        ["Table", "Row", "Column", "Ours", "95% interval", "Paper", "Difference", "Tol."],
        ["table03", "r", "a", ".250 ±.004", "[.200, .300]", ".500", "-.250", ".01"],
        ["table01", "r", "b", ".520 ±.004", "[.470, .570]", ".500", "+.020", ".01"],
    ]
    assert text.index("| table03 | r | a |") < text.index("| table01 | r | b |")


def test_reasons_stand_with_their_counts_most_frequent_first(tmp_path: Path) -> None:
    _, text, page = forms(tmp_path, CELLS, OTHERS)
    tables = Page(page).tables
    assert tables[2][1:] == [
        ["a small model", "2", "table01 (2)"],
        ["the sampler", "2", "table01 (2)"],
    ]
    assert tables[3][1:] == [
        ["no vectors", "2", "table01 (1), table03 (1)"],
        ["no data | really", "1", "table03 (1)"],
    ]
    assert r"| no data \| really | 1 | table03 (1) |" in text


def test_run_without_any_comparison_says_so_and_why(tmp_path: Path) -> None:
    cells = [one for one in CELLS if one.status not in ("inside", "outside")]
    _, text, page = forms(tmp_path, cells)
    for form in (text, page.replace("&#x27;", "'")):
        assert "Not one cell is compared" in form
        assert "says nothing about whether the paper's values are reached" in form
        assert "the sampler" in form
        assert "outside their tolerance, largest" not in form


def test_nothing_is_called_reproduced(tmp_path: Path) -> None:
    _, text, page = forms(tmp_path, CELLS, OTHERS)
    assert not re.search("reproduc", text + page, flags=re.IGNORECASE)
    assert "1 lie inside their tolerance and 2 outside" in text
    assert "agreement within that bound and no more" in text


def test_known_tables_and_figures_link_to_their_pages(tmp_path: Path) -> None:
    block = {
        "tables": [{"id": "table01", "title": "Words"}],
        "figures": [{"id": "figure04", "title": "ROC"}],
    }
    figure = [cell("a", "inside", table="figure04")]
    _, text, page = forms(tmp_path, CELLS, OTHERS, figure, block=json.dumps(block))
    assert {"table01.html", "../figures/figure04.png"} <= set(Page(page).links)
    assert [row[0] for row in Page(page).tables[0][1:]] == ["Words", "table03", "ROC", "Total"]
    assert "| [Words](table01.html) |" in text


def test_no_cells_at_all_are_told_of(tmp_path: Path) -> None:
    rows, text, page = forms(tmp_path)
    assert [row["table"] for row in rows] == ["total"]
    assert "there is nothing to count" in text
    assert Page(page).tables == []


def test_table_given_twice_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"1\.tsv: table `table01`, row `r`, column `a` is also in"):
        forms(tmp_path, CELLS, CELLS)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("block", ["{", "[]", '{"tables": [{"id": "t"}]}', '{"more": []}'])
def test_malformed_block_is_a_user_error(tmp_path: Path, block: str) -> None:
    with pytest.raises(UserError, match="--block: "):
        forms(tmp_path, CELLS, block=block)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.booleans(), st.sampled_from("tu"))))
def test_every_published_cell_is_counted_once(drawn: list[tuple[str, bool, str]]) -> None:
    cells = []
    for number, (status, has_paper, table) in enumerate(drawn):
        needs = status in ("inside", "outside", "not-comparable")
        lacks = status == "no-published"
        paper = "0.5" if needs or (has_paper and not lacks) else None
        cells.append(cell(str(number), status, "why", table=table, paper=paper))
    card = count_cells([("file", cells)])
    assert card.total.published == sum(one.published is not None for one in cells)
    assert card.total.published == sum(counts.published for counts in card.tables.values())
    assert card.total.outside == len(card.outside)
    assert card.unpublished == sum(one.status == "no-published" for one in cells)
