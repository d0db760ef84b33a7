"""Mirrors: a folder or a web address that holds what a data root holds."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from workflow_scripts.errors import UserError
from workflow_scripts.path_functions import MAY_BE_BARE


@dataclass(frozen=True)
class Mirror:
    """A base URL or a folder laid out as the data root, with archives/ and models/."""

    base: str
    folder: Path | None

    def url_of(self, path: str) -> str:
        # a query of the base is for each of its files
        parts = urlsplit(self.base)
        return urlunsplit(parts._replace(path=f"{parts.path}/{quote(path)}"))

    def may_have(self, path: str) -> bool:
        """Return False if the mirror is a folder without the file."""
        return self.folder is None or (self.folder / path).is_file()


@dataclass(frozen=True)
class SourceOptions:
    """Where files come from.

    Args:
        mirror: folder or http(s) address laid out as the data root, with models below models/
        offline: take only files that exist here or in a mirror folder
    """

    mirror: Annotated[str | None, MAY_BE_BARE] = None
    offline: bool = False


def shown(text: str) -> str:
    """Return an address, or a text that holds some, as it may be said and written.

    That is without user, password and query, which may be secret.
    """
    return re.sub(r"\?\S+", "", re.sub(r"(?<=//)[^/?#\s]*@", "", text))


def _split(location: str, where: str) -> SplitResult:
    """Return the parts of an address or path; `UserError` where it cannot be told what they are."""
    try:
        parts = urlsplit(location)
        web = parts.scheme in ("http", "https")
        # where a / or ? of a password is not %2F or %3F, what is before it is taken for the server
        strange = re.search(r"[\s@]", "".join(parts[2:]))
        if not web or (parts.hostname and parts.port != 0 and not strange):
            return parts
    except ValueError:
        pass
    raise UserError(
        where,
        "not a web address (not shown, since it may contain a password)",
        "give https://server/folder, with / ? # @ in user and password as %2F %3F %23 %40",
    )


def open_mirror(location: str | None, where: str = "--mirror") -> Mirror | None:
    """Return the mirror of an argument: a folder that exists, or an http, https or file address.

    `where` is the option or the key that gives it, for the message.
    """
    if location is None:
        return None
    parts = _split(location, where)
    if parts.scheme in ("http", "https"):
        return Mirror(urlunsplit(parts._replace(path=parts.path.rstrip("/"), fragment="")), None)
    folder = Path(unquote(parts.path)) if parts.scheme == "file" else Path(location)
    if not folder.is_dir():
        told = shown(location)
        raise UserError(f"{where} {told}", "no such folder", "give a folder or an http(s) address")
    return Mirror(folder.resolve().as_uri(), folder)


def check_offline(
    mirror: Mirror | None, offline: bool, where: tuple[str, str] = ("--offline", "--mirror")
) -> None:
    """Raise `UserError` for a mirror at a web address offline; `where` are the options or keys."""
    if offline and mirror is not None and mirror.folder is None:
        given = f"{where[0]} with {where[1]} {shown(mirror.base)}"
        raise UserError(given, "an address cannot be used offline", "give a folder")
