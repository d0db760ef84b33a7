"""Tab-separated files with a header, read by the names of their columns."""

from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.datasets.rows import malformed, positions_of
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_rows


def read_headed_rows(
    path: Path, columns: list[str], optional: tuple[str, ...] = (), keep_short: bool = False
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield (line number, {column: field}) for the named columns, in whatever order they stand.

    `optional` columns are given where the header has them. Quoting is off; blank lines at the end
    of the file are ignored. With `keep_short` a row with too few fields is yielded as {}; without,
    as for a header without a needed column, it is a `UserError`.
    """
    rows = read_rows(path, 1, "a row")
    line, header = next(rows, (0, []))
    if not header:
        raise UserError(path, "the file is empty", "fetch it again")
    if missing := [name for name in columns if name not in header]:
        raise UserError(
            f"{path}:{line}",
            f"the header has no column {missing[0]!r} (it has {', '.join(header)})",
            "fetch the file again",
        )
    names = [name for name in (*columns, *optional) if name in header]
    positions = dict(zip(names, positions_of(header, names, path, line), strict=True))
    width = max(positions.values()) + 1
    blank: int | None = None
    for line, fields in rows:
        if keep_short and len(fields) < width:
            yield line, {}
            continue
        if fields == [""]:
            blank = blank or line
            continue
        if blank or len(fields) < width:
            what = f"expected a row with {', '.join(columns)} ({width} columns or more)"
            raise malformed(path, blank or line, f"{what}, found {1 if blank else len(fields)}")
        yield line, {name: fields[position] for name, position in positions.items()}
