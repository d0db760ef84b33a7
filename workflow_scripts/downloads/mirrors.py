"""Mirrors: a folder or a web address that holds what a data root holds."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from workflow_scripts.errors import UserError


@dataclass(frozen=True)
class Mirror:
    """A base URL or a folder laid out as the data root, with archives/ and models/."""

    base: str
    folder: Path | None

    def url_of(self, path: str) -> str:
        return f"{self.base}/{quote(path)}"

    def may_have(self, path: str) -> bool:
        """Return False if the mirror is a folder without the file."""
        return self.folder is None or (self.folder / path).is_file()


def open_mirror(location: str | None, where: str = "--mirror") -> Mirror | None:
    """Return the mirror of an argument: a folder that exists, or an http, https or file address.

    `where` is the option or the key that gives it, for the message.
    """
    if location is None:
        return None
    parts = urlsplit(location)
    if parts.scheme in ("http", "https"):
        return Mirror(location.rstrip("/"), None)
    folder = Path(unquote(parts.path)) if parts.scheme == "file" else Path(location)
    if not folder.is_dir():
        raise UserError(f"{where} {location}: no such folder; give a folder or an http(s) address")
    return Mirror(folder.resolve().as_uri(), folder)


def check_offline(
    mirror: Mirror | None, offline: bool, where: tuple[str, str] = ("--offline", "--mirror")
) -> None:
    """Raise `UserError` for a mirror at a web address offline; `where` are the options or keys."""
    if offline and mirror is not None and mirror.folder is None:
        raise UserError(
            f"{where[0]} with {where[1]} {mirror.base}: an address is not offline; give a folder"
        )


def add_source_arguments(parser: argparse.ArgumentParser, layout: str) -> None:
    """Add --mirror, of a folder or address with a layout, and --offline."""
    # the rule gives the option without a value where the config has no mirror
    parser.add_argument("--mirror", nargs="?", help=f"folder or http(s) address {layout}")
    there = "take only what is there or in a mirror folder"
    parser.add_argument("--offline", action="store_true", help=there)
