"""The strings of a text file, each once, with the numbers of their lines."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import STDIN, given_lines
from workflow_scripts.string_columns import TableOptions, form_of, strings_of

# Of these an output line would break, so that its columns shift.
_SEPARATORS = {"\t": "a tab", "\r": "a carriage return", "\n": "a line break"}


@dataclass
class NumberedLines:
    """The different strings of a file, in order of their first lines.

    `numbers` are those first lines, counted from 1, and `order` the strings of all lines but the
    `empty` ones, which hold white space at most. `sha256` is that of the text.
    """

    name: str
    strings: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    order: list[int] = field(default_factory=list)
    empty: int = 0
    sha256: str = ""

    @property
    def repeats(self) -> int:
        return len(self.order) - len(self.strings)

    def summary(self) -> str:
        """Return how many strings there are, and what was left out, in a few words."""
        counts = {"repeated lines": self.repeats, "empty lines skipped": self.empty}
        shown = ", ".join(f"{what}: {count}" for what, count in counts.items() if count)
        return f"{self.name}: {len(self.strings)} strings" + (f" ({shown})" if shown else "")

    def as_record(self) -> dict[str, int | str]:
        counts = {"strings": len(self.strings), "repeats": self.repeats, "empty": self.empty}
        return {**counts, "sha256": self.sha256}


def read_numbered_lines(path: str | Path, columns: bool, table: TableOptions) -> NumberedLines:
    """Return the strings of a UTF-8 file (`-` is stdin), one a line, as `number_lines` does.

    Of a table, which its name shows, they are those of the column that the options name.
    """
    if str(path) != STDIN and form_of(Path(path)) is not None and table.column:
        rows = ((number, text) for number, [text] in strings_of(Path(path), table))
        return number_rows(str(path), rows, columns)
    return number_lines(*given_lines(path), columns)


def number_lines(name: str, lines: Iterable[str], columns: bool = False) -> NumberedLines:
    """Return the different strings of lines, as `number_rows` does, numbered from 1."""
    return number_rows(name, enumerate(lines, start=1), columns)


def number_rows(name: str, rows: Iterable[tuple[int, str]], columns: bool = False) -> NumberedLines:
    """Return the different strings of numbered ones; `name` is what errors call them.

    `columns` says that they will be written between tabs. Raises `UserError` where there is no
    string and, with `columns`, for one that holds a tab or a line's end.
    """
    numbered, digest = NumberedLines(name), hashlib.sha256()
    row_of: dict[str, int] = {}
    for number, line in rows:
        digest.update(f"{line}\n".encode())
        if not line.strip():
            numbered.empty += 1
            continue
        wrong = next((what for mark, what in _SEPARATORS.items() if mark in line), None)
        if columns and wrong:
            raise UserError(
                f"{name}:{number}",
                f"contains {wrong}, which would break the lines of the output",
                "remove it or give --format jsonl",
            )
        row = row_of.setdefault(line, len(row_of))
        if row == len(numbered.strings):
            numbered.strings.append(line)
            numbered.numbers.append(number)
        numbered.order.append(row)
    if not numbered.strings:
        raise UserError(name, "it contains no strings", "write one per line")
    numbered.sha256 = digest.hexdigest()
    return numbered
