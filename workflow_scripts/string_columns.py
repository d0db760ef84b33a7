"""Strings in columns of tables: CSV, TSV, JSON lines, Parquet and folders of `datasets`."""

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from workflow_scripts.delimited import Layout, Row, malformed, read_json_lines, read_rows, select
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import parse_json, read_lines, stream_lines

# by the end of a file's name, `.gz` taken off the texts
_ENDINGS = {".csv": "CSV", ".tsv": "TSV", ".jsonl": "JSON lines", ".parquet": "Parquet"}
_DATASETS = "datasets"
FORMS = "csv, .tsv, .jsonl or .parquet"
_GZIP = ".gz"
# which files make a folder one that `datasets` saved
_SAVED = ("dataset_info.json", "dataset_dict.json")
# the value of a column, or several of which a row has one
Where = Mapping[str, str | Sequence[str]]
_LACKING = {_DATASETS: "a folder of `datasets`", "pyarrow": "Parquet"}


@dataclass(frozen=True)
class TableOptions:
    """Which strings of a table are read: of CSV, TSV, JSON lines, Parquet, a folder of datasets.

    Args:
        column: name of the column with the strings, or its number (from 1) without a header; two
            for pairs
        where: COLUMN=VALUE: read only these rows; repeatable; several values of one column are
            alternatives
    """

    column: Sequence[str] = ()
    where: Sequence[str] = ()

    def check(self, option: str, *files: Path, most: int | None = 1) -> None:
        """Raise `UserError` for tables among files whose column is not named; for rows without it.

        And for more than `most` columns.
        """
        if not self.column:
            if self.where:
                raise UserError("--where", "no column of a table to read", "give --column too")
            for path in files:
                require_lines(option, path, "name the column of its strings with --column")
        elif most is not None and len(self.column) > most:
            raise UserError("--column", "the strings need a single column", "name one")

    def described(self, path: Path) -> str:
        """Return what records call these strings: names.csv[name, type=disease]."""
        return f"{path.name}[{', '.join([*self.column, *self.where])}]"


def form_of(path: Path) -> str | None:
    """Return the form of a table by its name ("CSV"); None for a file of lines."""
    if path.is_dir():
        return _DATASETS if any((path / name).is_file() for name in _SAVED) else None
    name = path.name.lower()
    ending = Path(name.removesuffix(_GZIP)).suffix
    return None if ending == ".parquet" and name.endswith(_GZIP) else _ENDINGS.get(ending)


def require_lines(option: str, path: Path, remedy: str) -> None:
    """Raise `UserError` for a table, whose rows would be taken for strings; it names its columns.

    A file in the form of TSV is one of lines as long as no line has a tab.
    """
    form = form_of(path)
    if form is None or (form == "TSV" and not any("\t" in line for line in stream_lines(path))):
        return
    columns = ", ".join(column_names(path))
    raise UserError(f"{option} {path}", f"is a table ({form}) with the columns {columns}", remedy)


def column_names(path: Path) -> list[str]:
    """Return the names of a table's columns, or what its first row has."""
    form = form_of(path)
    if form in (_DATASETS, "Parquet"):
        return list(_arrow_columns(path))
    if form == "JSON lines":
        return _first_keys(path)
    _, row = next(read_rows(path, _layout(path, ())), (1, []))
    return row


def _first_keys(path: Path) -> list[str]:
    for line, text in enumerate(stream_lines(path), start=1):
        if text.strip():
            entry = parse_json(text, path, line)
            return list(entry) if isinstance(entry, dict) else []
    return []


def read_columns(path: Path, columns: Sequence[str], where: Where) -> Iterator[Row]:
    """Yield the number and the strings under `columns` of each row that is as `where` says.

    The number is the line's, of Parquet and of `datasets` the row's, from 1. Columns are named as
    in the header, or all by numbers from 1 where there is none. A file that is none of the tables
    by its name is read as TSV. A value of JSON, Parquet or `datasets` may be a number. Raises
    `UserError` for a column that the table lacks, and for a row without a value.
    """
    form = form_of(path)
    if form in (_DATASETS, "Parquet"):
        return _arrow_rows(path, columns, where)
    if form == "JSON lines":
        rows = read_json_lines(path, [*columns, *where], numbers=True)
        return select(rows, where)
    return read_rows(path, _layout(path, columns, where))


def strings_of(path: Path, options: TableOptions) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the strings of each row that the options name."""
    return read_columns(path, options.column, conditions(options.where))


def column_of(path: Path, options: TableOptions) -> list[str]:
    """Return the strings of the one column that the options name; without one the lines."""
    if not options.column:
        return read_lines(path)
    return [text for _, [text] in strings_of(path, options)]


def read_strings(
    path: str | Path, column: str | Sequence[str], where: Where | None = None
) -> list[Any]:
    """Return the strings of a column of a table, row by row; of several columns, tuples of them.

    `path` is a CSV, TSV, JSON lines or Parquet file, or a folder that `datasets` saved. `where`
    selects rows: the accepted value or values of each column. Columns are named as in the header,
    or "1", "2", ... in a file without one. Raises `UserError` for a missing file or column.
    """
    columns = [column] if isinstance(column, str) else list(column)
    rows = read_columns(Path(path), columns, where or {})
    if isinstance(column, str):
        return [text for _, [text] in rows]
    return [tuple(texts) for _, texts in rows]


def conditions(texts: Iterable[str]) -> dict[str, list[str]]:
    """Return the values by column of texts such as "type=disease", in their order."""
    values: dict[str, list[str]] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        if not equals or not column:
            raise UserError(f"--where {text}", "write COLUMN=VALUE, such as type=disease", None)
        values.setdefault(column, []).append(value)
    return values


@dataclass(frozen=True)
class _Columns(Layout):
    refuse_quoted_tab: bool = True
    not_header: tuple[str, str] | None = (
        *("a row of strings", "name the column as the header does ({first}), or remove the line"),
    )

    def no_column(self, name: str, header: Sequence[str]) -> tuple[str, str]:
        return f"no column {name!r}", nearest_name(name, header)


def _layout(path: Path, columns: Sequence[str], where: Where | None = None) -> Layout:
    names: list[Any] = [*columns, *(where or {})]
    delimiter = "," if form_of(path) == "CSV" else "\t"
    if not names:
        return Layout(delimiter=delimiter)
    if all(name.isdecimal() for name in names):
        numbers = [int(name) for name in names]
        if min(numbers) < 1:
            raise UserError(f"{path}", "no column 0", "columns count from 1")
        values = dict(zip(numbers[len(columns) :], (where or {}).values(), strict=True))
        return _Columns(numbers[: len(columns)], delimiter=delimiter, where=values)
    return _Columns(columns, delimiter=delimiter, where=where or {})


# ---- tables of Arrow -----------------------------------------------------------------------------


def _library(name: str, path: Path) -> Any:
    """Return a package that only these forms take."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        problem = f"{_LACKING[package]} needs the package {package}, which is not installed"
        raise UserError(path, problem, f"pip install {package}") from None


def _arrow_columns(path: Path) -> list[str]:
    return _dataset(path).column_names if path.is_dir() else _parquet(path).schema_arrow.names


def _arrow_rows(path: Path, columns: Sequence[str], where: Where) -> Iterator[Row]:
    names = [*columns, *where]
    for name in names:
        if name not in (known := _arrow_columns(path)):
            raise UserError(path, f"no column {name!r}", nearest_name(name, known))
    if path.is_dir():
        batches = (batch for batch in _dataset(path).select_columns(names).iter(1000))
    else:
        batches = (batch.to_pydict() for batch in _parquet(path).iter_batches(columns=names))
    values = chain.from_iterable(zip(*map(batch.get, names), strict=True) for batch in batches)
    rows = (
        (number, [_text(value, name, path, number) for value, name in zip(row, names, strict=True)])
        for number, row in enumerate(values, start=1)
    )
    return select(rows, where)


def _text(value: Any, name: str, path: Path, number: int) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:
        return str(value)
    what = "no value" if value is None else f"a {type(value).__name__}"
    raise malformed(path, number, f"column {name!r} has {what}, not a string")


def _dataset(path: Path) -> Any:
    """Return a folder of `datasets`, of one split."""
    library = _library("datasets", path)
    try:
        dataset = library.load_from_disk(str(path))
    except (OSError, ValueError) as error:
        raise UserError(path, f"not a folder of `datasets` ({error})", "save it again") from error
    if isinstance(dataset, dict):
        splits = ", ".join(dataset)
        raise UserError(path, f"has the splits {splits}", "give the folder of one")
    return dataset


def _parquet(path: Path) -> Any:
    library = _library("pyarrow.parquet", path)
    try:
        return library.ParquetFile(path)
    except FileNotFoundError:
        raise UserError(path, "no such file", "check the path") from None
    except (OSError, ValueError) as error:
        raise UserError(path, f"not a Parquet file ({error})", "write it again") from error
