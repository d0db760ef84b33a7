"""Reading text strictly and writing files whole: every step reads and writes through these."""

import codecs
import gzip
import hashlib
import json
import math
import os
import re
import shutil
import socket
import sys
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any, TextIO

from workflow_scripts.errors import UserError

# what is not here, Python's own float() may take: 4_5, digits of other scripts, nan, inf
_NUMBER = re.compile(r" *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)? *")
_NUL = "\0"
_NUL_IN_JSON = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_HALF_OF_PAIR = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
STDIN = "-"
# Characters of a line; the longest of the registered data sets has 90,000.
LONGEST_LINE = 1_000_000
# What a process of another machine left is nobody's once nobody has written to it for so long.
_STALE_SECONDS = 24 * 3600


# Names that this process has given: of an earlier process with its number, others are left.
_given_names: set[str] = set()


def _own_name(path: Path, ending: str) -> Path:
    """Return a new hidden name next to `path`: `.{name}.{host}.{process}-{random}.{ending}`.

    Where other users can write to the folder, a name that they could predict might be a link or a
    file of theirs by the time it is used. Nobody predicts 32 random bits, and what gets the name is
    made by this process (O_EXCL follows no link, mkdir neither). A library may then open the file
    by its name and overwrite it: from that moment only who may remove our files could put a link
    there, and they could as well replace the output itself.
    """
    process = f"{os.getpid()}-{os.urandom(4).hex()}"
    new = path.with_name(f".{path.name}.{socket.gethostname()}.{process}.{ending}")
    _given_names.add(new.name)
    return new


def _temporary_name(path: Path) -> Path:
    """Return a name next to `path` for this process; what killed ones left there is removed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name}."
    with os.scandir(path.parent) as entries:
        others = [Path(entry) for entry in entries if entry.name.startswith(prefix)]
    for file in others:
        ours = r"(.+)\.(\d{1,9})(?:-[0-9a-f]{8})?\.(tmp|old)"
        match = re.fullmatch(ours, file.name.removeprefix(prefix))
        if match and _is_left_over(file, *match.group(1, 2)):
            with suppress(OSError):  # it is another user's
                if match[3] == "old" and not os.path.lexists(path) and not file.is_symlink():
                    os.replace(file, path)  # killed between two renames
                else:
                    remove(file)
    return _own_name(path, "tmp")


def _is_left_over(file: Path, host: str, process: str) -> bool:
    try:
        if host != socket.gethostname():
            return time.time() - file.lstat().st_mtime > _STALE_SECONDS
        if int(process) == os.getpid():
            return file.name not in _given_names
        os.kill(int(process), 0)  # which only asks whether it lives
    except ProcessLookupError:
        return True
    except OSError:
        pass  # it lives and is not ours, or the file is gone
    return False


def remove(path: Path) -> None:
    """Remove a file, a folder with all that it holds, or a link but not what it leads to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def without_link(path: Path) -> Path:
    """Return a path that only we use but others can guess; a link planted there is removed."""
    if path.is_symlink():
        path.unlink()
    return path


def no_link(path: str, flags: int) -> int:
    """Open a file of a known name for `open(..., opener=no_link)`: `OSError` if it is a link."""
    return os.open(path, flags | os.O_NOFOLLOW, 0o666)


def append_to(path: str | Path) -> TextIO:
    """Open a text file to add lines to its end; it may be new, and is not a link."""
    return open(path, "a", encoding="utf-8", opener=no_link)


def keep_on_disk(path: Path) -> None:
    """Have the bytes of a file on the disk: a power cut may otherwise lose them, not their name."""
    with open(path, "rb") as stream:
        os.fsync(stream.fileno())


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path next to `path`; rename it to `path` only if the block succeeds."""
    path = Path(path)
    temporary = _temporary_name(path)
    open(temporary, "xb", opener=no_link).close()
    try:
        yield temporary
        keep_on_disk(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def atomic_text(path: str | Path) -> Iterator[TextIO]:
    """Yield a stream of UTF-8 text, which is renamed to `path` only if the block succeeds."""
    with (
        atomic_file(path) as temporary,
        open(temporary, "w", encoding="utf-8", newline="") as stream,
    ):
        yield stream


@contextmanager
def passing_directory(path: str | Path) -> Iterator[Path]:
    """Yield a new folder next to `path`, removed after the block: of a killed one by the next."""
    temporary = _temporary_name(Path(path))
    temporary.mkdir()
    try:
        yield temporary
    finally:
        remove(temporary)


@contextmanager
def atomic_directory(path: str | Path) -> Iterator[Path]:
    """Yield a temporary folder next to `path`; it replaces `path` only if the block succeeds."""
    path = Path(path)
    with passing_directory(path) as temporary:
        yield temporary
        for entry in temporary.rglob("*"):
            if entry.is_file():
                keep_on_disk(entry)
        if os.path.lexists(path):
            old = _own_name(path, "old")
            os.replace(path, old)
            os.replace(temporary, path)
            remove(old)
        else:
            os.replace(temporary, path)


@contextmanager
def _opened(path: str | Path) -> Iterator[IO[bytes]]:
    path = Path(path)
    if not path.is_file():
        raise UserError(path, "no such file", "check the path")
    opener: Any = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rb") as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(path, f"cannot be read ({error})", "make or fetch it again") from error


def _raw_lines(stream: IO[bytes], name: str | Path, most: int = -1) -> Iterator[bytes]:
    for number in count(1):
        try:
            line = stream.readline(most)
        except (OSError, EOFError, zlib.error) as error:
            problem = f"cannot be read ({error})"
            raise UserError(f"{name}:{number}", problem, "make or fetch it again") from error
        if not line:
            return
        yield line


def stream_bytes(path: str | Path) -> Iterator[bytes]:
    """Yield the raw lines of a file, unpacked if its name ends in `.gz`."""
    with _opened(path) as stream:
        yield from _raw_lines(stream, path)


def _not_utf8(path: str | Path, line: int) -> UserError:
    return UserError(f"{path}:{line}", "not UTF-8 text", "convert the file to UTF-8")


def _holds_nul(path: str | Path, line: int) -> UserError:
    what = "a NUL character: the file is damaged, or not UTF-8 text (UTF-16?)"
    return UserError(f"{path}:{line}", what, "make or fetch it again, or convert it to UTF-8")


def _has_mark(path: str | Path, encoding: str) -> UserError:
    what = f"UTF-8 by its first bytes, not {encoding}"
    return UserError(f"{path}:1", what, "give the encoding of the file")


def _too_long(path: str | Path, line: int) -> UserError:
    most = f"more than {LONGEST_LINE:,} characters"
    return UserError(
        f"{path}:{line}", f"a line of {most}", "if it is text, put one entry on each line"
    )


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file, unpacked if its name ends in `.gz`."""
    if Path(path).suffix == ".gz":
        # by lines, so that damage is reported with its line
        return b"".join(stream_bytes(path))
    with _opened(path) as stream:
        return stream.read()


def read_text(path: str | Path, encoding: str = "utf-8") -> str:
    """Return the text of a UTF-8 file (gzipped if its name ends in `.gz`), no byte-order mark."""
    raw = read_bytes(path)
    if encoding != "utf-8" and raw.startswith(codecs.BOM_UTF8):
        raise _has_mark(path, encoding)
    try:
        text = raw.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError as error:
        raise _not_utf8(path, raw.count(b"\n", 0, error.start) + 1) from error
    if _NUL in text:
        raise _holds_nul(path, text.count("\n", 0, text.index(_NUL)) + 1)
    return text


def read_lines(path: str | Path, encoding: str = "utf-8") -> list[str]:
    """Return the lines of a UTF-8 file, split on "\\n" only, a trailing "\\r" removed from each.

    Not on U+001C, U+2028, ..., as `str.splitlines`. A final newline makes no empty last line.
    Raises `UserError` for a line of more than `LONGEST_LINE` characters, which is not read whole,
    for a NUL character, and for a file whose lines end in carriage returns alone.
    """
    return list(stream_lines(path, encoding))


def decode_lines(stream: IO[bytes], name: str | Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of `read_lines` from a stream of bytes; `name` is what errors call it."""
    # of four bytes a character at most, and with the line's end
    most = 4 * (LONGEST_LINE + 1)
    for number, raw in enumerate(_raw_lines(stream, name, most), start=1):
        if len(raw) == most and not raw.endswith(b"\n"):
            raise _too_long(name, number)
        if number == 1 and raw.startswith(codecs.BOM_UTF8):
            if encoding != "utf-8":
                raise _has_mark(name, encoding)
            raw = raw.removeprefix(codecs.BOM_UTF8)
            if not raw:
                return
        try:
            line = raw.decode(encoding)
        except UnicodeDecodeError as error:
            raise _not_utf8(name, number) from error
        if _NUL in line:
            raise _holds_nul(name, number)
        if number == 1 and not line.endswith("\n") and "\r" in line.rstrip("\r"):
            what = "lines that end in carriage returns alone"
            raise UserError(f"{name}:1", what, "convert them to line feeds")
        line = line.removesuffix("\n").removesuffix("\r")
        if len(line) > LONGEST_LINE:
            raise _too_long(name, number)
        yield line


def stream_lines(path: str | Path, encoding: str = "utf-8") -> Iterator[str]:
    """Yield the lines of `read_lines` one by one, for files that need not fit into memory."""
    with _opened(path) as stream:
        yield from decode_lines(stream, path, encoding)


def given_lines(source: str | Path) -> tuple[str, Iterator[str]]:
    """Return what errors call a file or, for "-", standard input, and its lines one by one."""
    if str(source) == STDIN:
        return "stdin", decode_lines(sys.stdin.buffer, "stdin")
    return str(source), stream_lines(source)


def parse_number(text: str) -> float | None:
    """Return the finite decimal number that a field of a file is, None where it is anything else.

    Blanks around it are ignored. All numbers of data are read by this: Python's own conversion
    reads `4_5` as 45, and takes digits of other scripts, nan and infinity.
    """
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


def require_header(header: Sequence[str], expected: Sequence[str]) -> None:
    """Raise `ValueError` for a file without its header, whose first row or columns are others."""
    if [*header] != [*expected]:
        raise ValueError(f"header {' '.join(header)!r}, not {' '.join(expected)!r}")


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8, whole or not at all."""
    with atomic_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="")


def parse_json(text: str, path: str | Path, line: int | None = None) -> Any:
    """Return what JSON says, of a whole file or one line of it: text that can be written as UTF-8.

    Raises `UserError`, with file and line; a key that is twice in an object is a mistake too.
    """
    where = path if line is None else f"{path}:{line}"

    def one_of_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        content = dict(pairs)
        if len(content) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UserError(where, f"the key {twice!r} occurs twice", "remove one of the two")
        return content

    try:
        content = json.loads(text, object_pairs_hook=one_of_each)
        half = _HALF_OF_PAIR.search(text)
        if half:
            # two halves may form a character; a lone half is not text
            json.dumps(content, ensure_ascii=False).encode()
        if nul := _NUL_IN_JSON.search(text):
            raise _holds_nul(path, line or text.count("\n", 0, nul.end()) + 1)
        return content
    except json.JSONDecodeError as error:
        number, problem = line or error.lineno, f"not valid JSON ({error.msg})"
    except UnicodeEncodeError:
        assert half is not None
        number = line or text.count("\n", 0, half.start()) + 1
        problem = f"half a character ({half[0]}, or one below)"
    except (ValueError, RecursionError) as error:
        why = "a number too long" if isinstance(error, ValueError) else "too deep"
        number, problem = line or 1, f"JSON that cannot be read ({why})"
    raise UserError(f"{path}:{number}", problem, "fix or remake the file")


def read_json(path: str | Path) -> Any:
    """Return the content of a JSON file as `parse_json` does."""
    return parse_json(read_text(path), path)


def write_json(path: str | Path, content: Any) -> None:
    """Write JSON with sorted keys, whole or not at all."""
    write_text(path, json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False) + "\n")


def sha256_of_lines(lines: Iterable[str]) -> str:
    """Return the hex SHA-256 of a file of these lines, each ended by a line feed."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(f"{line}\n".encode())
    return digest.hexdigest()


def sha256_of(path: str | Path) -> str:
    """Return the hex SHA-256 of a file's bytes."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
