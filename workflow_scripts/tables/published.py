"""Values that the paper printed, read from config/reference."""

from decimal import Decimal, InvalidOperation
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows

HEADER = ["table", "row", "column", "value"]


def read_published(path: str | Path, table: str) -> dict[tuple[str, str], Decimal]:
    """Return the published value of each (row id, column id) of a table, digits as printed.

    The file is tidy and tab-separated, with the header `table row column value`; `table` is the id
    that all its lines must carry.

    Raises `UserError` with file and line for another header or table, a value that is no finite
    number, and a cell given twice.
    """
    published: dict[tuple[str, str], Decimal] = {}
    found_header = False
    for line, fields in read_rows(path, len(HEADER), "a row of table<TAB>row<TAB>column<TAB>value"):
        if line == 1:
            if fields != HEADER:
                raise UserError(f"{path}:1: the header must be {' '.join(HEADER)}, tab-separated")
            found_header = True
            continue
        name, row, column, text, *rest = fields
        if rest:
            raise UserError(f"{path}:{line}: more than {len(HEADER)} columns; remove the rest")
        if name != table:
            raise UserError(
                f"{path}:{line}: table `{name}` in the reference of `{table}`; move the line to "
                f"{name}.tsv or mend its first column"
            )
        try:
            value = Decimal(text)
        except InvalidOperation:
            value = Decimal("nan")
        if not value.is_finite():
            raise UserError(f"{path}:{line}: value `{text}` is not a number; give one like 0.556")
        if (row, column) in published:
            raise UserError(f"{path}:{line}: row `{row}`, column `{column}` twice; remove one")
        published[row, column] = value
    if not found_header:
        raise UserError(f"{path}: empty; the first line must be {' '.join(HEADER)}, tab-separated")
    return published
