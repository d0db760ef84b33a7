"""What commands check of the files that their options name, before anything is read."""

import os
from collections.abc import Iterable
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import STDIN, parse_json, read_text


def check_files(
    option: str, *paths: str | Path | None, stdin: bool = False, folders: bool = False
) -> None:
    """Raise `UserError` by `option` for each path that is not None and not a file.

    "-" is standard input, and a folder is taken, where the option takes that.
    """
    for path in paths:
        if path is None or (stdin and str(path) == STDIN) or Path(path).is_file():
            continue
        if folders and Path(path).is_dir():
            continue
        if str(path) == STDIN:
            raise UserError(f"{option} -", "standard input is not supported here", "give a file")
        raise UserError(f"{option} {path}", "no such file", "check the path")


def check_new_file(
    option: str, path: Path, overwrite: bool, inputs: Iterable[str | Path | None] = ()
) -> None:
    """Raise `UserError` by `option` unless a file can be made there, or replaced if told so.

    None of the `inputs`, and of other outputs among them, is ever replaced.
    """
    if path.is_dir():
        raise UserError(f"{option} {path}", "is a folder", "give a file name")
    if path.resolve() in {Path(source).resolve() for source in inputs if source is not None}:
        raise UserError(
            f"{option} {path}", "is read from, or written by another option", "choose another"
        )
    if path.exists() and not overwrite:
        raise UserError(f"{option} {path}", "exists", "choose another or add --overwrite")
    check_can_be_made(option, path)


def check_can_be_made(option: str, path: Path) -> None:
    """Raise `UserError` by `option` unless the nearest existing parent is a writable folder."""
    parent = next(folder for folder in path.resolve().parents if folder.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise UserError(f"{option} {path}", f"cannot be made in {parent}", "choose another")


def check_own_json(
    option: str, path: Path, key: str, inputs: Iterable[str | Path | None] = ()
) -> None:
    """Raise `UserError` by `option` unless a file is new, or JSON that a run before wrote there.

    That is an object with `key`, a list of such, or lines of them of which the last may be cut off.
    """
    check_new_file(option, path, True, inputs)
    if not path.exists():
        return
    try:
        text = read_text(path)
        try:
            rows = parse_json(text or "[]", path)
        except UserError:
            *whole, last = text.split("\n")
            rows = [parse_json(line, path) for line in whole]
            rows += [] if last[:1] in ("", "{") else [None]
        rows = rows if isinstance(rows, list) else [rows]
    except UserError:
        rows = [None]
    if not all(isinstance(row, dict) and key in row for row in rows):
        raise UserError(
            f"{option} {path}", "is another file, and is not replaced", "choose another"
        )
