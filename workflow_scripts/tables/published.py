"""Values that a paper printed, read from config/reference."""

from decimal import Decimal
from pathlib import Path

from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_number

HEADER = ["table", "row", "column", "value"]


def read_published(path: str | None) -> dict[tuple[str, str], Decimal]:
    """Return the published value of each (row id, column id) of a table, digits as printed.

    All lines of the file carry its name as their table. `UserError` with file and line for another
    header or table, a value that is not a finite number, and a cell given twice.
    """
    published: dict[tuple[str, str], Decimal] = {}
    if path is None:
        return published
    layout = Layout(what="table<TAB>row<TAB>column<TAB>value", width=len(HEADER))
    header, *lines = [*read_rows(path, layout)] or [(1, [])]
    if header[1] != HEADER:
        problem = f"the header must be {' '.join(HEADER)}, tab-separated"
        raise UserError(f"{path}:1", problem, "correct it")
    table = Path(path).stem
    for line, (name, row, column, text, *rest) in lines:
        where = f"{path}:{line}"
        if rest:
            raise UserError(where, f"more than {len(HEADER)} columns", "remove the rest")
        if name != table:
            problem = f"table `{name}` in the reference of `{table}`"
            raise UserError(where, problem, f"move the line to {name}.tsv or fix its first column")
        # `Decimal` reads 5_6 and digits of other scripts
        if parse_number(text) is None:
            raise UserError(where, f"value `{text}` is not a number", "give one like 0.556")
        if (row, column) in published:
            raise UserError(where, f"row `{row}`, column `{column}` twice", "remove one")
        published[row, column] = Decimal(text)
    return published
