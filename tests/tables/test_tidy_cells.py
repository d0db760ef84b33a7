"""Cells of a table one to a row, written and read."""

import csv
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tables.assemble_table import main
from workflow_scripts.tables.tidy_cells import HEADER, TidyCell, read_cells, write_cells

MakeTable = Callable[..., list[str]]

CELL = TidyCell(
    table="table01",
    row="bert-mirror",
    column="en",
    mean=0.625,
    sd=0.125,
    low=0.5,
    high=0.75,
    seeds=2,
    published=Decimal("0.556"),
    difference=Decimal("0.069"),
    tolerance=Decimal("0.01"),
    status="outside",
    reason="",
    against="bert-mp",
    against_difference=Decimal("0.375"),
    against_low=-0.25,
    against_high=0.5,
    p_value=0.001998,
)


def cells_of(arguments: list[str]) -> tuple[list[TidyCell], Path]:
    main(arguments)
    path = Path(arguments[arguments.index("--cells") + 1])
    return read_cells(path), path


def test_columns_are_those_that_were_agreed_on() -> None:
    assert ",".join(HEADER) == (
        "table,row,column,mean,sd,low,high,seeds,published,difference,tolerance,status,reason,"
        "against,against_difference,against_low,against_high,p_value"
    )


def test_cells_are_read_as_written(tmp_path: Path) -> None:
    nothing = TidyCell(
        "t", "r", "c", *[None] * 4, 0, *[None] * 3, "not-run", "no data", "", *[None] * 4
    )
    write_cells(tmp_path / "cells.tsv", [CELL, nothing])
    assert read_cells(tmp_path / "cells.tsv") == [CELL, nothing]


def test_table_gives_each_cell_a_row(make_table: MakeTable) -> None:
    cells, path = cells_of(make_table(comparable=("bert-mirror",), details=True))
    assert [(cell.row, cell.column) for cell in cells] == [
        (row, column)
        for row in ("fasttext", "bert-mp", "bert-mirror", "mbert-mirror")
        for column in ("en", "fr", "avg")
    ]
    found = {(cell.row, cell.column): cell for cell in cells}
    mirror = found["bert-mirror", "en"]
    assert (mirror.mean, mirror.sd, mirror.seeds) == (0.625, 0.176777, 2)
    assert (mirror.published, mirror.difference, mirror.tolerance, mirror.status) == (
        Decimal("0.556"),
        Decimal("0.069"),
        Decimal("0.01"),
        "outside",
    )
    assert (mirror.against, mirror.against_difference) == ("bert-mp", Decimal("0.375"))
    # the replicates of the fixture differ by a constant
    assert (mirror.against_low, mirror.against_high) == (0.375, 0.375)
    assert mirror.p_value is not None and mirror.p_value < 0.01
    assert mirror.low is not None and mirror.low < 0.625
    assert found["bert-mirror", "fr"].status == "inside"
    bert = found["bert-mp", "en"]
    assert (bert.status, bert.difference) == ("not-comparable", None)
    assert bert.reasons == ["a <small> model", "the sampler"]
    assert found["fasttext", "en"].reasons == ["no vectors"]
    assert found["mbert-mirror", "avg"].status == "not-run"
    with open(path, encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert {len(row) for row in rows} == {len(HEADER)}


def test_published_value_that_the_table_lacks_is_not_lost(make_table: MakeTable) -> None:
    rows = [{"id": "fasttext", "label": "f", "not_run": "x"}]
    cells, _ = cells_of(make_table(rows=rows))
    last = [cell for cell in cells if cell.row == "bert-mirror"]
    assert [(cell.column, cell.published, cell.status) for cell in last] == [
        ("en", Decimal("0.556"), "not-run"),
        ("fr", Decimal("0.245"), "not-run"),
        ("avg", Decimal("0.471"), "not-run"),
    ]
    assert {cell.reason for cell in last} == {
        "the published value has no row or column in this table"
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda line: line.replace("outside", "reproduced"), r"cells\.tsv:2: malformed cell"),
        (lambda line: line.replace("0.625000", "many"), r"cells\.tsv:2: malformed cell"),
        (lambda line: line.replace("0.556", "x"), r"cells\.tsv:2: malformed cell"),
        (lambda line: line + "\t1", r"cells\.tsv:2: malformed cell"),
        (lambda line: line.rsplit("\t", 1)[0], r"cells\.tsv:2: expected a row of"),
    ],
)
def test_malformed_cells_name_file_and_line(
    tmp_path: Path, change: Callable[[str], str], message: str
) -> None:
    path = tmp_path / "cells.tsv"
    write_cells(path, [CELL])
    header, line = path.read_text().splitlines()
    path.write_text(f"{header}\n{change(line)}\n")
    with pytest.raises(UserError, match=message):
        read_cells(path)


@pytest.mark.parametrize("text", ["", "row\tcolumn\n", "\t".join(reversed(HEADER)) + "\n"])
def test_another_header_is_a_user_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "cells.tsv"
    path.write_text(text)
    with pytest.raises(UserError, match=r"cells\.tsv:1: expected"):
        read_cells(path)
