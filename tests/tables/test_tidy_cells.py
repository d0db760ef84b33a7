"""Cells of a table one to a row, written and read."""

from decimal import Decimal

from workflow_scripts.tables.cells import HEADER, Cell, read_cells, write_cells


def test_cells_are_read_as_written(tmp_path):
    decimals = (Decimal("0.556"), Decimal("0.069"), Decimal("0.01"))
    numbers = (Decimal("0.375"), -0.25, 0.5, 0.001998, 900)
    place = ("table01", "bert-mirror", "en")
    cells = [
        Cell(*place, 0.6, 0.1, 0.5, 0.7, 2, *decimals, (), ("x", "y"), "bert-mp", *numbers),
        Cell(*place, 0.5, seeds=1, published=Decimal("0.5"), reasons=("a model", "the data")),
        Cell(*place, reasons=("no data | really",)),
    ]
    assert [cell.status for cell in cells] == ["outside", "not-comparable", "not-run"]
    write_cells(tmp_path / "cells.tsv", cells)
    assert read_cells(tmp_path / "cells.tsv") == cells
    assert ",".join(HEADER) == (
        "table,row,column,mean,sd,low,high,seeds,published,difference,tolerance,status,reason,"
        "assumed,against,against_difference,against_low,against_high,p_value,n"
    )


def test_published_value_that_the_table_lacks_is_not_lost(assembled):
    rows = [{"id": "fasttext", "label": "f", "not_run": "x"}]
    cells = assembled(rows=rows).cells
    last = [cell for cell in cells if cell.row == "bert-mirror"]
    published = [(cell.column, str(cell.published)) for cell in last]
    assert published == [("en", "0.556"), ("fr", "0.245"), ("avg", "0.471")]
    reason = "the published value has no row or column in this table"
    assert {(cell.status, cell.reasons) for cell in last} == {("not-run", (reason,))}
    assert {(cell.mean, cell.seeds, cell.against) for cell in last} == {(None, 0, "")}
