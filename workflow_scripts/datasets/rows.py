"""Rows of files in several layouts, and checks of what is in them."""

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines, read_text, stream_lines

# of what a message shows of a file
_LONGEST = 500
# Characters without width, which copying from pages and documents leaves; not those that join
# letters, which some scripts need.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_OF_SPREADSHEET = re.compile(r"[0-9](\.[0-9]+)?E\+[0-9]+")
# What headers call the columns of ids, names, mentions, texts and labels.
_HEADER_WORDS = set(
    """
    id ids identifier code codes cui cuis curie concept concepts concept_id concept_ids mesh mesh_id
    omim_id umls_id snomed_id entity entity_id entry gold gold_id gold_ids alternative_id
    alternative_ids name names preferred_name preferred_term label labels term terms synonym
    synonyms alias aliases string strings mention mentions phrase query text texts sentence
    sentences sentence1 sentence2 sentence_1 sentence_2 document document_id doc doc_id pmid class
    category score type title description source target language word words translation
    translations source_word target_word
    """.split()  # noqa: SIM905  # a list of them is four times as long
)
# of a header where there should be none
REMOVE = "remove the line, or move it down if it is one"


def malformed(path: Path, line: int, what: str) -> UserError:
    """Return the error of a line of a file: `what` was expected or found there."""
    what = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}..."
    return UserError(f"{path}:{line}", what, "mend or remove the line")


def require_strings(strings: list[str], what: str, path: Path, line: int) -> None:
    """Raise `UserError` if one of the strings of a row is blank; `what` says what they are."""
    if not all(string.strip() for string in strings):
        raise malformed(path, line, f"{what} is empty")


def require_visible(text: str, what: str, path: Path, line: int) -> None:
    """Raise `UserError` for an invisible character in an id or a label, which equals no other."""
    if match := _INVISIBLE.search(text):
        raise malformed(path, line, f"{what} holds U+{ord(match[0]):04X}, which is invisible")


def require_ids(ids: Iterable[str], path: Path, line: int) -> None:
    """Raise `UserError` for an id that a program has damaged, so that it equals no other."""
    for one in ids:
        require_visible(one, f"id {one!r}", path, line)
        if _OF_SPREADSHEET.fullmatch(one):
            what = f"id {one!r} looks like a number that a spreadsheet rewrote"
            raise UserError(f"{path}:{line}", what, "restore the id")


def refuse_quoted_tab(fields: list[str], path: Path, line: int) -> None:
    """Raise `UserError` for a row of which one field opens a quotation that a later one closes."""
    if not any(one.startswith('"') for one in fields):
        return
    opening = next((n for n, one in enumerate(fields) if re.fullmatch('"[^"]*', one)), len(fields))
    if any(re.fullmatch('[^"]*"', one) for one in fields[opening + 1 :]):
        what = "a quoted field with a tab in it, which is read as two"
        raise UserError(f"{path}:{line}", what, "remove quotes and tab")


def looks_like_header(fields: list[str]) -> bool:
    """Return whether all of two fields or more are different words that headers have."""
    words = [re.sub(r"[\s.-]+", "_", field.strip(" #\"'").lower()) for field in fields]
    words = list(filter(None, words))
    return len(words) > 1 and len(set(words)) == len(words) and _HEADER_WORDS.issuperset(words)


def refuse_header(fields: list[str], what: str, remedy: str, path: Path, line: int) -> None:
    """Raise `UserError` if a row looks like a header, which would be taken for `what`."""
    if looks_like_header(fields):
        raise UserError(f"{path}:{line}", f"looks like a header, not {what}", remedy)


def positions_of(header: list[str], columns: Iterable[str], path: Path, line: int) -> list[int]:
    """Return where the columns stand; `UserError` for one whose name the header has twice.

    One that the header does not have is -1.
    """
    for name in columns:
        if header.count(name) > 1:
            first = header.index(name)
            places = f"{first + 1} and {header.index(name, first + 1) + 1}"
            what = f"column {name!r} occurs twice in the header, as {places}"
            raise UserError(f"{path}:{line}", what, "rename or remove one")
    return [header.index(name) if name in header else -1 for name in columns]


def require_new_id(identity: str, seen: set[str], what: str, path: Path, line: int) -> None:
    """Add `identity` to those seen; `UserError` if it was there. `what` is the column's name."""
    if identity in seen:
        raise UserError(f"{path}:{line}", f"{what} {identity!r} occurs twice", "remove one row")
    seen.add(identity)


def read_split_lines(
    path: Path, separator: str, number: int, what: str, skip: Callable[[str], bool] | None = None
) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, its `number` fields); of two, the second may hold the separator.

    `what` says what a line should be; lines of which `skip` is true are passed over.
    """
    for line, text in enumerate(stream_lines(path), start=1):
        if skip is not None and skip(text):
            continue
        fields = text.split(separator, 1 if number == 2 else -1)
        if len(fields) != number:
            raise malformed(path, line, f"expected {what}, found {text[:60]!r}")
        yield line, fields


def read_aligned_lines(paths: list[Path]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, that line of each file); `UserError` where the lengths differ."""
    files = [read_lines(path) for path in paths]
    for path, lines in zip(paths[1:], files[1:], strict=True):
        if len(lines) != len(files[0]):
            raise unequal_lengths(paths[0], len(files[0]), path, len(lines))
    for line, texts in enumerate(zip(*files, strict=True), start=1):
        yield line, list(texts)


def read_groups(path: Path, labels: Path, hypotheses: int) -> Iterator[tuple[int, list[str]]]:
    """Yield (line of its label, [premise, hypothesis, label]) of groups as those of 15-way XNLI.

    `path` has a premise and so many hypotheses in turn, `labels` one for each of the latter.
    """
    lines, found = read_lines(path), read_lines(labels)
    groups = len(lines) // (1 + hypotheses)
    if (len(lines), len(found)) != (groups * (1 + hypotheses), groups * hypotheses):
        raise UserError(
            path,
            f"has {len(lines)} lines and {labels} {len(found)}",
            f"each premise needs {hypotheses} lines of hypotheses and as many labels: fetch the "
            "files again",
        )
    for place, label in enumerate(found):
        premise = place // hypotheses * (1 + hypotheses)
        hypothesis = premise + 1 + place % hypotheses
        yield place + 1, [lines[premise], lines[hypothesis], label]


def unequal_lengths(path: Path, number: int, other: Path, other_number: int) -> UserError:
    """Return the error of two files that do not belong together line by line."""
    return UserError(
        path,
        f"has {number} lines but {other} has {other_number}",
        "line i of one must belong to line i of the other: fetch the files again",
    )


def read_csv_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields) of a comma-separated file with quotes, without its empty rows.

    A row over several lines has the number of its last one.
    """
    rows = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        yield from ((rows.line_num, row) for row in rows if row)
    except csv.Error as error:
        raise malformed(path, rows.line_num, f"not valid CSV ({error})") from error


def read_headed_csv(path: Path, columns: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, fields of `columns`) of a comma-separated file with a header."""
    rows = read_csv_rows(path)
    _, header = next(rows, (1, []))
    if missing := [name for name in columns if name not in header]:
        raise UserError(
            f"{path}:1",
            f"the header has no column {missing[0]!r} (it has {', '.join(header)})",
            "choose columns of the file or fetch the file again",
        )
    positions = positions_of(header, columns, path, 1)
    for line, row in rows:
        if len(row) != len(header):
            what = f"expected {len(header)} fields as in the header, found {len(row)}"
            raise malformed(path, line, what)
        yield line, [row[position] for position in positions]
