"""config/reference as it was frozen, and the archived parser of the tables of Mirror-BERT's paper.

tests/tables/published_cells.tsv is what archive/parse_mirror_bert_tables.py reads out of the paper.
"""

import hashlib
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest

FROZEN = Path(__file__).with_name("published_cells.tsv")
ARCHIVE = Path(__file__).parents[2] / "archive"
EXAMPLE = (["model x y"], ["x", "avg", "change"], [("A", "a"), ("+ B", "b")])
EXAMPLE_TEXT = "prose\nmodel x y\nA .1 .2\n\\hdashline+ B 2.3 .4↓.100\nTable 1: words\nmore"


def sums():
    """Return the hashes of frozen files, by path."""
    lines = (ARCHIVE / "SHA256SUMS").read_text().splitlines()
    hashes = {path: digest for digest, path in (line.split("  ") for line in lines)}
    assert len(hashes) == len(lines)
    return hashes


def test_frozen_files_are_unchanged_or_their_change_is_recorded(project):
    hashes = {path: hashlib.sha256((project / path).read_bytes()).hexdigest() for path in sums()}
    assert hashes == sums(), (
        "Published values and frozen recipes change only where the paper was misread: undo the "
        "edit, or add a line to the table in archive/README.md and put the new hash into "
        "archive/SHA256SUMS"
    )


def test_the_published_values_and_recipes_of_both_papers_are_frozen(project):
    assert str(FROZEN.relative_to(project)) in sums()
    reference = project / "config/reference"
    files = [*reference.glob("*/*.tsv"), *reference.glob("*/recipes.yaml")]
    assert len(files) == 11 + 20 + 2 and {str(f.relative_to(project)) for f in files} <= {*sums()}


def cells_of(text):
    """Return {(table, row, column): value} of tidy lines; each cell stands there once."""
    header, *lines = text.splitlines()
    assert header == "table\trow\tcolumn\tvalue"
    cells = {(table, row, column): Decimal(v) for table, row, column, v in map(str.split, lines)}
    assert len(cells) == len(lines)
    return cells


def test_every_cell_is_as_the_paper_prints_it_and_there_is_no_other(project):
    frozen = cells_of(FROZEN.read_text().split("\n", 1)[1])
    cells: dict[tuple[str, str, str], Decimal] = {}
    for file in (project / "config/reference/mirror-bert").glob("*.tsv"):
        of_file = cells_of(file.read_bytes().decode("ascii"))
        assert {table for table, _, _ in of_file} == {file.stem}
        cells |= of_file
    assert len(cells) == 516 and cells == frozen


@pytest.mark.shared_data
def test_the_parser_reads_the_same_bytes_out_of_the_paper(shared_data, tmp_path):
    papers = shared_data.parent / "papers"
    arguments = ["--paper", papers / "mirror-bert.txt", "--output", tmp_path / "cells.tsv"]
    arguments += ["--formulas", papers / "mirror-bert-with-formulas.txt"]
    arguments += ["--poster", papers / "mirror-bert-poster.txt"]
    parser = ARCHIVE / "parse_mirror_bert_tables.py"
    subprocess.run([sys.executable, parser, *arguments], check=True)
    assert (tmp_path / "cells.tsv").read_bytes() == FROZEN.read_bytes()


def test_parser_reads_rows_values_and_changes(monkeypatch):
    monkeypatch.syspath_prepend(ARCHIVE)
    from printed_tables import Printed, parse_table

    expected = {("a", "x"): ".1", ("a", "avg"): ".2", ("b", "x"): "2.3", ("b", "avg"): ".4"}
    expected["b", "change"] = "-.1"
    cells = parse_table(EXAMPLE_TEXT, "table01", Printed(*EXAMPLE))
    assert cells == {key: Decimal(value) for key, value in expected.items()}


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
    monkeypatch.syspath_prepend(ARCHIVE)
    from printed_tables import LayoutError, Printed, parse_table

    with pytest.raises(LayoutError, match=re.escape(message)):
        parse_table(EXAMPLE_TEXT.replace(old, new, 1), "table01", Printed(*EXAMPLE))
