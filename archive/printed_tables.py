"""Reading tables out of the text of a paper, and freezing what was read as a file of facts.

A table is described once, as it is printed: its header lines word for word, and the label of each
row. Anything else between header and caption, another number of values, or an unknown label stops
the parser.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

# {(row, column): value}
Cells = dict[tuple[str, str], Decimal]


class LayoutError(ValueError):
    """The text does not hold the table as it was described."""


@dataclass(frozen=True)
class Printed:
    """A table as the text prints it.

    `header` are its lines above the first row; `columns` the ids of its columns, from left to
    right; `rows` the label and id of each row, from top to bottom. Where the last column is
    `change`, its cells are signed and a row may lack it.
    """

    header: list[str]
    columns: list[str]
    rows: list[tuple[str, str]]


# .764 .011absent.011{\uparrow.011} in running tables, .726↓.018 in Table 20
ARROW = re.compile(
    r"(?P<plain>\.\d{3})absent(?P=plain)\{\\(?P<name>up|down)arrow(?P=plain)\}"
    r"|(?P<sign>[↑↓])(?P<after>\.\d{3})"
)
VALUE = re.compile(r"\d*\.\d+")
CHANGE = re.compile(r"[+-]\.\d{3}")


def signed_change(arrow: re.Match) -> str:
    """Return an arrow with its amount as a number with a sign, set off by a space."""
    upwards = arrow["name"] == "up" or arrow["sign"] == "↑"
    return f" {'+' if upwards else '-'}{arrow['plain'] or arrow['after']}"


def lines_above_caption(text: str, table: str, count: int) -> list[str]:
    """Return the `count` lines above the table's one caption."""
    lines = text.split("\n")
    caption = f"Table {int(table.removeprefix('table'))}: "
    found = [at for at, line in enumerate(lines) if line.startswith(caption)]
    if len(found) != 1:
        raise LayoutError(f"{len(found)} captions `{caption}`")
    return lines[max(0, found[0] - count) : found[0]]


def parse_row(line: str, label: str, columns: list[str]) -> dict[str, Decimal]:
    """Return the values of a printed row by column."""
    line = ARROW.sub(signed_change, line.removeprefix("\\hdashline").strip())
    if not line.startswith(f"{label} "):
        raise LayoutError(f"`{line}` where the row `{label}` was expected")
    values = line.removeprefix(label).split()
    if columns[-1] == "change" and len(values) == len(columns) - 1:
        columns = columns[:-1]
    if len(values) != len(columns):
        raise LayoutError(f"`{line}`: {len(values)} values for {len(columns)} columns")
    for column, value in zip(columns, values, strict=True):
        if not (CHANGE if column == "change" else VALUE).fullmatch(value):
            raise LayoutError(f"`{line}`: `{value}` is no value of column `{column}`")
    return {column: Decimal(value) for column, value in zip(columns, values, strict=True)}


def parse_table(text: str, table: str, printed: Printed) -> Cells:
    """Return the cells of a table whose caption follows it.

    Raises `LayoutError` unless exactly the described header and rows stand above the caption.
    """
    height = len(printed.header)
    lines = lines_above_caption(text, table, height + len(printed.rows))
    if lines[:height] != printed.header:
        raise LayoutError(f"{table}: header {lines[:height]} instead of {printed.header}")
    cells: Cells = {}
    for line, (label, row) in zip(lines[height:], printed.rows, strict=True):
        for column, value in parse_row(line, label, printed.columns).items():
            cells[row, column] = value
    return cells


def require(holds: bool, statement: str) -> None:
    """Raise `LayoutError` where a statement on the text does not hold."""
    if not holds:
        raise LayoutError(statement)


def freeze(paper: Path, tables: Mapping[str, Cells], output: Path) -> None:
    """Write all cells as tsv, below the name of the paper's text and the sha256 of its bytes."""
    lines = [f"# {paper.name} sha256 {hashlib.sha256(paper.read_bytes()).hexdigest()}"]
    lines.append("table\trow\tcolumn\tvalue")
    for table, cells in sorted(tables.items()):
        lines += [f"{table}\t{row}\t{column}\t{value}" for (row, column), value in cells.items()]
    output.write_text("".join(line + "\n" for line in lines), encoding="ascii")
