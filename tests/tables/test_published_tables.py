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


def changed_files(root: Path, sums: str) -> list[str]:
    """Return what to do about each file below `root` that has another hash than in `sums`."""
    remedy = (
        "Published values and frozen recipes change only where the paper was misread: undo the "
        "edit, or add a line to the table in archive/README.md and, in archive/SHA256SUMS, replace "
        "the line of the file by"
    )
    messages = []
    for line in sums.splitlines():
        expected, path = line.split("  ")
        file = root / path
        if not file.is_file():
            messages.append(f"{path} is in archive/SHA256SUMS and does not exist; restore it.")
        elif (found := hashlib.sha256(file.read_bytes()).hexdigest()) != expected:
            messages.append(f"{path} is not as it was frozen. {remedy}: {found}  {path}")
    return messages


def test_frozen_files_are_unchanged_or_their_change_is_recorded(project):
    messages = changed_files(project, (ARCHIVE / "SHA256SUMS").read_text())
    assert not messages, "\n".join(messages)


def test_the_published_values_and_recipes_of_both_papers_are_frozen(project):
    listed = re.findall(r"^[0-9a-f]{64}  (\S+)$", (ARCHIVE / "SHA256SUMS").read_text(), re.M)
    assert len(listed) == len(set(listed)) and str(FROZEN.relative_to(project)) in listed
    for paper, tables in (("cmlm", 11), ("mirror-bert", 20)):
        folder = f"config/reference/{paper}/"
        assert f"{folder}recipes.yaml" in listed
        assert len([path for path in listed if re.match(rf"{folder}\w+\.tsv$", path)]) == tables


def test_an_edit_of_a_frozen_file_is_reported_with_what_to_do(tmp_path):
    frozen, edited = (f"{hashlib.sha256(text).hexdigest()}  a.tsv" for text in (b"1", b"2"))
    (tmp_path / "a.tsv").write_bytes(b"1")
    assert changed_files(tmp_path, frozen) == []
    (tmp_path / "a.tsv").write_bytes(b"2")
    (message,) = changed_files(tmp_path, frozen)
    assert message.startswith("a.tsv is not as it was frozen.") and message.endswith(edited)
    (tmp_path / "a.tsv").unlink()
    assert "does not exist" in changed_files(tmp_path, frozen)[0]


def cells_of(text):
    """Return {(table, row, column): value} of tidy lines; each cell stands there once."""
    header, *lines = text.splitlines()
    assert header == "table\trow\tcolumn\tvalue"
    cells = {(table, row, column): Decimal(v) for table, row, column, v in map(str.split, lines)}
    assert len(cells) == len(lines)
    return cells


def test_every_cell_is_as_the_paper_prints_it_and_there_is_no_other(project):
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
    monkeypatch.syspath_prepend(ARCHIVE)
    from printed_tables import LayoutError, Printed, parse_table

    with pytest.raises(LayoutError, match=re.escape(message)):
        parse_table(EXAMPLE_TEXT.replace(old, new, 1), "table01", Printed(*EXAMPLE))
