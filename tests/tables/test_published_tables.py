"""config/reference/mirror-bert against the frozen cells of the paper, and the tool that froze them.

tests/tables/published_cells.tsv is what tools/parse_mirror_bert_tables.py reads out of the paper.
"""

import hashlib
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

FROZEN = Path(__file__).with_name("published_cells.tsv")
SHA256 = "65467ab2f59ae6517e44f2442b3c926adab04ee9abce4b351189eea261bf212d"
TOOLS = Path(__file__).parents[2] / "tools"
EXAMPLE = (["model x y"], ["x", "avg", "change"], [("A", "a"), ("+ B", "b")])
EXAMPLE_TEXT = "prose\nmodel x y\nA .1 .2\n\\hdashline+ B 2.3 .4↓.100\nTable 1: words\nmore"


def cells_of(text):
    """Return {(table, row, column): value} of tidy lines; each cell stands there once."""
    header, *lines = text.splitlines()
    assert header == "table\trow\tcolumn\tvalue"
    cells = {(table, row, column): Decimal(v) for table, row, column, v in map(str.split, lines)}
    assert len(cells) == len(lines)
    return cells


def test_every_cell_is_as_the_paper_prints_it_and_there_is_no_other(project):
    assert hashlib.sha256(FROZEN.read_bytes()).hexdigest() == SHA256
    frozen = cells_of(FROZEN.read_text().split("\n", 1)[1])
    folder = project / "config" / "reference" / "mirror-bert"
    found: dict[tuple[str, str, str], Decimal] = {}
    for file in sorted(folder.glob("*.tsv")):
        text = file.read_bytes().decode("ascii")
        assert text.endswith("\n") and "\n\n" not in text and "\r" not in text
        cells = cells_of(text)
        assert {table for table, _, _ in cells} == {file.stem}
        found |= cells
    assert len(found) == 516
    assert found == frozen


@pytest.mark.shared_data
def test_the_tool_reads_the_same_bytes_out_of_the_paper(shared_data, tmp_path):
    papers = shared_data.parent / "papers"
    arguments = ["--paper", papers / "mirror-bert.txt", "--output", tmp_path / "cells.tsv"]
    arguments += ["--formulas", papers / "mirror-bert-with-formulas.txt"]
    arguments += ["--poster", papers / "mirror-bert-poster.txt"]
    tool = TOOLS / "parse_mirror_bert_tables.py"
    subprocess.run([sys.executable, tool, *arguments], check=True)
    assert (tmp_path / "cells.tsv").read_bytes() == FROZEN.read_bytes()


def test_parser_reads_rows_values_and_changes(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    from printed_tables import Printed, parse_table

    expected = {("a", "x"): ".1", ("a", "avg"): ".2", ("b", "x"): "2.3", ("b", "avg"): ".4"}
    expected["b", "change"] = "-.1"
    found = parse_table(EXAMPLE_TEXT, "table01", Printed(*EXAMPLE))
    assert found == {key: Decimal(value) for key, value in expected.items()}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Table 1: words", "Table 2: words", "0 captions"),
        ("more", "Table 1: again", "2 captions"),
        ("model x y", "model y x", "header"),
        ("A .1 .2\n", "A .1 .2\nA .1 .2\n", "header"),
        ("A .1", "C .1", "`C .1 .2` where the row `A` was expected"),
        ("A .1 .2", "A .1 .2 .3 .4", "4 values for 3 columns"),
        ("A .1 .2", "A 1 .2", "`1` is no value of column `x`"),
        ("↓.100", " .100", "`.100` is no value of column `change`"),
    ],
)
def test_parser_stops_at_another_layout(monkeypatch, old, new, message):
    monkeypatch.syspath_prepend(TOOLS)
    from printed_tables import LayoutError, Printed, parse_table

    with pytest.raises(LayoutError, match=re.escape(message)):
        parse_table(EXAMPLE_TEXT.replace(old, new, 1), "table01", Printed(*EXAMPLE))
