"""A corpus as a file of lines that lasts as long as it is needed."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workflow_scripts.corpora.pair_lines import PAIR_SEPARATOR
from workflow_scripts.errors import UserError
from workflow_scripts.string_columns import TableOptions, strings_of


def line_of(string: Any, where: str) -> str:
    """Return the line of a file that stands for a string or a pair; `where` is its place."""
    parts = string if isinstance(string, tuple | list) else (string,)
    for part in parts:
        if not isinstance(part, str):
            problem = f"a {type(part).__name__}, not a string"
            raise UserError(where, problem, "give strings, or pairs of strings")
        if "\n" in part or "\r" in part:
            raise UserError(
                where, "holds a line break", "split it, or replace the line break by a space"
            )
        if len(parts) > 1 and PAIR_SEPARATOR in part:
            problem = f"holds {PAIR_SEPARATOR}, which divides the strings of a pair"
            raise UserError(where, problem, "replace it by a space")
    return PAIR_SEPARATOR.join(parts)


@contextmanager
def lines_file(lines: Iterable[str], name: str = "strings.txt") -> Iterator[Path]:
    """Yield a file of lines, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="mirror-bert-") as folder:
        path = Path(folder) / name.replace("/", "_")
        with path.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(f"{line}\n" for line in lines)
        yield path


@contextmanager
def corpus_lines(option: str, path: Path, table: TableOptions) -> Iterator[Path]:
    """Yield the file of lines of a corpus: `path`, or one made of the columns of a table.

    Raises `UserError` for a table whose column is not named, and by the table for what is wrong in
    the lines that were made of it.
    """
    table.check(option, path, most=None)
    if not table.column:
        yield path
        return
    rows = strings_of(path, table)
    name = table.described(path)
    with lines_file((line_of(row, f"{path}:{number}") for number, row in rows), name) as lines:
        try:
            yield lines
        except UserError as error:
            raise error.renamed(lines, f"{option} {path}") from error
