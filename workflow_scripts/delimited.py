"""The one reader of files of rows: tab-separated, CSV, with another delimiter, or JSON."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.files import parse_json, read_json, read_lines, read_text, stream_lines

# line number, counted from 1, and fields
Row = tuple[int, list[str]]
# Columns that number the rows of a file, where it has one of them.
_ID_COLUMNS = ("index", "id")
_JSON_KEYS = ("text_a", "text_b", "label")
_JSON_NAMES: dict[type, str] = {
    **{dict: "an object", list: "a list", str: "a string", int: "a number", float: "a number"},
    **{bool: "true or false", type(None): "null"},
}
_NUMBERED = re.compile(r'\s*"([^"]*)"\s*:\s*{')
# how much an error quotes of a file
_LONGEST = 500
_LONGEST_ROW = 60
# What headers call the columns of ids, names, mentions, texts and labels.
_HEADER_WORDS = set(
    """
    id ids identifier code codes cui cuis curie concept concepts concept_id concept_ids mesh mesh_id
    omim_id umls_id snomed_id entity entity_id entry gold gold_id gold_ids alternative_id
    alternative_ids name names preferred_name preferred_term label labels term terms synonym
    synonyms alias aliases string strings mention mentions phrase query text texts sentence
    sentences sentence1 sentence2 sentence_1 sentence_2 document document_id doc doc_id pmid class
    category score type title description source target language word words translation
    translations source_word target_word src tgt trg
    """.split()  # noqa: SIM905  # a list of them is four times as long
)
# the remedy for a header in a file that should have none
REMOVE = "remove the line, or move it down if it is one"


@dataclass(frozen=True)
class Layout:
    """How the rows of a file are read; by default all fields of a tab-separated file.

    columns: names in the header, or numbers from 1 in a file without header; none: all fields.
    what: what errors say a row should be; with a header, they name the columns.
    width: the fewest fields of a row, if more than the columns need.
    exact: a row has `width` fields, no more; of two, the second may contain the delimiter.
    delimiter: fields are split at it, quotes are not special. ",": CSV, with quotes and, if it has
        a header, as many fields in each row. None: by the file's name (gzipped if `.gz`), `.csv`,
        `.jsonl` (an object with the columns on each line that is not blank), `.json` (an object of
        entries "0", "1", ... with text_a, text_b and label instead of columns), else tab-separated;
        no value of a tab-separated column `index` or `id`, and no entry, may be repeated.
    optional: columns that are read as "" if the header lacks them.
    unique: columns of which no value may be repeated, if the header has them; spaces around it
        are ignored.
    where: rows are read if these columns have these values, or one of several; spaces around them
        are ignored.
    skip: lines are read if it is false of them.
    keep_short: a tab-separated row with too few fields is [] instead of an error.
    blank_end: blank lines at the end of a file with a header are ignored.
    refuse_quoted_tab: a quoted field that contains a tab is an error.
    not_header: a first row that looks like a header is an error: what else it would be taken for,
        and the remedy, in which "{first}" becomes the first field.

    JSON knows only `columns` and `where`, CSV neither `skip` nor `keep_short` nor `blank_end`.
    """

    columns: Sequence[str] | Sequence[int] = ()
    what: str = "a row"
    width: int = 1
    exact: bool = False
    delimiter: str | None = "\t"
    encoding: str = "utf-8"
    optional: Sequence[str] = ()
    unique: Sequence[str] = ()
    where: Mapping[Any, str | Sequence[str]] = field(default_factory=dict)
    skip: Callable[[str], bool] | None = None
    keep_short: bool = False
    blank_end: bool = True
    refuse_quoted_tab: bool = False
    not_header: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        numbers = [column for column in (*self.columns, *self.where) if isinstance(column, int)]
        object.__setattr__(self, "width", max([self.width, *numbers]))

    @property
    def is_csv(self) -> bool:
        return self.delimiter == ","

    def no_column(self, name: str, header: Sequence[str]) -> tuple[str, str]:
        """Return the problem and the remedy where the header lacks a column."""
        problem = f"the header has no column {name!r} (it has {', '.join(header)})"
        choose = "choose columns of the file, " if self.is_csv else ""
        return problem, f"{choose}correct the header, or fetch the file again"

    def wrong_width(self, fields: Sequence[str]) -> str:
        """Return the problem of a row that has too few fields, or too many."""
        expected, actual = f"expected {self.what}", str(len(fields))
        if self.exact and not self.is_csv:
            actual = repr(str(self.delimiter).join(fields)[:_LONGEST_ROW])
        elif not self.exact and f"{self.width} columns" not in self.what:
            expected += f" ({self.width} columns or more)"
        return f"{expected}, found {actual}"


def read_rows(path: str | Path, layout: Layout) -> Iterator[Row]:
    """Yield the line number (of its last line, for CSV) and the fields of each row of a file.

    Raises `UserError`, with file and line, for a row that is not as the layout says, and as
    `files.read_lines` does for a file that is not text.
    """
    if layout.delimiter is None:
        name = Path(path).name.removesuffix(".gz")
        if name.endswith(".jsonl"):
            return select(read_json_lines(path, [*layout.columns, *layout.where]), layout.where)
        if name.endswith(".json"):
            keys = [*_JSON_KEYS[: len(layout.columns)], *layout.where]
            rows = ((line, _strings_of(entry, keys, path, line)) for line, entry in _entries(path))
            return select(rows, layout.where)
        if name.endswith(".csv"):
            layout = replace(layout, delimiter=",")
        else:
            layout = replace(layout, delimiter="\t", unique=_ID_COLUMNS)
    if layout.is_csv:
        return select(_fields_of(path, _csv_rows(path, layout.encoding), layout), layout.where)
    return rows_of(path, stream_lines(path, layout.encoding), layout)


def rows_of(path: str | Path, lines: Iterable[str], layout: Layout) -> Iterator[Row]:
    """Yield the rows of lines as `read_rows` does those of a file; errors name `path`."""
    most = 1 if layout.exact and layout.width == 2 else -1
    rows = (
        (line, text.split(layout.delimiter, most))
        for line, text in enumerate(lines, start=1)
        if layout.skip is None or not layout.skip(text)
    )
    return select(_fields_of(path, rows, layout), layout.where)


def select(rows: Iterator[Row], where: Mapping[Any, str | Sequence[str]]) -> Iterator[Row]:
    """Yield the rows whose last fields have the values of `where`, without these fields.

    Of several values a field has one.
    """
    choices = [{values} if isinstance(values, str) else {*values} for values in where.values()]
    if not choices:
        return rows
    end = -len(choices)
    return (
        (line, row[:end])
        for line, row in rows
        if not row
        or all(value.strip() in values for value, values in zip(row[end:], choices, strict=True))
    )


def _fields_of(path: str | Path, rows: Iterator[Row], layout: Layout) -> Iterator[Row]:
    """Yield the columns of the rows, the optional ones and those of `where`."""
    names: list[Any] = [*layout.columns, *layout.optional, *layout.where]
    has_header = any(isinstance(name, str) for name in names)
    places, ids = [number - 1 for number in names if not has_header], dict[str, int]()
    if has_header:
        _, header = next(rows, (1, []))
        layout, places, ids = _below(path, header, layout, names)
    seen: dict[str, set[str]] = {name: set() for name in ids}
    # local names: a file may have millions of rows
    least, most = layout.width, layout.width if layout.exact else math.inf
    keep_short = layout.keep_short and not layout.is_csv
    blank_end = layout.blank_end and has_header and not layout.is_csv
    has_checks, has_absent = layout.refuse_quoted_tab or bool(ids), -1 in places
    blank = 0
    for line, fields in rows:
        wrong = not least <= len(fields) <= most
        if wrong and keep_short:
            yield line, []
            continue
        if blank_end and fields == [""]:
            blank = blank or line
            continue
        if wrong or blank:
            raise malformed(path, blank or line, layout.wrong_width([""] if blank else fields))
        if has_checks:
            if layout.refuse_quoted_tab:
                refuse_quoted_tab(fields, path, line)
            for name, position in ids.items():
                if (value := fields[position].strip()) in seen[name]:
                    raise _repeated(name, value, path, line)
                seen[name].add(value)
        if has_absent:
            fields = [*fields, ""]
        row = [fields[position] for position in places] if places else fields
        if line == 1 and layout.not_header is not None:
            what, remedy = layout.not_header
            remedy = remedy.replace("{first}", row[0].strip())
            refuse_header(row if len(row) > 1 else fields, what, path, line, remedy)
        yield line, row


def _below(
    path: str | Path, header: list[str], layout: Layout, names: list[str]
) -> tuple[Layout, list[int], dict[str, int]]:
    """Return the layout of the rows below a header, and where columns and unique ones stand."""
    needed = [*layout.columns, *layout.where]
    if not header and not layout.is_csv:
        raise UserError(path, "the file is empty", "fill it or fetch it again")
    if missing := [name for name in needed if name not in header]:
        problem, remedy = layout.no_column(missing[0], header)
        raise UserError(f"{path}:1", problem, remedy)
    ids = {name: header.index(name) for name in layout.unique if name in header}
    places = _places_of(header, [*names, *ids], path)
    width, what = max(places) + 1, f"a row with {', '.join(needed)}"
    if layout.is_csv:
        width, what = len(header), f"{len(header)} fields as in the header"
    below = replace(layout, what=what, width=width, exact=layout.is_csv)
    return below, places[: len(names)], ids


def _places_of(header: list[str], columns: Iterable[str], path: str | Path) -> list[int]:
    """Return where the columns stand, -1 for one that is not there; none may be there twice."""
    for name in columns:
        if header.count(name) > 1:
            first = header.index(name)
            places = f"{first + 1} and {header.index(name, first + 1) + 1}"
            what = f"column {name!r} occurs twice in the header, as {places}"
            raise UserError(f"{path}:1", what, "rename or remove one")
    return [header.index(name) if name in header else -1 for name in columns]


def _csv_rows(path: str | Path, encoding: str) -> Iterator[Row]:
    rows = csv.reader(io.StringIO(read_text(path, encoding), newline=""), strict=True)
    try:
        yield from ((rows.line_num, row) for row in rows if row)
    except csv.Error as error:
        raise malformed(path, rows.line_num, f"not valid CSV ({error})") from error


def read_json_lines(path: str | Path, keys: Sequence[Any], numbers: bool = False) -> Iterator[Row]:
    """Yield the line number and the strings under `keys` of each object of a file of JSON lines.

    Blank lines are ignored; with `numbers` a value may be a number. Raises `UserError`, with file
    and line, for a line without them.
    """
    for line, text in enumerate(stream_lines(path), start=1):
        if text.strip():
            yield line, _strings_of(parse_json(text, path, line), keys, path, line, numbers)


def _strings_of(
    entry: Any, keys: Sequence[Any], path: str | Path, line: int, numbers: bool = False
) -> list[str]:
    if not isinstance(entry, dict):
        raise malformed(path, line, f"expected a JSON object, found {_JSON_NAMES[type(entry)]}")
    for key in keys:
        if key not in entry:
            has = ", ".join(entry) or "none"
            raise malformed(path, line, f"the object has no key {key!r} (it has {has})")
        if not isinstance(entry[key], str) and not (numbers and type(entry[key]) in (int, float)):
            problem = f"the key {key!r} has {_JSON_NAMES[type(entry[key])]}, not a string"
            raise malformed(path, line, problem)
    return [str(entry[key]) for key in keys]


def _entries(path: str | Path) -> Iterator[tuple[int, Any]]:
    # JSON has no line ends within a string, so an entry that opens a line is a key. A file that
    # is all on one line has them on line 1.
    lines: dict[str, int] = {}
    for line, text in enumerate(read_lines(path), start=1):
        if match := _NUMBERED.match(text):
            if match[1] in lines:
                raise _repeated("entry", match[1], path, line)
            lines[match[1]] = line
    entries = read_json(path)
    if not isinstance(entries, dict):
        problem = "expected a JSON object of numbered entries"
        raise UserError(f"{path}:1", problem, "correct it, or fetch it again")
    for key, entry in entries.items():
        yield lines.get(key, 1), entry


def malformed(path: str | Path, line: int, what: str) -> UserError:
    """Return the error of a line of a file: `what` was expected or found there."""
    what = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}..."
    return UserError(f"{path}:{line}", what, "fix or remove the line")


def _repeated(what: str, value: str, path: str | Path, line: int) -> UserError:
    return UserError(f"{path}:{line}", f"{what} {value!r} occurs twice", "remove one row")


def refuse_quoted_tab(fields: list[str], path: str | Path, line: int) -> None:
    """Raise `UserError` for a row of which one field opens a quotation that a later one closes."""
    if not any(field.startswith('"') for field in fields):
        return
    opening = next(
        (n for n, field in enumerate(fields) if re.fullmatch('"[^"]*', field)), len(fields)
    )
    if any(re.fullmatch('[^"]*"', field) for field in fields[opening + 1 :]):
        what = "a quoted field contains a tab, which is read as two fields"
        raise UserError(f"{path}:{line}", what, "remove the quotes and the tab")


def refuse_header(
    fields: list[str], what: str, path: str | Path, line: int, remedy: str = REMOVE
) -> None:
    """Raise `UserError` if a row looks like a header, which would be taken for `what`.

    So do two fields or more that are different words of headers.
    """
    words = [re.sub(r"[\s.-]+", "_", field.strip(" #\"'").lower()) for field in fields]
    words = list(filter(None, words))
    if len(words) > 1 and len(set(words)) == len(words) and _HEADER_WORDS.issuperset(words):
        raise UserError(f"{path}:{line}", f"looks like a header, not {what}", remedy)
