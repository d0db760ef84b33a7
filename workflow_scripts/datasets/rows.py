"""Checks of what is in the rows of files, and rows of several files, line by line."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from workflow_scripts.delimited import malformed
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

# Characters without width, which copying from pages and documents leaves; not those that join
# letters, which some scripts need.
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_OF_SPREADSHEET = re.compile(r"[0-9](\.[0-9]+)?E\+[0-9]+")


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
    for identity in ids:
        require_visible(identity, f"id {identity!r}", path, line)
        if _OF_SPREADSHEET.fullmatch(identity):
            what = f"id {identity!r} looks like a number rewritten by a spreadsheet"
            raise UserError(f"{path}:{line}", what, "restore the id")


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
    lines, label_lines = read_lines(path), read_lines(labels)
    groups = len(lines) // (1 + hypotheses)
    if (len(lines), len(label_lines)) != (groups * (1 + hypotheses), groups * hypotheses):
        raise UserError(
            path,
            f"has {len(lines)} lines and {labels} {len(label_lines)}",
            f"each premise needs {hypotheses} lines of hypotheses and as many labels: fetch the "
            "files again",
        )
    for number, label in enumerate(label_lines):
        premise = number // hypotheses * (1 + hypotheses)
        hypothesis = premise + 1 + number % hypotheses
        yield number + 1, [lines[premise], lines[hypothesis], label]


def unequal_lengths(path: Path, number: int, other: Path, other_number: int) -> UserError:
    """Return the error of two files that do not belong together line by line."""
    return UserError(
        path,
        f"has {number} lines but {other} has {other_number}",
        "line i of one must belong to line i of the other: fetch the files again",
    )
