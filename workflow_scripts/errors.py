"""The error type for mistakes of the user, and the text that is printed."""

import copy
import difflib
import errno
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self, TextIO

# of a place that cannot be written or read, which is not the program's mistake
_NO_PLACE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR}
_NO_PLACE |= {errno.ENAMETOOLONG, errno.ELOOP}
# Characters of a message; names that a message holds, and how many are shown where it does not;
# characters of a name that is looked for.
_LONGEST_LINE, _MOST_NAMES, _FEW_NAMES, _LONGEST_NAME = 800, 24, 5, 200
# What moves a terminal's cursor, sets its colours or turns a line around: C0 but tab and newline,
# DEL and C1, separators and marks of direction; and halves of characters, which no stream takes.
_CONTROLS = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
# the start of a command, which imports this first
STARTED_AT = time.time()


class UserError(Exception):
    """A mistake in config, data or arguments: where it is, what is wrong and how to fix it.

    `where` is a file (with `:line` if known), a key of the config or an option; None if only the
    caller knows it, which then raises `error.at(where)`. `remedy` is None only if the problem
    already says what to do. The text is one line, "where: problem; remedy": control characters are
    escaped, and long text from damaged files is shortened in the middle.
    """

    separator = ": "
    where: str | None
    problem: str
    remedy: str | None

    def __init__(
        self, where: str | os.PathLike[str] | None, problem: str, remedy: str | None
    ) -> None:
        super().__init__(where, problem, remedy)
        self.where = None if where is None else os.fspath(where)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        begin = "" if self.where is None else self.where + self.separator
        end = "" if self.remedy is None else f"; {self.remedy}"
        return one_line(f"{begin}{self.problem}{end}")

    def __reduce__(self) -> tuple[Any, ...]:
        # whatever the arguments of a subclass are
        return _remade, (type(self), self.args), self.__dict__

    def at(self, where: str | os.PathLike[str]) -> Self:
        """Return the same error at another place."""
        error = copy.copy(self)
        error.where = os.fspath(where)
        return error

    def within(self, outer: str | os.PathLike[str]) -> Self:
        """Return the same error with its place as a part of `outer`."""
        outer = os.fspath(outer)
        return self.at(outer if self.where is None else f"{outer}: {self.where}")

    def renamed(self, file: str | os.PathLike[str], name: str | os.PathLike[str]) -> Self:
        """Return the same error with `name` instead of `file`, if it is in that file."""
        file = os.fspath(file)
        if self.where is None or not f"{self.where}:".startswith(f"{file}:"):
            return self
        return self.at(os.fspath(name) + self.where.removeprefix(file))


class ConfigError(UserError):
    """A mistake in the value of a key of config: "file: `key` problem; remedy".

    The problem continues the key, such as "is 0".
    """

    separator = " "

    def __init__(
        self, file: str | os.PathLike[str], key: str, problem: str, remedy: str | None
    ) -> None:
        super().__init__(f"{os.fspath(file)}: `{key}`", problem, remedy)
        self.key = key


class MissingKeyError(ConfigError):
    """A key that a block of config lacks."""

    def __init__(self, file: str | os.PathLike[str], key: str) -> None:
        super().__init__(file, key, "is missing", "add it")
        self.where = f"{os.fspath(file)}: key `{key}`"


class UnknownKeyError(UserError):
    """A key that a block of config cannot have; `remedy` names the nearest one."""

    def __init__(self, file: str | os.PathLike[str], key: str, remedy: str) -> None:
        super().__init__(file, f"unknown key `{key}`", remedy)
        self.key = key


def _remade(kind: type[UserError], arguments: tuple[Any, ...]) -> UserError:
    return kind.__new__(kind, *arguments)


def one_line(text: str) -> str:
    """Return text as one line of a message, control characters escaped.

    Of a long one the middle is left out.
    """
    line = " ".join(part.strip() for part in printable(text).split("\n"))
    if len(line) <= _LONGEST_LINE:
        return line
    half = _LONGEST_LINE // 2
    return f"{line[:half]} ... {line[-half:]}"


def printable(text: str) -> str:
    """Return text as it is shown to people: control characters escaped, such as `\\x1b`."""
    return re.sub(f"[{_CONTROLS}]", lambda match: ascii(match[0])[1:-1], text)


def control_in(text: str) -> str | None:
    """Return the first control character of a text, escaped; None without."""
    match = re.search(rf"[\t\n{_CONTROLS}]", text)
    return match and ascii(match[0])[1:-1]


class PrintedText:
    """A stream that shows text to people: it goes to `exact` as `printable` makes it."""

    def __init__(self, exact: TextIO) -> None:
        self.exact = exact

    def write(self, text: str) -> int:
        # by which a progress bar goes back to the start of its line
        start = "\r" if text.startswith("\r") else ""
        self.exact.write(start + printable(text.removeprefix("\r")))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.exact, name)


def data_output() -> TextIO:
    """Return standard output for data: each byte of it, but on a terminal as it is shown there."""
    stream = sys.stdout
    if isinstance(stream, PrintedText) and not stream.isatty():
        return stream.exact
    return stream


@contextmanager
def damaged_file_error(
    path: str | os.PathLike[str], remedy: str = "remove it and run again to recreate it"
) -> Iterator[None]:
    """Raise `UserError` by `path` where the block fails: what it reads is not as it was written.

    For files that a program wrote for another, which are not validated: damage to them surfaces as
    nearly any error.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".strip(": ")
        raise UserError(path, f"damaged ({reason})", remedy) from error


def nearest_name(name: object, known: Iterable[str]) -> str:
    """Return the hint for a mistyped name: the nearest known one or, if none is near, all.

    Of more than a line holds it is a few, those most like it.
    """
    # of longer ones none would be near, and the search takes long
    name, known = str(name)[:_LONGEST_NAME], sorted(map(str, known))
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"did you mean '{near[0]}'?"
    if len(known) > _MOST_NAMES:
        near = difflib.get_close_matches(name, known, n=_FEW_NAMES, cutoff=0)
        return f"of {len(known)} the nearest are {', '.join(near)}"
    return f"known are {', '.join(known)}" if known else "there is none"


def _number_of(error: BaseException) -> int | None:
    """Return the system's number of an error; safetensors and tokenizers have it in their text."""
    if isinstance(error, OSError):
        return error.errno
    match = re.search(r"\(os error ([0-9]{1,4})\)", str(error))
    return int(match[1]) if match else None


def is_full_disk(error: BaseException) -> bool:
    return _number_of(error) in (errno.ENOSPC, errno.EDQUOT)


def path_error(error: Exception) -> UserError | None:
    """Return the message for a place that cannot be used, None for another error."""
    name = getattr(error, "filename", None)
    where = str(name) if name else None
    if is_full_disk(error):
        return UserError(where, "the disk is full", "free space and run it again")
    number = _number_of(error)
    if number in _NO_PLACE and (where or not isinstance(error, OSError)):
        problem = f"cannot be used ({os.strerror(number)})"
        return UserError(
            where or "a place to write to", problem, "fix that or write somewhere else"
        )
    return None
