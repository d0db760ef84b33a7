"""Taking named members out of archives whose content nobody vouches for."""

import bz2
import gzip
import io
import math
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError, is_full_disk

# The largest member taken where the registry knows no size (fastText's are about 7 GB).
LARGEST_MEMBER = 20 * 2**30

# by the ending of the name: what is in it does not choose how it is unpacked
_TAR_OPENERS: dict[str, Callable[[Path], Any]] = {
    ".tar": io.FileIO,
    **dict.fromkeys((".tar.gz", ".tgz"), gzip.open),
    **dict.fromkeys((".tar.bz2", ".tbz2"), bz2.open),
}
ENDINGS = (".zip", *_TAR_OPENERS, ".gz")
_CHUNK = 2**20
# What a zip records of all its members (some 200,000 fit), and a tar of the next one: both are
# read into memory at once, the latter unpacked from next to nothing.
_LARGEST_DIRECTORY = 2**24
_LARGEST_HEADER = 2**20
# of these the standard library unpacks no more than it is asked to; bzip2 and lzma come whole
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
# RuntimeError: zipfile's, of an encrypted member or a compression that is not known, and one of too
# many headers in a row; the last three: numbers, names and offsets that are none
_DAMAGE: tuple[type[Exception], ...] = (zipfile.BadZipFile, tarfile.TarError, zlib.error)
_DAMAGE += (EOFError, OSError, RuntimeError, ValueError, OverflowError, IndexError)


def archive_ending(name: str) -> str:
    """Return which of `ENDINGS` an archive's name has: the longest that it ends in."""
    ending = max((end for end in ENDINGS if name.endswith(end)), key=len, default=None)
    if ending is None:
        problem = f"not an archive known here ({', '.join(ENDINGS)})"
        raise UserError(name, problem, "correct the registry")
    return ending


def unpack(
    archive: Path,
    name: str,
    members: Mapping[str, int | None],
    folder: Path,
    largest: int = LARGEST_MEMBER,
) -> dict[str, Path]:
    """Write members of an archive into an existing folder; return the file of each.

    `name` is what the archive is called (its ending says what it is), `members` the wanted names
    with their sizes in bytes, None where unknown (then at most `largest`). The files have names
    of their own, so that nothing in the archive decides where bytes go. The one member of a gz is
    taken whatever it is called. An archive that holds an absolute path or `..` anywhere is refused.
    """
    targets = {member: folder / str(number) for number, member in enumerate(members)}
    try:
        with closing(_opened_members(archive, name, list(members))) as opened:
            for member, is_file, size, stream in opened:
                known = members[member]
                limit = largest if known is None else known
                if not is_file:
                    raise UserError(
                        name,
                        f"member {member} is not a plain file but a link, device or folder",
                        "nothing was unpacked: get the archive from elsewhere (--mirror)",
                    )
                if size > limit or not _copied(stream, targets[member], limit):
                    raise UserError(
                        name,
                        f"member {member} is larger than {limit} bytes",
                        "nothing was unpacked: the archive has changed or is inconsistent; "
                        "correct the registry or use a mirror",
                    )
    except _DAMAGE as error:
        if is_full_disk(error):
            raise
        problem = f"cannot be unpacked ({error})"
        raise UserError(name, problem, "run again to fetch it again") from error
    return targets


def _opened_members(
    archive: Path, name: str, members: list[str]
) -> Generator[tuple[str, bool, int, Callable[[], Any]], None, None]:
    """Yield wanted members: name, whether they are plain files, the told size, how to open them."""
    ending = archive_ending(name)
    if ending == ".zip":
        with _Bounded(io.FileIO(archive), name) as raw:
            raw.left = _LARGEST_DIRECTORY
            with zipfile.ZipFile(raw) as zipped:
                raw.left = math.inf
                infos = {info.filename: info for info in zipped.infolist()}
                _check_names(infos, infos, members, name)
                for member in members:
                    info = infos[member]
                    plain = stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
                    is_file = plain and not info.is_dir()
                    if info.compress_type not in _ZIP_METHODS:
                        raise UserError(
                            name,
                            f"member {member} uses a compression method (number "
                            f"{info.compress_type}) with unlimited memory",
                            "repack it with deflate, or get the archive from elsewhere (--mirror)",
                        )
                    yield member, is_file, info.file_size, partial(zipped.open, info)
    elif ending in _TAR_OPENERS:
        with _Bounded(_TAR_OPENERS[ending](archive), name) as raw:
            raw.left = _LARGEST_HEADER
            with tarfile.open(fileobj=raw, mode="r:") as tarred:
                entries: dict[str, tarfile.TarInfo] = {}
                _check_names(_entries(tarred, raw, members, entries), entries, members, name)
                raw.left = math.inf
                for member in members:
                    entry = entries[member]
                    yield member, entry.isreg(), entry.size, partial(tarred.extractfile, entry)
    else:
        if len(members) != 1:
            problem = f"a .gz holds one file, {len(members)} are asked for"
            raise UserError(name, problem, "correct the registry")
        if archive.stat().st_size == 0:
            raise EOFError("it is empty")  # which the gzip module takes for an empty file
        yield members[0], True, 0, partial(gzip.open, archive)


class _Bounded(io.BufferedReader):
    """The bytes of an archive, of which no more than `left` are read for what it says about itself.

    Nor is anything looked for farther in than the largest member, unpacked on the way there.
    """

    left: float

    def __init__(self, raw: Any, name: str) -> None:
        super().__init__(raw)
        self._archive = name

    def read(self, size: int | None = -1) -> bytes:
        if size is not None and size > self.left:
            raise UserError(
                self._archive,
                f"has more metadata than the {self.left} bytes that may be read",
                "do not trust this archive, get it from elsewhere (--mirror)",
            )
        content = super().read(size)
        self.left -= len(content)
        return content

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET and offset > LARGEST_MEMBER:
            raise EOFError(f"it leads to byte {offset}")
        return super().seek(offset, whence)


def _entries(
    tarred: tarfile.TarFile, raw: _Bounded, members: list[str], entries: dict[str, tarfile.TarInfo]
) -> Iterator[str]:
    """Yield the name of each entry; put those of `members` into `entries`, and keep no others."""
    last = -1
    while (entry := tarred.next()) is not None:
        if entry.offset <= last or entry.size < 0:
            # after a negative size tarfile comes to the same header for ever
            raise tarfile.ReadError(f"the header at byte {entry.offset} leads back")
        last = entry.offset
        # a leading ./ is how tar names the folder that it was started in
        path = entry.name.removeprefix("./")
        if path in members:
            entries[path] = entry
        yield path
        tarred.members.clear()  # type: ignore[attr-defined]
        # a global header is for what nobody needs here, and would be copied to each entry
        tarred.pax_headers.clear()  # type: ignore[attr-defined]
        raw.left = _LARGEST_HEADER


def _check_names(
    entries: Iterable[str], known: Container[str], members: Iterable[str], archive: str
) -> None:
    """Raise `UserError` where an entry leads out of its folder, or a wanted one is not found."""
    for entry in entries:
        path = entry.replace("\\", "/")
        if path.startswith("/") or path[1:2] == ":" or ".." in path.split("/"):
            raise UserError(
                archive,
                f"contains the path {entry!r}, which leads out of its folder",
                "nothing was unpacked: do not trust this archive, get it from elsewhere (--mirror)",
            )
    missing = [member for member in members if member not in known]
    if missing:
        raise UserError(
            archive,
            f"has no member {', '.join(missing)}",
            "the archive has changed: correct the registry or use a mirror (--mirror)",
        )


def _copied(stream: Callable[[], Any], target: Path, limit: int) -> bool:
    """Copy a member, whatever size the archive states; False if it exceeds the limit."""
    written = 0
    with stream() as opened, open(target, "wb") as output:
        while chunk := opened.read(_CHUNK):
            written += len(chunk)
            if written > limit:
                return False
            output.write(chunk)
    return True
